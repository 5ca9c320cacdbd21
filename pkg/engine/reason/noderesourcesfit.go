package reason

import (
	"cmp"
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	fwk "k8s.io/kube-scheduler/framework"
	corev1helpers "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	plfeature "k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// fitOptions are those with which the plugin runs: NodeResourcesFit's PreFilter and Filter (v1.37.2) leave out what DRA
// claims take of a node's own resources.
func fitOptions() noderesources.ResourceRequestsOptions {
	gates := plfeature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
	return noderesources.ResourceRequestsOptions{
		EnablePodLevelResources:                            gates.EnablePodLevelResources,
		EnableDRAExtendedResource:                          gates.EnableDRAExtendedResource,
		EnableDRANodeAllocatableResources:                  false,
		EnableInPlacePodVerticalScalingSchedulerPreemption: false, // no node has the Pod
	}
}

// requestsOf returns what the plugin finds that the Pod requests, by the reason it gives when that does not suffice: a
// node that has nothing lacks all of it (noderesources.Fits, v1.37.2).
func requestsOf(pod *corev1.Pod) map[string]noderesources.InsufficientResource {
	nothing := framework.NewNodeInfo()
	nothing.SetNode(&corev1.Node{})
	requests := map[string]noderesources.InsufficientResource{}
	for _, lack := range noderesources.Fits(pod, nothing, nil, fitOptions()) {
		requests[lack.Reason] = lack
	}
	return requests
}

// InOrder returns a plugin's reasons in a fixed order. It is upstream's own but for extended resources, which
// NodeResourcesFit names in the order of a map: those come last, by name.
func (e *Explainer) InOrder(plugin string, reasons []string) []string {
	if plugin != names.NodeResourcesFit || len(reasons) < 2 {
		return reasons
	}
	if e.requests == nil {
		e.requests = requestsOf(e.question.Pod)
	}
	return slices.SortedStableFunc(slices.Values(reasons), func(a, b string) int {
		nameA, nameB := e.requests[a].ResourceName, e.requests[b].ResourceName
		return cmp.Or(cmp.Compare(rank(nameA), rank(nameB)), strings.Compare(string(nameA), string(nameB)))
	})
}

// inOrder are the resources that NodeResourcesFit looks at first, in its order.
var inOrder = []corev1.ResourceName{
	corev1.ResourcePods, corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage,
}

func rank(name corev1.ResourceName) int {
	if i := slices.Index(inOrder, name); i >= 0 {
		return i
	}
	return len(inOrder)
}

// nodeResourcesFit gives the numbers behind each resource that the plugin found not to suffice.
func nodeResourcesFit(_ context.Context, q Question) explain {
	requests := requestsOf(q.Pod)
	return func(_ context.Context, r rejection) report.Details {
		details := report.Details{}
		for _, reason := range r.reasons {
			if request, ok := requests[reason]; ok {
				details = append(details, insufficient(request, r.node))
			}
		}
		return details
	}
}

func insufficient(request noderesources.InsufficientResource, node fwk.NodeInfo) report.InsufficientResource {
	name := request.ResourceName
	used, allocatable := accounted(node, name)
	return report.InsufficientResource{
		Resource:    string(name),
		Requested:   amount(name, request.Requested),
		Used:        amount(name, used),
		Allocatable: amount(name, allocatable),
		Missing:     amount(name, request.Requested-(allocatable-used)),
	}
}

// accounted returns what the node's Pods use of a resource and what the node has, in the unit in which the scheduler
// counts it: milli-CPUs, bytes, pieces.
func accounted(node fwk.NodeInfo, name corev1.ResourceName) (used, allocatable int64) {
	if name == corev1.ResourcePods {
		return int64(len(node.GetPods())), int64(node.GetAllocatable().GetAllowedPodNumber())
	}
	return amountOf(node.GetRequested(), name), amountOf(node.GetAllocatable(), name)
}

func amountOf(resources fwk.Resource, name corev1.ResourceName) int64 {
	switch name {
	case corev1.ResourceCPU:
		return resources.GetMilliCPU()
	case corev1.ResourceMemory:
		return resources.GetMemory()
	case corev1.ResourceEphemeralStorage:
		return resources.GetEphemeralStorage()
	}
	return resources.GetScalarResources()[name]
}

// amount writes a quantity that is in the scheduler's unit.
func amount(name corev1.ResourceName, value int64) string {
	switch {
	case name == corev1.ResourceCPU:
		return resource.NewMilliQuantity(value, resource.DecimalSI).String()
	case name == corev1.ResourceMemory, name == corev1.ResourceEphemeralStorage,
		corev1helpers.IsHugePageResourceName(name):
		return resource.NewQuantity(value, resource.BinarySI).String()
	}
	return resource.NewQuantity(value, resource.DecimalSI).String()
}
