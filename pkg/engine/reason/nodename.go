package reason

import (
	"context"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// nodeName tells which node the Pod names, and whether there is one of that name. The plugin says no to all others,
// or narrows the nodes to that one (nodename.NodeName, v1.37.2).
func nodeName(_ context.Context, q Question) explain {
	_, err := q.Handle.SnapshotSharedLister().NodeInfos().Get(q.Pod.Spec.NodeName)
	wrong := report.Details{report.WrongNode{Wanted: q.Pod.Spec.NodeName, Exists: err == nil}}
	return func(context.Context, rejection) report.Details { return wrong }
}
