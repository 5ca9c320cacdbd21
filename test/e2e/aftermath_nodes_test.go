//go:build e2e

package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	resourcehelper "k8s.io/component-helpers/resource"
)

// on returns the Pods of a node that have not finished.
func (a *aftermath) on(node string) []*corev1.Pod {
	var pods []*corev1.Pod
	for i, pod := range a.pods {
		if pod.Spec.NodeName == node && pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed {
			pods = append(pods, &a.pods[i])
		}
	}
	return pods
}

// overcommitted returns, by node, the resources that its Pods request more of than it has.
func (a *aftermath) overcommitted() map[string][]string {
	over := map[string][]string{}
	for name, node := range a.nodes {
		requested := corev1.ResourceList{}
		for _, pod := range a.on(name) {
			for kind, amount := range takes(pod) {
				sum := requested[kind]
				sum.Add(amount)
				requested[kind] = sum
			}
		}
		for kind, amount := range requested {
			if allocatable := node.Status.Allocatable[kind]; amount.Cmp(allocatable) > 0 {
				over[name] = append(over[name], string(kind))
			}
		}
	}
	return over
}

// takes is what a Pod takes of its node's allocatable resources. Devices that a claim has are not among them.
func takes(pod *corev1.Pod) corev1.ResourceList {
	list := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
	list[corev1.ResourcePods] = resource.MustParse("1")
	if status := pod.Status.ExtendedResourceClaimStatus; status != nil {
		for _, mapping := range status.RequestMappings {
			delete(list, corev1.ResourceName(mapping.ResourceName))
		}
	}
	return list
}

// broken complains about nodes with too many Pods, with one host port twice, or with Pods that do not want each other.
func (a *aftermath) broken() []string {
	var complaints []string
	for node, resources := range a.overcommitted() {
		complaints = append(complaints, fmt.Sprintf("node %s is overcommitted: %s", node, strings.Join(resources, ", ")))
	}
	for node := range a.nodes {
		complaints = append(complaints, a.portsTwice(node)...)
	}
	for i := range a.pods {
		complaints = append(complaints, a.unwanted(&a.pods[i])...)
	}
	slices.Sort(complaints)
	return complaints
}

func (a *aftermath) portsTwice(node string) []string {
	var complaints []string
	taken := map[string]string{}
	for _, pod := range a.on(node) {
		for _, port := range pod.Spec.Containers[0].Ports {
			if port.HostPort == 0 {
				continue
			}
			key := fmt.Sprintf("%s/%d", port.Protocol, port.HostPort)
			if other := taken[key]; other != "" {
				complaints = append(complaints, fmt.Sprintf("Pods %s and %s both have %s of node %s", other, pod.Name, key, node))
			}
			taken[key] = pod.Name
		}
	}
	return complaints
}

// unwanted complains about Pods in a topology domain with one that does not want them there. The tests' terms are all
// about the Pod's own namespace.
func (a *aftermath) unwanted(pod *corev1.Pod) []string {
	node := a.nodes[pod.Spec.NodeName]
	if node == nil || pod.Spec.Affinity == nil || pod.Spec.Affinity.PodAntiAffinity == nil {
		return nil
	}
	var complaints []string
	for _, term := range pod.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
		matches, err := metav1.LabelSelectorAsSelector(term.LabelSelector)
		if err != nil {
			panic(err) // unreachable: the API server has taken it
		}
		domain := node.Labels[term.TopologyKey]
		for _, name := range slices.Sorted(maps.Keys(a.nodes)) {
			if a.nodes[name].Labels[term.TopologyKey] != domain {
				continue
			}
			for _, other := range a.on(name) {
				if other.UID != pod.UID && other.Namespace == pod.Namespace && matches.Matches(labels.Set(other.Labels)) {
					complaints = append(complaints, fmt.Sprintf("Pod %s does not want Pod %s in %s %s",
						pod.Name, other.Name, term.TopologyKey, domain))
				}
			}
		}
	}
	return complaints
}
