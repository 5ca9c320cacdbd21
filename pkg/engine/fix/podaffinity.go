package fix

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// podAffinity turns the Pod's required terms that do not hold into preferences, or moves the one Pod that is in the
// way.
func (p *planner) podAffinity(r report.Rejection, _ *corev1.Node) []change {
	var own []report.PodAffinity
	var pods []string
	onlyPods := true
	for _, detail := range r.Details {
		d, ok := detail.(report.PodAffinity)
		if !ok {
			return nil
		}
		if d.Rule != report.RuleExistingAntiAffinity {
			own = append(own, d)
		}
		onlyPods = onlyPods && d.PodCount == 1 && d.Rule != report.RuleAffinity
		pods = append(pods, d.Pods...)
	}
	var out []change
	if len(own) > 0 && len(own) == len(r.Details) {
		out = append(out, prefer(own))
	}
	slices.Sort(pods)
	if pods = slices.Compact(pods); onlyPods && len(pods) == 1 {
		if pod := podCalled(p.State.Pods, pods[0]); pod != nil && p.movable(pod) {
			out = append(out, move(pod))
		}
	}
	return out
}

// prefer makes preferences of the Pod's terms over these topologies.
func prefer(own []report.PodAffinity) change {
	var texts []string
	for _, d := range own {
		text := "Pod affinity over " + d.TopologyKey
		if d.Rule == report.RuleAntiAffinity {
			text = "Pod anti-affinity over " + d.TopologyKey
		}
		if !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	text := "prefer rather than require its " + list(texts)
	return change{
		key: "prefer " + text, text: text, effort: relaxAffinity,
		pod: func(pod *corev1.Pod) {
			for _, d := range own {
				soften(pod, d)
			}
		},
	}
}

func soften(pod *corev1.Pod, d report.PodAffinity) {
	affinity := pod.Spec.Affinity
	switch {
	case affinity == nil:
	case d.Rule == report.RuleAffinity && affinity.PodAffinity != nil:
		a := affinity.PodAffinity
		a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution = softened(
			a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution, d.TopologyKey)
	case d.Rule == report.RuleAntiAffinity && affinity.PodAntiAffinity != nil:
		a := affinity.PodAntiAffinity
		a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution = softened(
			a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution, d.TopologyKey)
	}
}

// softened moves the terms over a topology from the required to the preferred ones, with the highest weight.
func softened(required []corev1.PodAffinityTerm, preferred []corev1.WeightedPodAffinityTerm, topologyKey string) (
	[]corev1.PodAffinityTerm, []corev1.WeightedPodAffinityTerm,
) {
	var left []corev1.PodAffinityTerm
	for _, term := range required {
		if term.TopologyKey != topologyKey {
			left = append(left, term)
			continue
		}
		preferred = append(preferred, corev1.WeightedPodAffinityTerm{Weight: 100, PodAffinityTerm: term})
	}
	return left, preferred
}
