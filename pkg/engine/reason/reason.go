package reason

import (
	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// Explainer explains the rejections of one Pod. What depends on the Pod alone it works out once for all nodes.
type Explainer struct {
	pod      *corev1.Pod
	requests map[string]noderesources.InsufficientResource
}

// For returns the Explainer of a Pod.
func For(pod *corev1.Pod) *Explainer {
	return &Explainer{pod: pod, requests: requestsOf(pod)}
}

// rejection is one plugin's no on one node.
type rejection struct {
	*Explainer
	// node is the node as the plugin saw it, with the nominated Pods that it took into account.
	node fwk.NodeInfo
	// reasons are upstream's, in the order in which they are reported.
	reasons []string
}

// explainers is the table of the plugins that are explained.
var explainers = map[string]func(rejection) []report.Detail{
	names.TaintToleration:  taintToleration,
	names.NodeResourcesFit: nodeResourcesFit,
}

// Details returns the facts behind a plugin's rejection of a node, for these reasons of upstream's; none for a plugin
// that is not in the table.
func (e *Explainer) Details(plugin string, reasons []string, node fwk.NodeInfo) []report.Detail {
	if explain, ok := explainers[plugin]; ok {
		return explain(rejection{Explainer: e, node: node, reasons: reasons})
	}
	return []report.Detail{}
}
