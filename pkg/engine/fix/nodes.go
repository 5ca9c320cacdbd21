package fix

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// maxShapes is how many kinds of nodes are thought of adding.
const maxShapes = 5

// moreNodes adds a node like one that is there: one for each kind of node.
func (p *planner) moreNodes() []change {
	var out []change
	seen := map[string]bool{}
	for _, node := range p.State.Nodes {
		added := like(node)
		shape := shapeOf(added)
		if seen[shape] {
			continue
		}
		seen[shape] = true
		out = append(out, change{
			key: "add " + node.Name, text: "add one more node like " + node.Name, effort: addNode,
			kind: "Node", name: added.Name, newNode: added,
		})
		if len(out) == maxShapes {
			break
		}
	}
	return out
}

// like returns a new node with the same labels, taints and resources, in good health and empty.
func like(node *corev1.Node) *corev1.Node {
	added := &corev1.Node{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Node"},
		ObjectMeta: metav1.ObjectMeta{Name: "new-" + node.Name, Labels: maps.Clone(node.Labels)},
	}
	if added.Labels[corev1.LabelHostname] != "" {
		added.Labels[corev1.LabelHostname] = added.Name
	}
	for _, taint := range node.Spec.Taints {
		if !isCondition(taint.Key) {
			added.Spec.Taints = append(added.Spec.Taints, taint)
		}
	}
	node = node.DeepCopy()
	added.Status.Capacity, added.Status.Allocatable = node.Status.Capacity, node.Status.Allocatable
	added.Status.NodeInfo, added.Status.DeclaredFeatures = node.Status.NodeInfo, node.Status.DeclaredFeatures
	return added
}

// shapeOf is the same for nodes that differ in their names only.
func shapeOf(node *corev1.Node) string {
	var shape strings.Builder
	for _, key := range slices.Sorted(maps.Keys(node.Labels)) {
		if key != corev1.LabelHostname {
			fmt.Fprintf(&shape, "%s=%s ", key, node.Labels[key])
		}
	}
	for _, taint := range node.Spec.Taints {
		shape.WriteString(taint.ToString() + " ")
	}
	for _, name := range sortedNames(node.Status.Allocatable) {
		quantity := node.Status.Allocatable[name]
		fmt.Fprintf(&shape, "%s=%s ", name, quantity.String())
	}
	return shape.String()
}
