package upstream

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// podInfos makes PodInfos and computes what a Pod requests once for all Pods of one template: adding a Pod to a
// NodeInfo costs about 20 µs, nearly all of it framework.PodInfo.CalculateResource.
type podInfos struct {
	templates map[template]*framework.PodInfo
}

// template is a cheap guess at which Pods share a template; sameRequests makes sure.
type template struct {
	namespace string
	owner     types.UID
	name      string
}

func newPodInfos() *podInfos {
	return &podInfos{templates: map[template]*framework.PodInfo{}}
}

// of returns the PodInfo of a Pod, with its resources computed.
func (p *podInfos) of(pod *corev1.Pod) *framework.PodInfo {
	key, ok := templateOf(pod)
	if !ok {
		return newPodInfo(pod)
	}
	if known := p.templates[key]; known != nil && sameRequests(known.Pod, pod) {
		shared := *known
		shared.Pod = pod
		return &shared
	}
	info := newPodInfo(pod)
	p.templates[key] = info
	return info
}

func newPodInfo(pod *corev1.Pod) *framework.PodInfo {
	// The error tells of affinity terms that do not parse. Upstream's cache ignores it too, since the API server does
	// not validate all of them: such a term matches nothing.
	info, _ := framework.NewPodInfo(pod)
	info.CalculateResource()
	return info
}

// templateOf finds the key of the Pod's template. Pods with affinity terms are left out, since the terms are part of
// the PodInfo; so are Pods in the middle of a resize and Pods whose devices bring node resources: few, and their
// requests depend on more of the status.
func templateOf(pod *corev1.Pod) (template, bool) {
	if len(pod.OwnerReferences) == 0 || len(pod.Spec.Containers) == 0 || pod.Spec.Affinity != nil {
		return template{}, false
	}
	if len(pod.Status.NodeAllocatableResourceClaimStatuses) > 0 || slices.ContainsFunc(pod.Status.Conditions, isResize) {
		return template{}, false
	}
	return template{pod.Namespace, pod.OwnerReferences[0].UID, pod.Spec.Containers[0].Name}, true
}

func isResize(condition corev1.PodCondition) bool {
	return condition.Type == corev1.PodResizePending || condition.Type == corev1.PodResizeInProgress
}

// sameRequests tells whether two Pods request the same, reading all that CalculateResource reads of a Pod for which
// templateOf gives a key (k8s.io/component-helpers/resource.PodRequests, v0.37.2).
func sameRequests(a, b *corev1.Pod) bool {
	return sameList(a.Spec.Overhead, b.Spec.Overhead) &&
		samePodLevel(a.Spec.Resources, b.Spec.Resources) &&
		samePodLevel(a.Status.Resources, b.Status.Resources) &&
		sameList(a.Status.AllocatedResources, b.Status.AllocatedResources) &&
		slices.EqualFunc(a.Spec.Containers, b.Spec.Containers, sameContainer) &&
		slices.EqualFunc(a.Spec.InitContainers, b.Spec.InitContainers, sameContainer) &&
		slices.EqualFunc(a.Status.ContainerStatuses, b.Status.ContainerStatuses, sameStatus) &&
		slices.EqualFunc(a.Status.InitContainerStatuses, b.Status.InitContainerStatuses, sameStatus)
}

func sameContainer(a, b corev1.Container) bool {
	return a.Name == b.Name && samePolicy(a.RestartPolicy, b.RestartPolicy) &&
		sameList(a.Resources.Requests, b.Resources.Requests)
}

func sameStatus(a, b corev1.ContainerStatus) bool {
	return a.Name == b.Name && samePodLevel(a.Resources, b.Resources) &&
		sameList(a.AllocatedResources, b.AllocatedResources)
}

func samePolicy(a, b *corev1.ContainerRestartPolicy) bool {
	return a == b || a != nil && b != nil && *a == *b
}

func samePodLevel(a, b *corev1.ResourceRequirements) bool {
	return a == b || a != nil && b != nil && sameList(a.Requests, b.Requests)
}

func sameList(a, b corev1.ResourceList) bool {
	if len(a) != len(b) {
		return false
	}
	for name, quantity := range a {
		other, ok := b[name]
		if !ok || quantity.Cmp(other) != 0 {
			return false
		}
	}
	return true
}
