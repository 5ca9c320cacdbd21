package upstream

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-sched/kubectl-sched/pkg/whatif"
)

// preemptible is on how many nodes Preempts looks for victims at most: it asks whether there is room to be made, and
// where the first would be, and a cluster in which hundreds of nodes cannot make any has none to speak of.
const preemptible = 200

// Preempts returns the first node by name on which the subject would fit if Pods of lower priority were evicted there,
// and those Pods; no node when there is none among the first that preemption may help on, or the profile does not
// preempt.
func (t *Trial) Preempts(ctx context.Context, subject Subject) (node string, victims []*corev1.Pod, err error) {
	preemptor := t.scheduler.preemptors[t.profile]
	if preemptor == nil {
		return "", nil, nil
	}
	err = t.with(ctx, subject, whatif.Edit{}, func(ctx context.Context) error {
		c := newCycle(t.scheduler.sched.Profiles[t.profile], subject.Pod)
		judged, err := t.filter(ctx, c)
		if err != nil {
			return err
		}
		node, victims, err = preemptor.first(ctx, c, judged)
		return err
	})
	return node, victims, err
}

// first tries one node after the other, so that the answer does not depend on which is done first.
func (p *preemptor) first(ctx context.Context, c cycle, judged []*NodeJudgment) (string, []*corev1.Pod, error) {
	budgets, err := p.budgets()
	if err != nil {
		return "", nil, err
	}
	tried := 0
	for _, node := range judged {
		if node.Feasible() || node.Rejections[0].Code() != fwk.Unschedulable {
			continue
		}
		tried++
		if tried > preemptible {
			break
		}
		only := []fwk.NodeInfo{node.Info}
		candidates, _, err := p.plugin.Evaluator.DryRunPreemption(ctx, c.state, c.pod, only, budgets, 0, 1)
		if err != nil {
			return "", nil, err
		}
		if len(candidates) > 0 {
			return candidates[0].Name(), candidates[0].Victims().Pods, nil
		}
	}
	return "", nil, ctx.Err()
}
