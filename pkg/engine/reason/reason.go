package reason

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// Question is what was judged, and where an explainer may look things up.
type Question struct {
	Pod *corev1.Pod
	// Handle is what kube-scheduler gives its plugins: the nodes with their Pods, and listers of all other objects.
	Handle fwk.Handle
	// Args are the arguments of the profile's plugins, by plugin, defaults applied.
	Args map[string]runtime.Object
	// OutOfTree are the profile's plugins that are not in-tree, by name. One that is a RejectionExplainer explains itself.
	OutOfTree map[string]fwk.Plugin
}

// rejection is one plugin's no.
type rejection struct {
	// node is the node as the plugin saw it, with the nominated Pods that it took into account; nil when the Pod was
	// rejected as a whole, in PreEnqueue or PreFilter, or PreFilter narrowed its nodes.
	node fwk.NodeInfo
	// reasons are upstream's, in the order in which they are reported.
	reasons []string
	code    fwk.Code
	status  *fwk.Status
}

// explain gives the facts behind one rejection; none when it knows none.
type explain func(context.Context, rejection) report.Details

// explainers is the table of the plugins that are explained, in the order of the default profile. A row works out once
// what depends on the Pod alone and returns what explains single rejections.
var explainers = []struct {
	plugin  string
	prepare func(context.Context, Question) explain
}{
	{names.SchedulingGates, schedulingGates},
	{names.GangScheduling, gangScheduling},
	{names.DeferredPodScheduling, deferredPodScheduling},
	{names.NodeName, nodeName},
	{names.NodeUnschedulable, nodeUnschedulable},
	{names.TaintToleration, taintToleration},
	{names.NodeAffinity, nodeAffinity},
	{names.NodePorts, nodePorts},
	{names.NodeResourcesFit, nodeResourcesFit},
	{names.VolumeRestrictions, volumeRestrictions},
	{names.NodeVolumeLimits, nodeVolumeLimits},
	{names.VolumeBinding, volumeBinding},
	{names.VolumeZone, volumeZone},
	{names.PodTopologySpread, podTopologySpread},
	{names.InterPodAffinity, interPodAffinity},
	{names.DynamicResources, dynamicResources},
	{names.NodeDeclaredFeatures, nodeDeclaredFeatures},
}

// Plugins returns the names of the plugins that are explained, in the order of the table.
func Plugins() []string {
	out := make([]string, 0, len(explainers))
	for _, row := range explainers {
		out = append(out, row.plugin)
	}
	return out
}

// Explainer explains the rejections of one Pod. It is not safe for concurrent use.
type Explainer struct {
	question Question
	prepared map[string]explain
	requests map[string]noderesources.InsufficientResource // of NodeResourcesFit, for InOrder
}

// For returns the Explainer of a Pod. The question's handle is read as long as the Explainer is used.
func For(question Question) *Explainer {
	return &Explainer{question: question, prepared: map[string]explain{}}
}

// Details returns the facts behind a rejection of a node, or of the Pod as a whole when node is nil, by a plugin or an
// extender; none where nothing is known. reasons are upstream's texts.
func (e *Explainer) Details(ctx context.Context, status *fwk.Status, reasons []string, node fwk.NodeInfo,
) report.Details {
	plugin := status.Plugin()
	explain, known := e.prepared[plugin]
	if !known {
		explain = e.prepare(ctx, plugin)
		e.prepared[plugin] = explain
	}
	if explain == nil {
		return report.Details{}
	}
	details := explain(ctx, rejection{node: node, reasons: reasons, code: status.Code(), status: status})
	if details == nil {
		return report.Details{}
	}
	return details
}

func (e *Explainer) prepare(ctx context.Context, plugin string) explain {
	for _, row := range explainers {
		if row.plugin == plugin {
			return row.prepare(ctx, e.question)
		}
	}
	if explain := extenderRefusal(e.question, plugin); explain != nil {
		return explain
	}
	return outOfTree(e.question, plugin)
}
