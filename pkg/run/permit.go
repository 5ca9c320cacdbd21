package run

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// rejectWaiting rejects the Pods that a Permit plugin keeps waiting: upstream does not end their wait with the context.
func (s *Session) rejectWaiting(reason string) {
	for _, pod := range s.waitingPods() {
		pod.Reject(pluginName, reason)
	}
}

// rejectStuck rejects the Pods of groups that wait for Pods of their group, when all that is under way waits for that:
// nobody is left who could come.
func (s *Session) rejectStuck(underWay int) {
	waiting := s.waitingPods()
	if len(waiting) < underWay {
		return
	}
	for _, pod := range waiting {
		if slices.Equal(pod.GetPendingPlugins(), []string{names.GangScheduling}) {
			pod.Reject(names.GangScheduling, "the other Pods of its group cannot be bound")
		}
	}
}

// waitingPods are the Pods that Permit plugins keep waiting. All profiles share them.
func (s *Session) waitingPods() []fwk.WaitingPod {
	var waiting []fwk.WaitingPod
	for _, fw := range s.sched.Profiles {
		fw.IterateOverWaitingPods(func(pod fwk.WaitingPod) { waiting = append(waiting, pod) })
		break
	}
	return waiting
}

// cancelPreBind ends the wait for a Pod's volumes and devices, by the means with which upstream's preemption does it.
func (s *Session) cancelPreBind(pod *corev1.Pod, reason string) {
	for _, fw := range s.sched.Profiles { // all share what is in PreBind
		if waiting := fw.GetPodInPreBind(pod.UID); waiting != nil {
			waiting.CancelPod(reason)
		}
		return
	}
}
