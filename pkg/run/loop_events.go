package run

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// watchingEvents hands upstream's events on, and tells of Pods that are evicted: nothing else of upstream says so.
type watchingEvents struct {
	events.EventRecorderLogger
	loop    *Loop
	profile string
}

// WithLogger keeps the watch over what is recorded.
func (w watchingEvents) WithLogger(logger klog.Logger) events.EventRecorderLogger {
	return watchingEvents{w.EventRecorderLogger.WithLogger(logger), w.loop, w.profile}
}

// Eventf records an event.
func (w watchingEvents) Eventf(regarding, related runtime.Object, kind, reason, action, note string, args ...any) {
	related = stored(related)
	w.EventRecorderLogger.Eventf(regarding, related, kind, reason, action, note, args...)
	if victim, ok := regarding.(*corev1.Pod); ok && reason == "Preempted" {
		w.loop.preempted(w.profile, victim, related)
	}
}

// stored returns the Pod behind upstream's own view of a Pod that preempts. No API has that type, so that no event can
// refer to it. Groups come as what they are.
func stored(object runtime.Object) runtime.Object {
	if preemptor, ok := object.(preemption.ExecutorPreemptor); ok {
		for _, pod := range preemptor.Pods() { // it is alone
			return pod
		}
	}
	return object
}

// preempted tells of a Pod that is evicted for another one, or for a group.
func (l *Loop) preempted(profile string, victim *corev1.Pod, preemptor runtime.Object) {
	decision := report.NewDecision(victim.Namespace, victim.Name)
	decision.Time = metav1.NewMicroTime(l.clock.Now())
	decision.Profile, decision.Result = profile, report.ResultPreempted
	decision.NodeName = victim.Spec.NodeName
	if l.options.DryRun {
		decision.DryRun = report.DryRunClient
	}
	if object, err := meta.Accessor(preemptor); err == nil {
		decision.Preemptor = &report.Metadata{Namespace: object.GetNamespace(), Name: object.GetName(), Kind: "pod"}
		if _, isPod := preemptor.(*corev1.Pod); !isPod {
			decision.Preemptor.Kind = "podgroup"
		}
	}
	l.tell(decision, victim)
}
