package upstream

import (
	"context"
	"strings"

	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// inVain tells that every node on which preemption may help was looked at, without finding a candidate or failing.
func (f *found) inVain() bool {
	if !f.tried || len(f.candidates) > 0 || ReadsPodGroups() {
		return false
	}
	for _, status := range f.passed {
		if status.Code() == fwk.Error {
			return false
		}
	}
	return f.obstacle != PreemptionFailed
}

// inVain returns the message of the PostFilter plugins after a search in vain. status is theirs for nodes that
// preemption cannot help; in it, what DefaultPreemption says of such nodes is replaced by what it says of the nodes as
// they are: the message of a FitError over the statuses of its dry run (preemption.Evaluator.evaluate, v1.37.2).
func (p *preemptor) inVain(ctx context.Context, c cycle, status *fwk.Status, f *found) string {
	unhelpful := p.postFilter(ctx, c, framework.NewDefaultNodeToStatus()).Message
	nodes := framework.NewNodeToStatus(f.passed, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, notHelpfulText))
	fit := framework.FitError{
		Pod: c.pod, NumAllNodes: len(f.others), Diagnosis: framework.Diagnosis{NodeToStatus: nodes},
	}
	reasons := append([]string{}, status.Reasons()...)
	for i, reason := range reasons {
		if reason == unhelpful {
			reasons[i] = "preemption: " + fit.Error()
		}
	}
	return strings.Join(reasons, ", ")
}
