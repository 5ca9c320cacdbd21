package reason

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// nodeUnschedulable tells that the node is cordoned. The plugin lets a Pod pass that tolerates the taint which the node
// controller gives a cordoned node, whether the node has it already or not
// (nodeunschedulable.NodeUnschedulable.Filter, v1.37.2).
func nodeUnschedulable(context.Context, Question) explain {
	cordoned := report.Details{report.CordonedNode{Toleration: tolerationOf(corev1.Taint{
		Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule,
	})}}
	return func(context.Context, rejection) report.Details { return cordoned }
}
