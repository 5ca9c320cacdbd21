package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/printers"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/pkg/run"
)

// outcome is what became of the Pods, at the same indexes.
type outcome struct {
	pods     []*corev1.Pod
	bindings []*report.Binding
	warnings []string
	// beyond is how many Pods --max did not let in.
	beyond int
	// failed are the Pods that could not be found, and what stopped the run.
	failed error
}

// carryOut binds the Pods that were asked for, and says of each why it is not bound.
func (o *bindOptions) carryOut(ctx context.Context, session *run.Session) (*outcome, error) {
	state, err := session.State()
	if err != nil {
		return nil, err
	}
	if err := o.checkNode(state); err != nil {
		return nil, err
	}
	out := o.choose(ctx, state)
	if len(out.pods) == 0 && out.failed != nil {
		return nil, out.failed
	}
	var stopped error
	out.bindings, stopped = session.Bind(ctx, out.pods)
	if stopped == nil {
		stopped = o.explain(ctx, session, out)
	}
	out.failed = errors.Join(out.failed, stopped)
	if err := session.Look(context.WithoutCancel(ctx), out.pods, out.bindings); err != nil {
		out.warnings = append(out.warnings, err.Error())
	}
	for i, one := range out.bindings {
		if one.Result == report.ResultUnschedulable || one.Result == report.ResultFailed {
			session.TellFailure(out.pods[i], one.Reason)
		}
	}
	o.decorate(state, out)
	return out, nil
}

// checkNode finds out whether there is a node of the name of --node.
func (o *bindOptions) checkNode(state *cluster.State) error {
	if o.session.Node == "" || slices.ContainsFunc(state.Nodes, func(node *corev1.Node) bool {
		return node.Name == o.session.Node
	}) {
		return nil
	}
	return fmt.Errorf("--node: the cluster has no node %q", o.session.Node)
}

// choose finds the Pods that were asked for.
func (o *bindOptions) choose(ctx context.Context, state *cluster.State) *outcome {
	out := &outcome{}
	for _, target := range o.targets.named {
		object, err := o.targets.find(ctx, state, o.source, target)
		if err != nil {
			out.failed = errors.Join(out.failed, err)
			continue
		}
		pod := object.(*corev1.Pod)
		if o.asked(pod) && !slices.ContainsFunc(out.pods, func(other *corev1.Pod) bool { return other.UID == pod.UID }) {
			out.pods = append(out.pods, pod)
		}
	}
	for _, pod := range state.Pods {
		if o.targets.selecting && o.targets.selects(pod) && o.asked(pod) {
			out.pods = append(out.pods, pod)
		}
	}
	return out
}

// asked leaves out, when a plan is carried out, what it has no node for.
func (o *bindOptions) asked(pod *corev1.Pod) bool {
	return o.session.Nodes == nil || o.session.Nodes[pod.UID] != ""
}

// decorate adds what holds for the run as a whole.
func (o *bindOptions) decorate(state *cluster.State, out *outcome) {
	warner := engine.NewWarner(state)
	out.warnings = append(out.warnings, warner.AboutAll()...)
	if o.session.Config != nil {
		out.warnings = append(out.warnings, o.session.Config.Warnings...)
	}
	if o.targets.selecting {
		out.dropBeyondMax()
	}
	if o.dryRun == "" && o.session.Config != nil && o.session.Config.ExtendersBind() {
		out.warnings = append(out.warnings, "an extender of the configuration binds Pods itself: what it binds is neither "+
			"judged again nor tried again")
	}
	for i, one := range out.bindings {
		one.DryRun = o.dryRun
		one.Forced = o.session.Force && one.Result == report.ResultBound
		if one.Decision != nil {
			one.Warnings = append(append(one.Warnings, out.warnings...), warner.AboutPod(out.pods[i])...)
		}
	}
}

// dropBeyondMax leaves out the Pods that --max did not let in: they were selected, and nobody decided about them.
func (out *outcome) dropBeyondMax() {
	var pods []*corev1.Pod
	var bindings []*report.Binding
	for i, one := range out.bindings {
		if one.Result == report.ResultSkipped && one.Reason == run.BeyondMax {
			out.beyond++
			continue
		}
		pods, bindings = append(pods, out.pods[i]), append(bindings, one)
	}
	out.pods, out.bindings = pods, bindings
}

// complete adds to the outcome of a plan that was carried out what the plan had no node for, in the plan's order.
func (out *outcome) complete(planned *outcome) {
	done := map[types.UID]*report.Binding{}
	for i, pod := range out.pods {
		done[pod.UID] = out.bindings[i]
	}
	out.pods, out.bindings = planned.pods, planned.bindings
	for i, one := range planned.bindings {
		one.DryRun = ""
		switch carriedOut := done[planned.pods[i].UID]; {
		case carriedOut != nil:
			out.bindings[i] = carriedOut
		case one.Result == report.ResultBound:
			one.Result, one.NodeName, one.Reason = report.ResultGone, "", (&bind.GoneError{}).Error()
		}
	}
}

// print prints what became of the Pods and returns the command's result.
func (o *bindOptions) print(out *outcome, err error) error {
	if err != nil {
		return err
	}
	o.warn(out)
	if len(out.bindings) == 0 {
		fmt.Fprintf(o.env.ErrOut, "No pending Pod matches%s.\n", o.targets.where(o.source))
	}
	err = o.printer.Print(o.env.Out, out.bindings)
	o.summarize(out, err)
	if err != nil {
		return errors.Join(err, out.failed)
	}
	return out.verdict(o)
}

func (o *bindOptions) warn(out *outcome) {
	warn := newWarner(o.env.ErrOut)
	warn.tell(out.warnings...)
	for _, one := range out.bindings {
		warn.tell(one.Warnings...)
	}
}

// summarize says in a line what became of several Pods, and of one that could not be printed.
func (o *bindOptions) summarize(out *outcome, printing error) {
	if len(out.bindings) < 2 && out.beyond == 0 && printing == nil {
		return
	}
	summary := printers.Summary(out.bindings)
	if out.beyond > 0 {
		summary += fmt.Sprintf("; --max left %d more waiting", out.beyond)
	}
	fmt.Fprintln(o.env.ErrOut, summary)
}

// verdict turns the outcome into the command's result.
func (out *outcome) verdict(o *bindOptions) error {
	if out.failed != nil {
		return out.failed
	}
	for _, one := range out.bindings {
		switch {
		case one.Result == report.ResultBound:
		case one.Result == report.ResultBoundElsewhere && o.session.Node == "" && o.session.Nodes == nil:
		case one.Result == report.ResultSkipped && o.targets.selecting:
		default:
			return errNo
		}
	}
	return nil
}
