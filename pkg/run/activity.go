package run

import (
	"fmt"

	"k8s.io/component-base/metrics/legacyregistry"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// pendingMetric is kube-scheduler's own count of its queues.
const pendingMetric = "scheduler_pending_pods"

// Activity tells how busy the Loop is; Results are the caller's.
func (l *Loop) Activity() (report.Activity, error) {
	activity := report.Activity{Binding: l.flights.count()}
	families, err := legacyregistry.DefaultGatherer.Gather()
	if err != nil {
		return activity, fmt.Errorf("reading kube-scheduler's metrics: %w", err)
	}
	counts := map[string]*int{
		"active": &activity.Active, "backoff": &activity.Backoff,
		"unschedulable": &activity.Unschedulable, "gated": &activity.Gated,
	}
	for _, family := range families {
		if family.GetName() != pendingMetric {
			continue
		}
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				if count := counts[label.GetValue()]; count != nil {
					*count = int(metric.GetGauge().GetValue())
				}
			}
		}
	}
	return activity, nil
}
