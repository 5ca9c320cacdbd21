package engine

import (
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

func preemption(judged *upstream.Preemption) *report.Preemption {
	if judged == nil {
		return nil
	}
	out := &report.Preemption{
		Possible: judged.NodeName != "",
		NodeName: judged.NodeName,
		Victims:  []report.Victim{},
		Message:  judged.Message,
	}
	for _, victim := range judged.Victims {
		out.Victims = append(out.Victims, report.Victim{
			Namespace:   victim.Namespace,
			Name:        victim.Name,
			Priority:    corev1helpers.PodPriority(victim),
			ViolatesPDB: judged.Violating.Has(victim.UID),
		})
	}
	return out
}
