package fix

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// spread relaxes the Pod's own topology spread constraints that the node would break.
func (p *planner) spread(r report.Rejection, _ *corev1.Node) []change {
	var broken []report.TopologySpread
	for _, detail := range r.Details {
		d, ok := detail.(report.TopologySpread)
		if !ok || d.Defaulted {
			return nil
		}
		broken = append(broken, d)
	}
	if len(broken) == 0 {
		return nil
	}
	out := []change{spreadChange(broken, relaxSpread+0.5, "prefer rather than require the spread over ",
		func(_ report.TopologySpread, constraint *corev1.TopologySpreadConstraint) {
			constraint.WhenUnsatisfiable = corev1.ScheduleAnyway
		})}
	if !slices.ContainsFunc(broken, func(d report.TopologySpread) bool { return len(d.Honor) == 0 }) {
		out = append(out, spreadChange(broken, relaxSpread-0.5, "set "+strings.Join(broken[0].Honor, " and ")+
			": Honor in the spread over ", honor))
	}
	if !slices.ContainsFunc(broken, func(d report.TopologySpread) bool { return d.Missing }) {
		out = append(out, spreadChange(broken, relaxSpread+effort(broken[0].Skew-broken[0].MaxSkew)/100,
			fmt.Sprintf("set maxSkew: %d in the spread over ", broken[0].Skew),
			func(d report.TopologySpread, constraint *corev1.TopologySpreadConstraint) {
				constraint.MaxSkew = max(constraint.MaxSkew, int32(d.Skew))
			}))
	}
	return out
}

func honor(d report.TopologySpread, constraint *corev1.TopologySpreadConstraint) {
	policy := corev1.NodeInclusionPolicyHonor
	if slices.Contains(d.Honor, "nodeTaintsPolicy") {
		constraint.NodeTaintsPolicy = &policy
	}
	if slices.Contains(d.Honor, "nodeAffinityPolicy") {
		constraint.NodeAffinityPolicy = &policy
	}
}

func spreadChange(broken []report.TopologySpread, size effort, text string,
	edit func(report.TopologySpread, *corev1.TopologySpreadConstraint),
) change {
	keys := make([]string, 0, len(broken))
	for _, d := range broken {
		if !slices.Contains(keys, d.TopologyKey) {
			keys = append(keys, d.TopologyKey)
		}
	}
	text += strings.Join(keys, " and ")
	return change{
		key: "spread " + text, text: text, effort: size,
		pod: func(pod *corev1.Pod) {
			for _, d := range broken {
				for i := range pod.Spec.TopologySpreadConstraints {
					constraint := &pod.Spec.TopologySpreadConstraints[i]
					if constraint.TopologyKey == d.TopologyKey && constraint.WhenUnsatisfiable == corev1.DoNotSchedule {
						edit(d, constraint)
					}
				}
			}
		},
	}
}
