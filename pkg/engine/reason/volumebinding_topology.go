package reason

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// topologyIndex holds things by a node label that they ask for, so that a node is held against few of many. Local
// volumes and their capacity come in one piece per node.
type topologyIndex[T any] struct {
	byLabel map[string]map[string][]T // by key and value
	rest    []T
}

// add files a thing that only nodes with one of these values can use; an empty key files it for all nodes.
func (a *topologyIndex[T]) add(thing T, key string, values []string) {
	if key == "" {
		a.rest = append(a.rest, thing)
		return
	}
	if a.byLabel == nil {
		a.byLabel = map[string]map[string][]T{}
	}
	if a.byLabel[key] == nil {
		a.byLabel[key] = map[string][]T{}
	}
	for _, value := range values {
		a.byLabel[key][value] = append(a.byLabel[key][value], thing)
	}
}

// near returns what may be of use on the node: all that is, and some that is not.
func (a *topologyIndex[T]) near(node *corev1.Node) []T {
	out := slices.Clone(a.rest)
	for _, key := range slices.Sorted(maps.Keys(a.byLabel)) {
		if value, found := node.Labels[key]; found {
			out = append(out, a.byLabel[key][value]...)
		}
	}
	return out
}

// topologyOf finds a label that every node that a volume's affinity covers has, with one of the values; none when there
// is no simple one.
func topologyOf(affinity *corev1.VolumeNodeAffinity) (key string, values []string) {
	if affinity == nil || affinity.Required == nil || len(affinity.Required.NodeSelectorTerms) != 1 {
		return "", nil
	}
	for _, expression := range affinity.Required.NodeSelectorTerms[0].MatchExpressions {
		if expression.Operator == corev1.NodeSelectorOpIn {
			return expression.Key, slices.Compact(slices.Sorted(slices.Values(expression.Values)))
		}
	}
	return "", nil
}
