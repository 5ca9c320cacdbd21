package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/printers"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

const explainLong = `Explain where Pods fit and why not, node by node.

The verdict, the chosen node and the message are kube-scheduler's own: its code judges the Pod against
the live cluster, or against a saved one (--from). A table then shows every node with every reason
against it, not only the first.

A workload is answered for its pending Pods, those of one template together, or for its template when
none is pending. Pods of manifests (-f, -k) are judged each alone, as the API server would store them.
Nothing is changed in the cluster.

Exit codes: 0 every Pod fits, 1 at least one does not, 2 could not decide.`

const explainExample = `  # Why is a Pod pending?
  kubectl sched explain pod/checkout-0 -n shop

  # All pending Pods of the cluster
  kubectl sched explain --pending -A

  # All about one node: every plugin's verdict, its resources, and who uses them
  kubectl sched explain pod/checkout-0 -n shop --node general-b1

  # Why did one node win over another?
  kubectl sched explain deployment/web -n shop --compare general-c1,general-a1

  # Would a manifest fit?
  kubectl sched explain -f web.yaml

  # The same against a saved cluster, for a script; the README says how to save all that matters
  kubectl sched explain -f web.yaml --from cluster.yaml -o json`

type explainFlags struct {
	env       Env
	config    *genericclioptions.ConfigFlags
	state     stateFlags
	scheduler schedulerFlags
	manifests manifestFlags
	targets   targetFlags
	nodes     nodeFlags
	fixes     fixFlags
	print     printFlags
}

type explainOptions struct {
	env       Env
	source    *source
	engine    engine.Options
	manifests []cluster.File
	namespace namespace
	targets   *targets
	nodes     nodeQuestion
	printer   printers.Printer
}

func newExplain(env Env, config *genericclioptions.ConfigFlags) *cobra.Command {
	flags := &explainFlags{env: env, config: config}
	completion := newCompleter(env, config)
	cmd := &cobra.Command{
		Use:                   "explain ([TYPE] NAME... | TYPE/NAME... | -l SELECTOR | --pending | -f FILENAME) [flags]",
		DisableFlagsInUseLine: true,
		Short:                 "Explain where Pods fit and why not, node by node",
		Long:                  explainLong,
		Example:               explainExample,
		ValidArgsFunction:     completion.inTime(completion.explainable),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := refuseEmpty(cmd.Flags(), "scheduler-config", "scheduler-name", "kustomize", "node", "compare")
			if err != nil {
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
	flags.manifests.addFlags(cmd.Flags())
	flags.targets.addFlags(cmd.Flags())
	flags.scheduler.addFlags(cmd.Flags())
	flags.nodes.addFlags(cmd.Flags())
	flags.fixes.addFlags(cmd.Flags())
	flags.print.addFlags(cmd.Flags())
	flags.print.addNodeFlags(cmd.Flags())
	return cmd
}

// refuseEmpty finds flags that were given without a value, as by a variable that is not set: passing over them would
// answer another question.
func refuseEmpty(flags *pflag.FlagSet, names ...string) error {
	for _, name := range names {
		if flag := flags.Lookup(name); flag.Changed && flag.Value.String() == "" {
			return fmt.Errorf("--%s is empty", name)
		}
	}
	return nil
}

// toOptions checks the command line. It reads the scheduler configuration and opens no connection.
func (f *explainFlags) toOptions(ctx context.Context, args []string) (*explainOptions, error) {
	o := &explainOptions{env: f.env}
	var err error
	if o.printer, err = f.print.toPrinter(f.env); err != nil {
		return nil, err
	}
	if o.nodes, err = f.nodes.toQuestion(); err != nil {
		return nil, err
	}
	fixes, err := f.fixes.count()
	if err != nil {
		return nil, err
	}
	if o.namespace, err = f.state.toNamespace(f.config); err != nil {
		return nil, err
	}
	if o.targets, err = f.targets.toTargets(args, o.namespace.name); err != nil {
		return nil, err
	}
	o.targets.grouping = f.print.forReader()
	if len(o.targets.named) == 0 && !o.targets.selecting && !f.manifests.given() {
		return nil, errors.New("nothing is asked about: name a Pod (pod/NAME), or use --pending, --selector or --filename; " +
			"see " + f.env.program() + " explain --help")
	}
	inputs := &inputs{env: f.env}
	if o.source, err = f.state.toSource(f.env, f.config, inputs); err != nil {
		return nil, err
	}
	if o.manifests, err = f.manifests.files(f.config, inputs); err != nil {
		return nil, err
	}
	o.engine, err = f.scheduler.toOptions(ctx, inputs)
	o.engine.Node, o.engine.Fixes = o.nodes.node, fixes
	return o, err
}

func (o *explainOptions) run(ctx context.Context) error {
	objects, warnings, err := readManifests(ctx, o.manifests, o.namespace)
	if err != nil {
		return err
	}
	state, err := o.source.load(ctx, kindsRead())
	if err != nil {
		return err
	}
	e, err := engine.New(ctx, state, o.engine)
	if err != nil {
		return blame(err, o.engine.Config)
	}
	defer e.Close()
	if err := o.nodes.check(e); err != nil {
		return err
	}
	admit := newAdmitter(o.source.config)
	questions := o.targets.questions(ctx, state, o.source, admit)
	for _, object := range objects {
		questions = append(questions, admit.aboutManifest(object))
	}
	asking := &asking{env: o.env, engine: e, questions: questions, nodes: o.nodes, warn: newWarner(o.env.ErrOut)}
	asking.warn.tell(warnings...)
	if len(questions) == 0 {
		fmt.Fprintf(o.env.ErrOut, "No Pod matches%s.\n", o.targets.where(o.source))
	}
	return asking.print(ctx, o.printer)
}

// fits tells whether the answer is a yes. For a manifest that names its node no scheduler is asked: then that node must
// take it.
func fits(answer *report.Explanation) bool {
	if answer.Verdict == report.Bound && answer.Admission != "" {
		return slices.ContainsFunc(answer.Nodes, func(node report.Node) bool {
			return node.Name == answer.NodeName && node.Verdict == report.Feasible
		})
	}
	return answer.Verdict == report.Schedulable || answer.Verdict == report.Bound
}
