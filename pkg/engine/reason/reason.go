package reason

import (
	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// Rejection is one plugin's no to one Pod on one node.
type Rejection struct {
	Pod *corev1.Pod
	// Node is the node as the plugin saw it, with the nominated Pods that it took into account.
	Node   fwk.NodeInfo
	Status *fwk.Status
	// Handle gives what plugins share.
	Handle fwk.Handle
}

// explainers is the table of the plugins that are explained.
var explainers = map[string]func(Rejection) []report.Detail{
	names.TaintToleration:  taintToleration,
	names.NodeResourcesFit: nodeResourcesFit,
}

// Details returns the facts behind a rejection; none for a plugin that is not in the table.
func Details(rejection Rejection) []report.Detail {
	if explain, ok := explainers[rejection.Status.Plugin()]; ok {
		return explain(rejection)
	}
	return []report.Detail{}
}
