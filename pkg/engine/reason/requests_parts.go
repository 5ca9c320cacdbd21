package reason

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelpers "k8s.io/component-helpers/resource"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// part is one share in what a Pod requests of a resource.
type part struct {
	kind     report.RequestKind
	name     string
	quantity resource.Quantity
}

// partsOf returns the parts that add up to what the Pod requests of a resource
// (component-helpers resource.PodRequests, v0.37.2, with the options of noderesources.computePodResourceRequest).
func partsOf(pod *corev1.Pod, name corev1.ResourceName) []report.RequestPart {
	parts := containerParts(pod, name)
	if own, ok := podLevelRequest(pod, name); ok {
		parts = []part{{kind: report.OfPod, quantity: own}}
	}
	parts = append(parts, part{kind: report.OfOverhead, quantity: pod.Spec.Overhead[name]})
	out := []report.RequestPart{}
	for _, p := range parts {
		if !p.quantity.IsZero() {
			out = append(out, report.RequestPart{Kind: p.kind, Name: p.name, Requested: exactAmount(name, p.quantity)})
		}
	}
	return out
}

// podLevelRequest is the request that counts in place of those of the containers, if the Pod has one.
func podLevelRequest(pod *corev1.Pod, name corev1.ResourceName) (resource.Quantity, bool) {
	if pod.Spec.Resources == nil || !fitOptions().EnablePodLevelResources ||
		!resourcehelpers.IsSupportedPodLevelResource(name) {
		return resource.Quantity{}, false
	}
	own, ok := pod.Spec.Resources.Requests[name]
	return own, ok
}

// containerParts finds out when the containers need most of a resource: while all containers and sidecars run, or
// while an init container runs beside the sidecars that started before it. Of equals it takes the first
// (component-helpers resource.AggregateContainerRequests, v0.37.2).
func containerParts(pod *corev1.Pod, name corev1.ResourceName) []part {
	var running, started []part
	for _, container := range pod.Spec.Containers {
		running = append(running, part{report.OfContainer, container.Name, container.Resources.Requests[name]})
	}
	var initializing [][]part
	for _, container := range pod.Spec.InitContainers {
		own := part{report.OfInitContainer, container.Name, container.Resources.Requests[name]}
		if policy := container.RestartPolicy; policy != nil && *policy == corev1.ContainerRestartPolicyAlways {
			own.kind = report.OfSidecar
			started, running = append(started, own), append(running, own)
			continue
		}
		initializing = append(initializing, append([]part{own}, started...))
	}
	most := running
	for _, parts := range initializing {
		if sum := sumOf(parts); sum.Cmp(sumOf(most)) > 0 {
			most = parts
		}
	}
	return most
}

func sumOf(parts []part) resource.Quantity {
	var sum resource.Quantity
	for _, p := range parts {
		sum.Add(p.quantity)
	}
	return sum
}

// exactAmount writes a quantity as amount does, unless that would round it.
func exactAmount(name corev1.ResourceName, quantity resource.Quantity) string {
	counted, exact := quantity.Value(), resource.NewQuantity(quantity.Value(), resource.DecimalSI)
	if name == corev1.ResourceCPU {
		counted, exact = quantity.MilliValue(), resource.NewMilliQuantity(quantity.MilliValue(), resource.DecimalSI)
	}
	if exact.Cmp(quantity) != 0 {
		return quantity.String()
	}
	return amount(name, counted)
}
