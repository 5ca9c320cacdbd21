package fix

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// gates removes the Pod's scheduling gates, which is for whoever put them there to decide.
func (p *planner) gates(report.Rejection, *corev1.Node) []change {
	var names []string
	for _, gate := range p.Pod.Spec.SchedulingGates {
		names = append(names, gate.Name)
	}
	return []change{{
		key: "gates", text: "remove the " + plural(len(names), "gate ", "gates ") + list(names),
		effort: removeGates,
		pod:    func(pod *corev1.Pod) { pod.Spec.SchedulingGates = nil },
	}}
}
