package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

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

// maxPasses is how often Pods are taken up again because a look at the cluster afterwards finds a node for them.
const maxPasses = 3

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
	for i, one := range out.bindings {
		if one.Result == report.ResultUnschedulable || one.Result == report.ResultFailed {
			session.TellFailure(out.pods[i], one.Reason)
		}
	}
	if err := session.Look(context.WithoutCancel(ctx), out.bindings); err != nil {
		out.warnings = append(out.warnings, err.Error())
	}
	if stopped != nil {
		out.failed = errors.Join(out.failed, stopped)
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

// print prints what became of the Pods and returns the command's result.
func (o *bindOptions) print(out *outcome, err error) error {
	if err != nil {
		return err
	}
	warn := newWarner(o.env.ErrOut)
	warn.tell(out.warnings...)
	for _, one := range out.bindings {
		warn.tell(one.Warnings...)
	}
	if len(out.bindings) == 0 {
		fmt.Fprintf(o.env.ErrOut, "No pending Pod matches%s.\n", o.targets.where(o.source))
	}
	if err := o.printer.Print(o.env.Out, out.bindings); err != nil {
		return err
	}
	o.summarize(out)
	return out.verdict(o)
}

// summarize says in a line what became of several Pods.
func (o *bindOptions) summarize(out *outcome) {
	if len(out.bindings) < 2 && out.beyond == 0 {
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

// explain says of every Pod that no node takes why, as kubectl sched explain does. Those that fit by now, because the
// cluster has changed meanwhile, are bound after all.
func (o *bindOptions) explain(ctx context.Context, session *run.Session, out *outcome) error {
	for range maxPasses {
		fitting, err := o.explainOnce(ctx, session, out)
		if err != nil || len(fitting) == 0 {
			break
		}
		var pods []*corev1.Pod
		for _, i := range fitting {
			pods = append(pods, out.pods[i])
		}
		bindings, err := session.Bind(ctx, pods)
		for n, i := range fitting {
			out.bindings[i] = bindings[n]
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// explainOnce returns the indexes of the Pods that fit by now.
func (o *bindOptions) explainOnce(ctx context.Context, session *run.Session, out *outcome) ([]int, error) {
	left := map[*corev1.Pod]int{}
	var pods []*corev1.Pod
	for i, one := range out.bindings {
		// What a Pod group lacks is not said by a look at one of its Pods.
		if one.Result == report.ResultUnschedulable && out.pods[i].Spec.SchedulingGroup == nil {
			left[out.pods[i]] = i
			pods = append(pods, out.pods[i])
		}
	}
	if len(pods) == 0 {
		return nil, nil
	}
	state, err := session.State()
	if err != nil {
		return nil, err
	}
	e, err := engine.New(ctx, state, engine.Options{
		Config: o.session.Config, Profile: o.session.Profile, Plugins: o.session.Plugins,
	})
	if err != nil {
		return nil, blame(err, o.session.Config)
	}
	defer e.Close()
	var fitting []int
	for _, group := range engine.Group(pods) {
		answer, err := e.Explain(ctx, group[0])
		if err != nil {
			return nil, err
		}
		for _, pod := range group {
			i := left[pod]
			if o.tell(out.bindings[i], answer, o.onlyNode(pod)) {
				fitting = append(fitting, i)
			}
		}
	}
	return fitting, nil
}

// onlyNode names the node that a Pod may get; empty when it may get any.
func (o *bindOptions) onlyNode(pod *corev1.Pod) string {
	return cmp.Or(o.session.Node, o.session.Nodes[pod.UID])
}

// tell adds the answer to a binding, and tells whether the Pod fits by now.
func (o *bindOptions) tell(one *report.Binding, answer *report.Explanation, only string) bool {
	if only == "" && answer.Verdict != report.Unschedulable {
		// In a plan, volumes and devices that are assumed to be taken are not in what is explained.
		return answer.Verdict == report.Schedulable && o.dryRun == ""
	}
	if only == "" {
		one.Reason, one.Preemption = answer.Message, answer.Preemption
		return false
	}
	for i := range answer.Nodes {
		if node := &answer.Nodes[i]; node.Name == only && node.Verdict != report.Feasible {
			one.Reason = fmt.Sprintf("node %s does not take it: %s", only, strings.Join(reasonsOf(node, answer), "; "))
		}
	}
	return false
}

// reasonsOf are all reasons for which a node does not take a Pod.
func reasonsOf(node *report.Node, answer *report.Explanation) []string {
	var reasons []string
	rejections := node.Filters
	if node.Verdict == report.NotEvaluated {
		rejections = answer.PreFilter
	}
	for _, rejection := range rejections {
		reasons = append(reasons, rejection.Reasons...)
	}
	if len(reasons) == 0 {
		reasons = append(reasons, answer.Message)
	}
	return reasons
}
