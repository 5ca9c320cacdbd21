package reason

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// nodesByName tells which nodes the Pod asks for by name. The plugin narrows the nodes to them, or rejects the Pod when
// every term asks for names that exclude each other (nodeaffinity.NodeAffinity.PreFilter, v1.37.2).
func nodesByName(q Question) report.NodesByName {
	left, mentioned := sets.New[string](), sets.New[string]()
	if selector := requiredNodeAffinity(q.Pod); selector != nil {
		for _, term := range selector.NodeSelectorTerms {
			left = left.Union(namesOf(term, mentioned))
		}
	}
	detail := report.NodesByName{Conflict: left.Len() == 0}
	if detail.Conflict {
		left = mentioned
	}
	infos := q.Handle.SnapshotSharedLister().NodeInfos()
	var absent []string
	for name := range left {
		if _, err := infos.Get(name); err != nil {
			absent = append(absent, name)
		}
	}
	slices.Sort(absent)
	detail.Names, detail.Count = firstOf(slices.Sorted(maps.Keys(left)))
	detail.Absent, detail.AbsentCount = firstOf(absent)
	return detail
}

// namesOf returns the names that all requirements of the term allow, and adds every name to mentioned.
func namesOf(term corev1.NodeSelectorTerm, mentioned sets.Set[string]) sets.Set[string] {
	var allowed sets.Set[string]
	for _, field := range term.MatchFields {
		if field.Key != metav1.ObjectNameField || field.Operator != corev1.NodeSelectorOpIn {
			continue
		}
		mentioned.Insert(field.Values...)
		if allowed == nil {
			allowed = sets.New(field.Values...)
		} else {
			allowed = allowed.Intersection(sets.New(field.Values...))
		}
	}
	return allowed
}
