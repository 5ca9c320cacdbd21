package cmd

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/pkg/run"
)

// maxPasses is how often Pods are taken up again because a look at the cluster afterwards finds a node for them.
const maxPasses = 3

// explain says of every Pod that no node takes why, as kubectl sched explain does. Those that fit by now, because the
// cluster has changed meanwhile, are bound after all.
func (o *bindOptions) explain(ctx context.Context, session *run.Session, out *outcome) error {
	if o.session.Force {
		return nil // the Session has said why; an explanation would also name the filters that were skipped
	}
	for range maxPasses {
		fitting, err := o.explainOnce(ctx, session, out)
		if err != nil || len(fitting) == 0 {
			return err
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
	return context.Cause(ctx)
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
