package fix

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	resourcehelper "k8s.io/component-helpers/resource"
)

// maxShapes is how many kinds of nodes are thought of adding.
const maxShapes = 5

// moreNodes adds a healthy node like one that is there: one for each kind of node.
func (p *planner) moreNodes() []change {
	var out []change
	seen, naming := map[string]bool{}, namingLabels(p.State.Nodes)
	for _, node := range p.State.Nodes {
		shape := shapeOf(node, naming)
		if seen[shape] || len(out) == maxShapes {
			continue
		}
		seen[shape] = true
		if added := p.like(node); len(added.Name) <= validation.DNS1123SubdomainMaxLength {
			out = append(out, change{
				key: "add " + node.Name, text: "add one more node like " + node.Name, effort: addNode,
				kind: "Node", name: added.Name, newNode: added, csiNode: p.csiNodeLike(node.Name, added.Name),
			})
		}
	}
	return out
}

// like returns a new node with the same labels, taints and resources, in good health and empty but for what runs on
// every such node. Labels that name the node name the new one.
func (p *planner) like(node *corev1.Node) *corev1.Node {
	name := "new-" + node.Name
	for nodeNamed(p.State, name) != nil {
		name = "new-" + name
	}
	added := &corev1.Node{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: maps.Clone(node.Labels)},
		Spec:       corev1.NodeSpec{Taints: purposes(node)},
		Status: corev1.NodeStatus{
			Capacity:         node.Status.Capacity.DeepCopy(),
			Allocatable:      p.leftByDaemons(node),
			NodeInfo:         *node.Status.NodeInfo.DeepCopy(),
			DeclaredFeatures: slices.Clone(node.Status.DeclaredFeatures),
		},
	}
	for key, value := range added.Labels {
		if value == node.Name || key == corev1.LabelHostname {
			added.Labels[key] = name
		}
	}
	return added
}

// leftByDaemons is what is left of a node's resources by the Pods that each such node has: those of DaemonSets and
// those of the node itself.
func (p *planner) leftByDaemons(node *corev1.Node) corev1.ResourceList {
	left := node.Status.Allocatable.DeepCopy()
	for _, pod := range p.PodsOn(node.Name) {
		owner := metav1.GetControllerOf(pod)
		if owner == nil || owner.Kind != "DaemonSet" && owner.Kind != "Node" {
			continue
		}
		used := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})
		used[corev1.ResourcePods] = resource.MustParse("1")
		for name, amount := range used {
			if has, ok := left[name]; ok {
				has.Sub(amount)
				left[name] = has
			}
		}
	}
	return left
}

// csiNodeLike says of the new node what is known of the drivers of the one that it is like; nil when nothing is.
func (p *planner) csiNodeLike(node, name string) *storagev1.CSINode {
	known := find(p.State.CSINodes, "", node)
	if known == nil {
		return nil
	}
	return &storagev1.CSINode{
		TypeMeta:   metav1.TypeMeta{APIVersion: "storage.k8s.io/v1", Kind: "CSINode"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: maps.Clone(known.Annotations)},
		Spec:       *known.Spec.DeepCopy(),
	}
}

// purposes are the taints that say what a node is kept for.
func purposes(node *corev1.Node) []corev1.Taint {
	var taints []corev1.Taint
	for _, taint := range node.Spec.Taints {
		if !isCondition(taint.Key) {
			taints = append(taints, taint)
		}
	}
	return taints
}

// namingLabels are the labels that name nodes rather than describe them: no two nodes have the same value. Of a handful
// of nodes that is not known.
func namingLabels(nodes []*corev1.Node) map[string]bool {
	const handful = 4
	names, seen, counts := map[string]bool{corev1.LabelHostname: true}, map[[2]string]bool{}, map[string]int{}
	repeated := map[string]bool{}
	for _, node := range nodes {
		for key, value := range node.Labels {
			repeated[key] = repeated[key] || seen[[2]string{key, value}]
			seen[[2]string{key, value}] = true
			counts[key]++
		}
	}
	for key, count := range counts {
		if count >= handful && !repeated[key] {
			names[key] = true
		}
	}
	return names
}

// shapeOf is the same for nodes that differ in their names only.
func shapeOf(node *corev1.Node, names map[string]bool) string {
	var shape strings.Builder
	for _, key := range slices.Sorted(maps.Keys(node.Labels)) {
		if !names[key] {
			fmt.Fprintf(&shape, "%s=%s ", key, node.Labels[key])
		}
	}
	for _, taint := range purposes(node) {
		shape.WriteString(taint.ToString() + " ")
	}
	for _, name := range sortedNames(node.Status.Allocatable) {
		quantity := node.Status.Allocatable[name]
		fmt.Fprintf(&shape, "%s=%s ", name, quantity.String())
	}
	return shape.String()
}
