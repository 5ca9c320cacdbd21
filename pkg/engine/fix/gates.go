package fix

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// gates removes the Pod's scheduling gates, which is for whoever put them there to decide.
func (p *planner) gates(report.Rejection, *corev1.Node) []change {
	names := ""
	for i, gate := range p.Pod.Spec.SchedulingGates {
		if i > 0 {
			names += " and "
		}
		names += gate.Name
	}
	return []change{{
		key: "gates", text: "remove the " + plural(len(p.Pod.Spec.SchedulingGates), "gate ", "gates ") + names,
		effort: removeGates,
		pod:    func(pod *corev1.Pod) { pod.Spec.SchedulingGates = nil },
	}}
}
