package reason

import (
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// nodeAffinity names every requirement that the node does not meet; the plugin only says whether it is the Pod's or the
// profile's (nodeaffinity.NodeAffinity.Filter, v1.37.2).
func nodeAffinity(_ context.Context, q Question) explain {
	keys := slices.Sorted(maps.Keys(q.Pod.Spec.NodeSelector))
	added := readNodeSelector(report.SourceAddedAffinity, addedAffinity(q))
	own := readNodeSelector(report.SourceNodeAffinity, requiredNodeAffinity(q.Pod))
	return func(_ context.Context, r rejection) report.Details {
		if r.node == nil {
			return report.Details{nodesByName(q)}
		}
		node := r.node.Node()
		details := added.unmet(node)
		for _, key := range keys {
			if wanted := q.Pod.Spec.NodeSelector[key]; !hasLabel(node, key, wanted) {
				detail := report.UnmatchedNodeSelector{Source: report.SourceNodeSelector, Key: key,
					Operator: string(corev1.NodeSelectorOpIn), Values: []string{wanted}}
				details = append(details, withActual(detail, node))
			}
		}
		return append(details, own.unmet(node)...)
	}
}

func requiredNodeAffinity(pod *corev1.Pod) *corev1.NodeSelector {
	if affinity := pod.Spec.Affinity; affinity != nil && affinity.NodeAffinity != nil {
		return affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}

// addedAffinity is what the profile requires of the nodes of all its Pods.
func addedAffinity(q Question) *corev1.NodeSelector {
	args, ok := q.Args[names.NodeAffinity].(*config.NodeAffinityArgs)
	if !ok || args.AddedAffinity == nil {
		return nil
	}
	return args.AddedAffinity.RequiredDuringSchedulingIgnoredDuringExecution
}

// nodeSelector is a selector that can be asked as a whole and by single requirements.
type nodeSelector struct {
	whole *nodeaffinity.LazyErrorNodeSelector
	// requirements are those of all terms, an empty term being one that nothing meets.
	requirements []nodeRequirement
}

type nodeRequirement struct {
	// detail lacks what the node has.
	detail   report.UnmatchedNodeSelector
	selector *nodeaffinity.LazyErrorNodeSelector
}

func readNodeSelector(source string, selector *corev1.NodeSelector) nodeSelector {
	if selector == nil {
		return nodeSelector{}
	}
	out := nodeSelector{whole: nodeaffinity.NewLazyErrorNodeSelector(selector)}
	if len(selector.NodeSelectorTerms) == 0 {
		out.add(report.UnmatchedNodeSelector{Source: source, Empty: true}, corev1.NodeSelectorTerm{})
	}
	for i, term := range selector.NodeSelectorTerms {
		base := report.UnmatchedNodeSelector{Source: source, Term: &i, Terms: len(selector.NodeSelectorTerms)}
		if len(term.MatchExpressions)+len(term.MatchFields) == 0 {
			base.Empty = true
			out.add(base, term)
		}
		for _, expression := range term.MatchExpressions {
			out.add(withRequirement(base, expression),
				corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{expression}})
		}
		base.Field = true
		for _, field := range term.MatchFields {
			out.add(withRequirement(base, field),
				corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{field}})
		}
	}
	return out
}

func (s *nodeSelector) add(detail report.UnmatchedNodeSelector, alone corev1.NodeSelectorTerm) {
	selector := nodeaffinity.NewLazyErrorNodeSelector(&corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{alone}})
	s.requirements = append(s.requirements, nodeRequirement{detail: detail, selector: selector})
}

func withRequirement(detail report.UnmatchedNodeSelector, r corev1.NodeSelectorRequirement,
) report.UnmatchedNodeSelector {
	detail.Key, detail.Operator, detail.Values = r.Key, string(r.Operator), r.Values
	return detail
}

// unmet returns the requirements that the node does not meet; none when it meets all of one term.
func (s nodeSelector) unmet(node *corev1.Node) report.Details {
	if s.whole == nil {
		return nil
	}
	if match, _ := s.whole.Match(node); match {
		return nil
	}
	var details report.Details
	for _, r := range s.requirements {
		match, err := r.selector.Match(node)
		if match {
			continue
		}
		detail := r.detail
		detail.Invalid = err != nil
		if !detail.Empty {
			detail = withActual(detail, node)
		}
		details = append(details, detail)
	}
	return details
}

func hasLabel(node *corev1.Node, key, wanted string) bool {
	value, ok := node.Labels[key]
	return ok && value == wanted
}

// withActual adds what the node has. Its name is the only field that selectors know.
func withActual(detail report.UnmatchedNodeSelector, node *corev1.Node) report.UnmatchedNodeSelector {
	value, ok := node.Labels[detail.Key]
	if detail.Field {
		value, ok = node.Name, detail.Key == metav1.ObjectNameField
	}
	if ok {
		detail.Actual = &value
	}
	detail.Missing = !ok
	return detail
}
