package reason

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// failing returns the terms that do not hold on the node.
func (s *podRules) failing(node *corev1.Node) report.Details {
	details := s.unsatisfied(node)
	for _, rule := range s.anti {
		if detail, ok := rule.conflict(node); ok {
			details = append(details, detail)
		}
	}
	var repelling []report.PodAffinity
	for _, rule := range s.existing {
		if detail, ok := rule.conflict(node); ok {
			repelling = append(repelling, detail)
		}
	}
	slices.SortFunc(repelling, func(a, b report.PodAffinity) int {
		return cmp.Or(strings.Compare(a.TopologyKey, b.TopologyKey), slices.Compare(a.Pods, b.Pods),
			strings.Compare(a.LabelSelector, b.LabelSelector), slices.Compare(a.Namespaces, b.Namespaces))
	})
	for _, detail := range repelling {
		details = append(details, detail)
	}
	return details
}

// unsatisfied returns the terms of affinity that lack a Pod, or whose label the node lacks. The first Pod of a series
// needs no other, but every label.
func (s *podRules) unsatisfied(node *corev1.Node) report.Details {
	details := report.Details{}
	for _, rule := range s.affinity {
		detail := rule.detail
		if len(s.affinity) > 1 {
			detail.Terms = len(s.affinity)
		}
		detail.Elsewhere, detail.ElsewhereCount = firstOf(rule.elsewhere)
		detail.Domain, detail.Missing = labelOf(node, detail.TopologyKey)
		domain, _ := rule.domainOf(node)
		if detail.Missing || rule.domains[domain] == nil && !s.first {
			details = append(details, detail)
		}
	}
	return details
}

// conflict returns the Pods that a term of anti-affinity is about on the node, if there are any.
func (r *podRule) conflict(node *corev1.Node) (report.PodAffinity, bool) {
	domain, ok := r.domainOf(node)
	crowd := r.domains[domain]
	if !ok || crowd == nil {
		return report.PodAffinity{}, false
	}
	detail := r.detail
	detail.Domain, _ = labelOf(node, detail.TopologyKey)
	detail.Pods, detail.PodCount = crowd.names(), crowd.count
	return detail, true
}

func labelOf(node *corev1.Node, key string) (value string, missing bool) {
	value, ok := node.Labels[key]
	return value, !ok
}
