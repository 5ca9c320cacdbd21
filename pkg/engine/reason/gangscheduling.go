package reason

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// gangScheduling tells how many Pods the Pod's group has and wants. The plugin keeps the Pod out of the queue until
// there are enough (gangscheduling.GangScheduling.PreEnqueue, v1.37.2); it takes part in nothing else that judges one
// Pod.
func gangScheduling(_ context.Context, q Question) explain {
	name, ok := podGroupOf(q.Pod)
	if !ok {
		return nil
	}
	groups := podGroups{manager: q.Handle.PodGroupManager(), namespace: q.Pod.Namespace}
	composite := utilfeature.DefaultFeatureGate.Enabled(features.CompositePodGroup)
	return func(context.Context, rejection) report.Details {
		group, err := groups.manager.PodGroups().Get(groups.namespace, name)
		if err != nil {
			return report.Details{groups.missing(fwk.PodGroupKeyType, name)}
		}
		if parent := group.Spec.ParentCompositePodGroupName; composite && parent != nil {
			return groups.tree(*parent)
		}
		return report.Details{groups.size(group)}
	}
}

func podGroupOf(pod *corev1.Pod) (name string, ok bool) {
	if group := pod.Spec.SchedulingGroup; group != nil && group.PodGroupName != nil {
		return *group.PodGroupName, true
	}
	return "", false
}

// podGroups are the Pod groups of one namespace.
type podGroups struct {
	manager   fwk.PodGroupManager
	namespace string
}

func (g podGroups) missing(kind fwk.EntityKeyType, name string) report.Detail {
	missing := report.MissingPodGroup{Kind: "PodGroup", Namespace: g.namespace, Name: name}
	if kind == fwk.CompositePodGroupKeyType {
		missing.Kind = "CompositePodGroup"
	}
	return missing
}

// size counts a group's Pods. A group that is no gang wants one (GangScheduling.isPGReady, v1.37.2).
func (g podGroups) size(group *schedulingv1beta1.PodGroup) report.PodGroupTooSmall {
	out := report.PodGroupTooSmall{Namespace: g.namespace, Name: group.Name, MinCount: 1}
	if gang := group.Spec.SchedulingPolicy.Gang; gang != nil {
		out.MinCount = int(gang.MinCount)
	}
	if state, err := g.manager.PodGroupStates().Get(g.namespace, group.Name); err == nil {
		out.Pods, out.Scheduled = state.AllPodsCount(), state.ScheduledPodsCount()
		out.Members, _ = firstNames(memberNames(state))
	}
	out.Missing = max(0, out.MinCount-out.Pods)
	return out
}

func memberNames(state fwk.PodGroupState) []string {
	var names []string
	for _, pod := range state.UnscheduledPods() {
		names = append(names, pod.Name)
	}
	for _, pod := range state.ScheduledPods() {
		names = append(names, pod.Name)
	}
	return names
}
