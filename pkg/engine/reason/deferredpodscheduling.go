package reason

import (
	"context"
	"slices"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// deferredPodScheduling tells why no room is made on a node for a Pod that waits to grow
// (deferredpodscheduling.DeferredPodScheduling.Filter, v1.37.2).
func deferredPodScheduling(_ context.Context, q Question) explain {
	return func(_ context.Context, r rejection) report.Details {
		if r.node == nil {
			return nil // the plugin's PreFilter rejects no Pod
		}
		node := r.node.Node()
		if home := q.Pod.Spec.NodeName; home != "" && home != node.Name {
			return report.Details{report.ResizeElsewhere{NodeName: home}}
		}
		if policy := node.Spec.PodPreemptionPolicy; policy != nil && len(policy.DisableResizePreemption) > 0 {
			owners := slices.Sorted(slices.Values(policy.DisableResizePreemption))
			return report.Details{report.ResizePreemptionDisabled{Owners: owners}}
		}
		return nil
	}
}
