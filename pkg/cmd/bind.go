package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/kubectl-sched/kubectl-sched/pkg/printers"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/pkg/run"
)

const bindLong = `Bind pending Pods to nodes by hand, as safely as kube-scheduler does.

Every Pod goes through kube-scheduler's own scheduling and binding cycle: a node is chosen and assumed,
volumes and devices are bound, the node is judged once more on what the watch has told meanwhile, and
the Binding is posted. What fails is tried again where that is safe. Nobody is evicted.

Pods go in the order of kube-scheduler's queue; the Pods of a Pod group whole or not at all. Only one
bind is at work in a cluster at a time: a second one waits. For Pods that no node takes, the reasons are
those of kubectl sched explain.

Exit codes: 0 all Pods are bound, 1 at least one is not, 2 could not run or was stopped.`

const bindExample = `  # Which nodes would the pending Pods of the namespace get? Nothing is changed
  kubectl sched bind --pending --dry-run=client

  # Bind one Pod
  kubectl sched bind pod/checkout-0 -n shop

  # Bind all pending Pods of the cluster, after a look at the plan
  kubectl sched bind --pending -A --interactive

  # Bind a Pod to a node, if it fits there
  kubectl sched bind pod/checkout-0 -n shop --node general-b1

  # Bind at most ten Pods of an app, whatever scheduler they ask for
  kubectl sched bind -l app=web --max 10 --scheduler-name default-scheduler`

type bindFlags struct {
	env       Env
	config    *genericclioptions.ConfigFlags
	state     stateFlags
	scheduler schedulerFlags
	targets   targetFlags
	print     printFlags

	node        string
	force       bool
	dryRun      string
	interactive bool
	max         int
	events      bool
	wait        time.Duration
	volumes     time.Duration
}

type bindOptions struct {
	env       Env
	source    *source
	session   run.Options
	namespace namespace
	targets   *targets
	printer   printers.BindingPrinter
	// planPrinter shows a plan to whoever is asked about it.
	planPrinter printers.BindingPrinter
	dryRun      report.DryRun

	interactive bool
	events      bool
	wait        time.Duration

	// finish, when set, does what is left to do after the results are printed.
	finish func()
}

func newBind(env Env, config *genericclioptions.ConfigFlags) *cobra.Command {
	flags := &bindFlags{env: env, config: config}
	completion := newCompleter(env, config)
	cmd := &cobra.Command{
		Use:                   "bind (POD... | -l SELECTOR | --pending) [flags]",
		DisableFlagsInUseLine: true,
		Short:                 "Bind pending Pods to nodes by hand, as safely as kube-scheduler does",
		Long:                  bindLong,
		Example:               bindExample,
		ValidArgsFunction:     completion.inTime(completion.bindable),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := refuseEmpty(cmd.Flags(), "scheduler-config", "scheduler-name", "node"); err != nil {
				return err
			}
			options, err := flags.toOptions(cmd.Context(), args)
			if err != nil {
				return err
			}
			return options.run(cmd.Context())
		},
	}
	flags.state.addFlags(cmd.Flags())
	flags.targets.addFlags(cmd.Flags())
	flags.scheduler.addFlags(cmd.Flags())
	flags.addFlags(cmd.Flags())
	flags.print.addFlags(cmd.Flags())
	return cmd
}

func (f *bindFlags) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&f.node, "node", "", "bind to this node, if kube-scheduler's filters let the Pod pass there")
	flags.BoolVar(&f.force, "force", false,
		"with --node: bind there although filters reject it; claims of volumes and devices must still be met")
	flags.StringVar(&f.dryRun, "dry-run", "none",
		"none, client (decide and print only) or server (send Bindings that the API server does not store)")
	flags.BoolVarP(&f.interactive, "interactive", "i", false, "show the plan and ask before binding")
	flags.IntVar(&f.max, "max", 0, "bind at most this many Pods; 0 sets no limit")
	flags.BoolVar(&f.events, "events", true, "write Scheduled and FailedScheduling events")
	flags.DurationVar(&f.wait, "wait", time.Minute, "how long to wait for another bind in the cluster to end")
	flags.DurationVar(&f.volumes, "volume-timeout", 0,
		"how long volumes of a Pod may take to be provisioned and bound; by default what the configuration says (10m)")
}

// toOptions checks the command line. It reads the scheduler configuration and opens no connection.
func (f *bindFlags) toOptions(ctx context.Context, args []string) (*bindOptions, error) {
	o := &bindOptions{env: f.env, interactive: f.interactive, events: f.events, wait: f.wait}
	var err error
	if o.dryRun, err = f.toDryRun(); err != nil {
		return nil, err
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	printing, err := f.print.toOptions(f.env)
	if err != nil {
		return nil, err
	}
	printing.Bulk = f.targets.given()
	if o.printer, err = printers.NewBindings(printing); err != nil {
		return nil, err
	}
	printing.Output, printing.Bulk = "", true
	if o.planPrinter, err = printers.NewBindings(printing); err != nil {
		return nil, err
	}
	if o.namespace, err = f.state.toNamespace(f.config); err != nil {
		return nil, err
	}
	if o.targets, err = f.toTargets(args, o.namespace.name); err != nil {
		return nil, err
	}
	inputs := &inputs{env: f.env}
	if o.source, err = f.state.toSource(f.env, f.config, inputs); err != nil {
		return nil, err
	}
	scheduler, err := f.scheduler.toOptions(ctx, inputs)
	o.session = run.Options{
		Config: scheduler.Config, Plugins: scheduler.Plugins, Profile: scheduler.Profile,
		Node: f.node, Force: f.force, Max: f.max, VolumeTimeout: f.volumes,
	}
	return o, err
}

func (f *bindFlags) toDryRun() (report.DryRun, error) {
	switch f.dryRun {
	case "none":
		return "", nil
	case "client":
		return report.DryRunClient, nil
	case "server":
		return report.DryRunServer, nil
	}
	return "", fmt.Errorf("--dry-run %q: use none, client or server", f.dryRun)
}

// check finds flags that do not go together.
func (f *bindFlags) check() error {
	switch {
	case f.force && f.node == "":
		return errors.New("--force needs --node: without a node there is no verdict to override")
	case len(f.state.from) > 0 && f.dryRun != "client":
		return errors.New("--from reads a saved cluster, where nothing can be bound: use it with --dry-run=client")
	case f.interactive && f.dryRun != "none":
		return errors.New("--interactive asks before binding, and a dry run binds nothing: use one of the two")
	case f.max < 0:
		return fmt.Errorf("--max %d: use 0 or more", f.max)
	case f.wait < 0:
		return fmt.Errorf("--wait %s: use 0 or more", f.wait)
	case f.volumes != 0 && f.volumes < time.Second:
		return fmt.Errorf("--volume-timeout %s: use 1s or more", f.volumes)
	}
	return nil
}

// toTargets reads which Pods are to be bound. Selectors choose among those that wait.
func (f *bindFlags) toTargets(args []string, namespace string) (*targets, error) {
	for _, arg := range args {
		typeName, _, slashed := strings.Cut(arg, "/")
		if kind, err := askedKind(typeName); slashed && (err != nil || kind.Kind != "Pod") {
			return nil, fmt.Errorf("only Pods are bound, and %q names none: use pod/NAME, or choose Pods by --selector", arg)
		}
	}
	t, err := f.targets.toTargets(args, namespace)
	if err != nil {
		return nil, err
	}
	for _, target := range t.named {
		if target.kind.Kind != "Pod" {
			return nil, fmt.Errorf("only Pods are bound, and %s is a %s: choose its Pods by --selector", target.name,
				target.kind.Kind)
		}
	}
	if len(t.named) == 0 && !f.targets.given() {
		return nil, errors.New("no Pod is named: name one (pod/NAME), or use --pending or --selector; " +
			"see " + f.env.program() + " bind --help")
	}
	t.pending = true
	return t, nil
}
