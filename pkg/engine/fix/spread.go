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
	out := []change{relax(broken, relaxSpread+0.5, preferred, func(_ report.TopologySpread,
		constraint *corev1.TopologySpreadConstraint,
	) {
		constraint.WhenUnsatisfiable = corev1.ScheduleAnyway
	})}
	if !slices.ContainsFunc(broken, func(d report.TopologySpread) bool { return len(d.Honor) == 0 }) {
		out = append(out, relax(broken, relaxSpread-0.5, honored, honor))
	}
	if !slices.ContainsFunc(broken, func(d report.TopologySpread) bool { return d.Missing }) {
		size := relaxSpread + effort(broken[0].Skew-broken[0].MaxSkew)/100
		out = append(out, relax(broken, size, skewed, func(d report.TopologySpread, c *corev1.TopologySpreadConstraint) {
			c.MaxSkew = max(c.MaxSkew, int32(d.Skew))
		}))
	}
	return out
}

func preferred(d report.TopologySpread) string {
	return "prefer rather than require the spread over " + d.TopologyKey
}

func honored(d report.TopologySpread) string {
	return "set " + strings.Join(d.Honor, " and ") + ": Honor in the spread over " + d.TopologyKey
}

func skewed(d report.TopologySpread) string {
	return fmt.Sprintf("set maxSkew: %d in the spread over %s", d.Skew, d.TopologyKey)
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

// relax edits each of the constraints that are broken. Of those over one topology it edits all alike.
func relax(broken []report.TopologySpread, size effort, text func(report.TopologySpread) string,
	edit func(report.TopologySpread, *corev1.TopologySpreadConstraint),
) change {
	var texts []string
	for _, d := range broken {
		if part := text(d); !slices.Contains(texts, part) {
			texts = append(texts, part)
		}
	}
	all := strings.Join(texts, " and ")
	return change{
		key: "spread " + all, text: all, effort: size,
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
