//go:build e2e

package e2e

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func selector(pairs ...string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: pairsOf(pairs...)}
}

// affinityOf returns the Pod's affinity with no part of it nil.
func affinityOf(p *corev1.Pod) *corev1.Affinity {
	if p.Spec.Affinity == nil {
		p.Spec.Affinity = &corev1.Affinity{
			NodeAffinity: &corev1.NodeAffinity{}, PodAffinity: &corev1.PodAffinity{}, PodAntiAffinity: &corev1.PodAntiAffinity{},
		}
	}
	return p.Spec.Affinity
}

// affinity wants a Pod with the labels in the same topology domain.
func affinity(topologyKey string, labels ...string) podEdit {
	return affinityTerm(corev1.PodAffinityTerm{TopologyKey: topologyKey, LabelSelector: selector(labels...)})
}

func affinityTerm(term corev1.PodAffinityTerm) podEdit {
	return func(p *corev1.Pod) {
		a := affinityOf(p).PodAffinity
		a.RequiredDuringSchedulingIgnoredDuringExecution = append(a.RequiredDuringSchedulingIgnoredDuringExecution, term)
	}
}

// antiAffinity wants no Pod with the labels in the same topology domain.
func antiAffinity(topologyKey string, labels ...string) podEdit {
	return antiAffinityTerm(corev1.PodAffinityTerm{TopologyKey: topologyKey, LabelSelector: selector(labels...)})
}

func antiAffinityTerm(term corev1.PodAffinityTerm) podEdit {
	return func(p *corev1.Pod) {
		a := affinityOf(p).PodAntiAffinity
		a.RequiredDuringSchedulingIgnoredDuringExecution = append(a.RequiredDuringSchedulingIgnoredDuringExecution, term)
	}
}

// prefersPods likes topology domains with Pods of the labels; a negative weight means to dislike them.
func prefersPods(weight int32, topologyKey string, labels ...string) podEdit {
	term := corev1.PodAffinityTerm{TopologyKey: topologyKey, LabelSelector: selector(labels...)}
	return func(p *corev1.Pod) {
		a := affinityOf(p)
		if weight < 0 {
			a.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution = append(
				a.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution,
				corev1.WeightedPodAffinityTerm{Weight: -weight, PodAffinityTerm: term})
			return
		}
		a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution = append(
			a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution,
			corev1.WeightedPodAffinityTerm{Weight: weight, PodAffinityTerm: term})
	}
}

// nodeTerms requires one of the terms; each term is the expressions that must hold together.
func nodeTerms(terms ...[]corev1.NodeSelectorRequirement) podEdit {
	return func(p *corev1.Pod) {
		affinityOf(p).NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = nodeSelectorOf(terms...)
	}
}

func nodeSelectorOf(terms ...[]corev1.NodeSelectorRequirement) *corev1.NodeSelector {
	s := &corev1.NodeSelector{}
	for _, expressions := range terms {
		s.NodeSelectorTerms = append(s.NodeSelectorTerms, corev1.NodeSelectorTerm{MatchExpressions: expressions})
	}
	return s
}

func term(expressions ...corev1.NodeSelectorRequirement) []corev1.NodeSelectorRequirement {
	return expressions
}

func expr(key string, operator corev1.NodeSelectorOperator, values ...string) corev1.NodeSelectorRequirement {
	return corev1.NodeSelectorRequirement{Key: key, Operator: operator, Values: values}
}

// pinned requires the node of that name, as the DaemonSet controller does.
func pinned(nodeName string) podEdit {
	return func(p *corev1.Pod) {
		affinityOf(p).NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchFields: term(expr(metav1.ObjectNameField, corev1.NodeSelectorOpIn, nodeName)),
			}},
		}
	}
}

func prefersNodes(weight int32, expression corev1.NodeSelectorRequirement) podEdit {
	return func(p *corev1.Pod) {
		a := affinityOf(p).NodeAffinity
		a.PreferredDuringSchedulingIgnoredDuringExecution = append(a.PreferredDuringSchedulingIgnoredDuringExecution,
			corev1.PreferredSchedulingTerm{
				Weight:     weight,
				Preference: corev1.NodeSelectorTerm{MatchExpressions: term(expression)},
			})
	}
}

type spreadEdit func(*corev1.TopologySpreadConstraint)

// spread keeps the difference between topology domains at one Pod at most.
func spread(topologyKey string, labels *metav1.LabelSelector, edits ...spreadEdit) podEdit {
	constraint := corev1.TopologySpreadConstraint{
		MaxSkew: 1, TopologyKey: topologyKey, WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: labels,
	}
	for _, edit := range edits {
		edit(&constraint)
	}
	return func(p *corev1.Pod) {
		p.Spec.TopologySpreadConstraints = append(p.Spec.TopologySpreadConstraints, constraint)
	}
}

func anyway(c *corev1.TopologySpreadConstraint) { c.WhenUnsatisfiable = corev1.ScheduleAnyway }

func honorTaints(c *corev1.TopologySpreadConstraint) {
	honor := corev1.NodeInclusionPolicyHonor
	c.NodeTaintsPolicy = &honor
}

func minDomains(n int32) spreadEdit {
	return func(c *corev1.TopologySpreadConstraint) { c.MinDomains = &n }
}
