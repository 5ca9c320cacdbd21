package cmd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"
	"k8s.io/kubectl/pkg/util/term"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
	"github.com/kubectl-sched/kubectl-sched/pkg/printers"
)

const runLong = `Run a scheduler: kube-scheduler's own, with its queue, back-off, hints, preemption and plugins.

It schedules the Pods whose schedulerName is kubectl-sched, or one of the profiles of --scheduler-config,
and leaves all others alone. Every decision is one line on stdout. Without --watch it goes once through the
Pods that wait, and ends; with it, it runs until ctrl-C or SIGTERM, and finishes bindings in flight first.

As kube-scheduler does, and unlike kubectl sched bind, it evicts Pods of lower priority when nothing else
makes room. Two schedulers that serve the same Pods get in each other's way: use --leader-elect.

Exit codes: 0 all Pods are bound, or --watch was ended; 1 at least one Pod is not bound; 2 could not run.`

const runExample = `  # Schedule the Pods that wait and have schedulerName kubectl-sched, and end
  kubectl sched run

  # What would it do? Nothing is changed, nobody is evicted
  kubectl sched run --dry-run=client

  # Go on until ctrl-C, with a live view of queues and decisions
  kubectl sched run --watch --top

  # With profiles of one's own, the decisions as JSON lines, each with what every node said
  kubectl sched run --watch --scheduler-config profiles.yaml -o json --explain

  # In place of kube-scheduler while it is down
  kubectl sched run --watch --scheduler-name default-scheduler --leader-elect \
    --leader-elect-resource-name kube-scheduler`

type runFlags struct {
	env       Env
	config    *genericclioptions.ConfigFlags
	scheduler schedulerFlags
	print     printFlags
	leader    leaderFlags
	endpoints endpointFlags

	watch   bool
	dryRun  string
	explain bool
	top     bool
	qps     float32
	burst   int
	logging string
}

type runOptions struct {
	env       Env
	config    *rest.Config
	scheduler *upstream.Config
	printer   printers.DecisionPrinter
	top       *printers.Top
	leader    *leaderOptions
	endpoints *endpointOptions

	watch    bool
	dryRun   bool
	explain  bool
	jsonLogs bool
}

func newRun(env Env, config *genericclioptions.ConfigFlags) *cobra.Command {
	flags := &runFlags{env: env, config: config}
	cmd := &cobra.Command{
		Use:                   "run [--watch] [flags]",
		DisableFlagsInUseLine: true,
		Short:                 "Run a scheduler, once or until it is stopped",
		Long:                  runLong,
		Example:               runExample,
		Args:                  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := refuseEmpty(cmd.Flags(), "scheduler-config", "scheduler-name"); err != nil {
				return err
			}
			options, err := flags.toOptions(cmd.Context(), cmd.Flags())
			if err != nil {
				return err
			}
			return options.run(cmd.Context())
		},
	}
	flags.scheduler.addFlags(cmd.Flags())
	cmd.Flags().Lookup("scheduler-config").Usage =
		"file with the KubeSchedulerConfiguration to run with; kube-scheduler's defaults when not given"
	cmd.Flags().Lookup("scheduler-name").Usage = "schedule the Pods of this schedulerName: the name of one profile " +
		"of the configuration, or of the only one when that has none; by default all profiles, and kubectl-sched for " +
		"one that has no name"
	flags.addFlags(cmd.Flags())
	flags.leader.addFlags(cmd.Flags())
	flags.endpoints.addFlags(cmd.Flags())
	flags.print.addFlags(cmd.Flags())
	cmd.Flags().Lookup("output").Usage = "output format: " + strings.Join(printers.DecisionFormats(), "|")
	return cmd
}

func (f *runFlags) addFlags(flags *pflag.FlagSet) {
	flags.BoolVarP(&f.watch, "watch", "w", false, "go on until ctrl-C or SIGTERM")
	flags.StringVar(&f.dryRun, "dry-run", "none", "none or client (decide and print; nothing is written, nobody evicted)")
	flags.BoolVar(&f.explain, "explain", false,
		"with every decision that no node fits, what each node said; takes time on large clusters")
	flags.BoolVar(&f.top, "top", false, "with --watch on a terminal: a live view of queues, rates and last decisions")
	flags.Float32Var(&f.qps, "qps", 0,
		"requests per second to the API server; by default what the configuration says (50)")
	flags.IntVar(&f.burst, "burst", 0, "requests above --qps at one time; by default what the configuration says (100)")
	flags.StringVar(&f.logging, "logging-format", "text", "format of logs (see -v): text or json")
}

// toOptions checks the command line. It reads the scheduler configuration and opens no connection.
func (f *runFlags) toOptions(ctx context.Context, flags *pflag.FlagSet) (*runOptions, error) {
	o := &runOptions{env: f.env, watch: f.watch, explain: f.explain, jsonLogs: f.logging == "json"}
	if err := f.check(flags); err != nil {
		return nil, err
	}
	o.dryRun = f.dryRun == "client"
	if err := f.logTo(flags); err != nil {
		return nil, err
	}
	printing, err := f.print.toOptions(f.env)
	if err != nil {
		return nil, err
	}
	if o.printer, err = printers.NewDecisions(printing); err != nil {
		return nil, err
	}
	if f.top {
		top := printers.NewTop(printing)
		o.top = &top
	}
	if o.scheduler, err = f.toScheduler(ctx); err != nil {
		return nil, err
	}
	if o.leader, err = f.leader.toOptions(flags); err != nil {
		return nil, err
	}
	if o.endpoints, err = f.endpoints.toOptions(flags, f.watch); err != nil {
		return nil, err
	}
	if o.config, err = f.config.ToRESTConfig(); err != nil {
		return nil, err
	}
	o.limit(f.qps, f.burst)
	return o, nil
}

// check finds values that are none.
func (f *runFlags) check(flags *pflag.FlagSet) error {
	switch {
	case flags.Changed("namespace"):
		return errors.New("--namespace: a scheduler serves all namespaces; choose Pods by their schedulerName " +
			"(--scheduler-name)")
	case !(f.qps >= 0 && f.qps <= math.MaxFloat32), f.qps == 0 && flags.Changed("qps"):
		return fmt.Errorf("--qps %g: use a number above 0", f.qps)
	case f.burst < 0, f.burst == 0 && flags.Changed("burst"):
		return fmt.Errorf("--burst %d: use a number above 0", f.burst)
	case !slices.Contains([]string{"text", "json"}, f.logging):
		return fmt.Errorf("--logging-format %q: use text or json", f.logging)
	case !slices.Contains([]string{"none", "client"}, f.dryRun):
		return fmt.Errorf("--dry-run %q: use none or client", f.dryRun)
	}
	return f.checkTogether()
}

// checkTogether finds flags that do not go together.
func (f *runFlags) checkTogether() error {
	switch {
	case f.top && !f.watch:
		return errors.New("--top shows a scheduler at work: use it with --watch")
	case f.top && f.print.output != "":
		return errors.New("--top takes the place of --output: use one of the two")
	case f.top && f.explain:
		return errors.New("--top has no room for what --explain adds: use one of the two")
	case f.explain && f.print.output == "name":
		return errors.New("--explain adds to decisions, of which --output name shows the Pod only: use one of the two")
	case f.top && !term.IsTerminal(f.env.Out):
		return errors.New("--top needs a terminal: leave it out for one line per decision")
	case f.leader.elect && !f.watch:
		return errors.New("--leader-elect is for --watch: a single pass does not wait for others")
	case f.leader.elect && f.dryRun == "client":
		return errors.New("--leader-elect writes a Lease, and a dry run writes nothing: use one of the two")
	}
	return nil
}

// logTo sends logs to stderr as --logging-format says; the root command has done so for text.
func (f *runFlags) logTo(flags *pflag.FlagSet) error {
	verbosity, err := flags.GetInt("v")
	if err != nil || f.logging == "text" {
		return err
	}
	return logJSON(f.env.ErrOut, verbosity)
}

// toScheduler reads the configuration, and warns of what it cannot mean.
func (f *runFlags) toScheduler(ctx context.Context) (*upstream.Config, error) {
	options, err := f.scheduler.toOptions(ctx, &inputs{env: f.env})
	if err != nil {
		return nil, err
	}
	config := options.Config
	if config == nil {
		if config, err = upstream.DefaultConfig(); err != nil {
			return nil, err
		}
	}
	newWarner(f.env.ErrOut).tell(config.Warnings...)
	served, err := config.Serve(f.scheduler.name)
	if err != nil {
		return nil, fmt.Errorf("--scheduler-name: %w", err)
	}
	return served, nil
}

// limit sets the limits of requests, which the configuration sets when the flags are 0.
func (o *runOptions) limit(qps float32, burst int) {
	connection := o.scheduler.KubeSchedulerConfiguration.ClientConnection
	o.config = rest.CopyConfig(o.config)
	o.config.QPS, o.config.Burst = connection.QPS, int(connection.Burst)
	if qps > 0 {
		o.config.QPS = qps
	}
	if burst > 0 {
		o.config.Burst = burst
	}
	o.config.WarningHandler = rest.NewWarningWriter(o.env.ErrOut, rest.WarningWriterOptions{Deduplicate: true})
}
