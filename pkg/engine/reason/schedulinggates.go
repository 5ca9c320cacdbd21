package reason

import (
	"context"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// schedulingGates names every gate of the Pod: the plugin waits for all of them.
func schedulingGates(_ context.Context, q Question) explain {
	return func(context.Context, rejection) report.Details {
		details := report.Details{}
		for _, gate := range q.Pod.Spec.SchedulingGates {
			details = append(details, report.Gate{Name: gate.Name})
		}
		return details
	}
}
