package reason

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// RejectionExplainer is implemented by plugins that are not in-tree and have facts to tell behind a rejection, beside
// its reasons. It takes none of our types, so that a plugin does not depend on us.
type RejectionExplainer interface {
	// ExplainRejection is called for each rejection that the plugin gave, with the status that it returned. node is nil
	// when the plugin rejected the Pod as a whole. Each map is one fact, its keys and values shown as they are; there may
	// be none. It must not change what it is given, and give equal answers to equal questions.
	ExplainRejection(ctx context.Context, pod *corev1.Pod, node fwk.NodeInfo, status *fwk.Status) []map[string]string
}

// outOfTree lets a plugin that is not in-tree explain itself; nil when it does not.
func outOfTree(q Question, name string) explain {
	plugin, ok := q.OutOfTree[name].(RejectionExplainer)
	if !ok {
		return nil
	}
	return func(ctx context.Context, r rejection) report.Details {
		details := report.Details{}
		for _, facts := range plugin.ExplainRejection(ctx, q.Pod, r.node, r.status) {
			if len(facts) > 0 {
				details = append(details, report.PluginFact{Facts: facts})
			}
		}
		return details
	}
}
