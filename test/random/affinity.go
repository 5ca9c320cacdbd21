package random

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// selector matches some Pods by app or tier.
func (b *builder) selector() *metav1.LabelSelector {
	switch b.IntN(5) {
	case 0:
		return &metav1.LabelSelector{MatchLabels: map[string]string{"tier": one(b.source, tiers...)}}
	case 1:
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{
			Key:      "app",
			Operator: one(b.source, metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn),
			Values:   some(b.source, 2, apps...),
		}}}
	case 2:
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{
			Key:      "track",
			Operator: one(b.source, metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist),
		}}}
	}
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": one(b.source, apps...)}}
}

func (b *builder) topologyKey() string {
	return one(b.source, corev1.LabelHostname, corev1.LabelHostname, corev1.LabelTopologyZone, corev1.LabelTopologyZone,
		corev1.LabelTopologyRegion, "pool")
}

func (b *builder) podTerm() corev1.PodAffinityTerm {
	term := corev1.PodAffinityTerm{LabelSelector: b.selector(), TopologyKey: b.topologyKey()}
	switch b.IntN(6) {
	case 0:
		term.Namespaces = some(b.source, 2, namespaces...)
	case 1:
		term.NamespaceSelector = &metav1.LabelSelector{}
	case 2:
		term.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": one(b.source, "red", "blue")}}
	}
	return term
}

func (b *builder) weightedTerms() []corev1.WeightedPodAffinityTerm {
	var terms []corev1.WeightedPodAffinityTerm
	for range b.between(1, 2) {
		terms = append(terms, corev1.WeightedPodAffinityTerm{
			Weight:          int32(b.between(1, 100)),
			PodAffinityTerm: b.podTerm(),
		})
	}
	return terms
}

// podAffinity adds inter-Pod terms to the Pod, required ones in a part of the cases.
func (b *builder) podAffinity(pod *corev1.Pod, required int) {
	affinity := affinityOf(pod)
	if b.chance(50) {
		affinity.PodAffinity = &corev1.PodAffinity{}
		if b.chance(required) {
			affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution = []corev1.PodAffinityTerm{b.podTerm()}
		} else {
			affinity.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution = b.weightedTerms()
		}
		return
	}
	affinity.PodAntiAffinity = &corev1.PodAntiAffinity{}
	if b.chance(required) {
		affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution = []corev1.PodAffinityTerm{b.podTerm()}
	} else {
		affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution = b.weightedTerms()
	}
}

func affinityOf(pod *corev1.Pod) *corev1.Affinity {
	if pod.Spec.Affinity == nil {
		pod.Spec.Affinity = &corev1.Affinity{}
	}
	return pod.Spec.Affinity
}

// nodeAffinity adds terms about nodes to the Pod, of every operator.
func (b *builder) nodeAffinity(pod *corev1.Pod) {
	affinity := &corev1.NodeAffinity{}
	affinityOf(pod).NodeAffinity = affinity
	if b.chance(60) {
		selector := &corev1.NodeSelector{}
		for range b.between(1, 3) {
			selector.NodeSelectorTerms = append(selector.NodeSelectorTerms, b.nodeTerm())
		}
		affinity.RequiredDuringSchedulingIgnoredDuringExecution = selector
	}
	if b.chance(50) {
		affinity.PreferredDuringSchedulingIgnoredDuringExecution = []corev1.PreferredSchedulingTerm{
			{Weight: int32(b.between(1, 100)), Preference: b.nodeTerm()},
			{Weight: int32(b.between(1, 100)), Preference: b.nodeTerm()},
		}
	}
}

// nodeTerm asks for labels, now and then for names: those narrow the nodes before they are filtered.
func (b *builder) nodeTerm() corev1.NodeSelectorTerm {
	var term corev1.NodeSelectorTerm
	if b.chance(25) {
		node := one(b.source, b.state.Nodes...).Name
		if b.chance(10) {
			node = "node-gone"
		}
		term.MatchFields = []corev1.NodeSelectorRequirement{{
			Key:      metav1.ObjectNameField,
			Operator: one(b.source, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn),
			Values:   []string{node},
		}}
	}
	for range b.between(1, 2) {
		term.MatchExpressions = append(term.MatchExpressions, b.nodeRequirement())
	}
	if len(term.MatchFields) > 0 && b.chance(60) {
		term.MatchExpressions = nil
	}
	return term
}

func (b *builder) nodeRequirement() corev1.NodeSelectorRequirement {
	size := []string{strconv.Itoa(b.between(1, 8))}
	return one(b.source,
		corev1.NodeSelectorRequirement{
			Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: some(b.source, 2, zones...)},
		corev1.NodeSelectorRequirement{
			Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpNotIn, Values: some(b.source, 1, zones...)},
		corev1.NodeSelectorRequirement{Key: "disk", Operator: corev1.NodeSelectorOpIn, Values: []string{"ssd"}},
		corev1.NodeSelectorRequirement{Key: "pool", Operator: corev1.NodeSelectorOpExists},
		corev1.NodeSelectorRequirement{Key: "pool", Operator: corev1.NodeSelectorOpDoesNotExist},
		corev1.NodeSelectorRequirement{Key: "size", Operator: corev1.NodeSelectorOpGt, Values: size},
		corev1.NodeSelectorRequirement{Key: "size", Operator: corev1.NodeSelectorOpLt, Values: size},
	)
}
