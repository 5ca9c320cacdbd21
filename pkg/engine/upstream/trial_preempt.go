package upstream

import (
	"context"

	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/kubectl-sched/kubectl-sched/pkg/whatif"
)

// Preempts returns what kube-scheduler would do for a subject that fits nowhere: nil when it fits, is rejected as a
// whole, or the profile does not preempt.
func (t *Trial) Preempts(ctx context.Context, subject Subject) (answer *Preemption, err error) {
	err = t.with(ctx, subject, whatif.Edit{}, func(ctx context.Context) error {
		c := newCycle(t.scheduler.sched.Profiles[t.profile], subject.Pod)
		judged, err := t.filter(ctx, c)
		if err != nil || len(judged) == 0 {
			return err
		}
		statuses := framework.NewDefaultNodeToStatus()
		for _, node := range judged {
			if node.Feasible() {
				return nil
			}
			statuses.Set(node.Info.Node().Name, node.Rejections[0])
		}
		answer, err = t.scheduler.preempt(ctx, c, &framework.FitError{
			Pod: subject.Pod, NumAllNodes: len(judged), Diagnosis: framework.Diagnosis{NodeToStatus: statuses},
		})
		return err
	})
	return answer, err
}
