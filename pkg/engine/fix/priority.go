package fix

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
)

// maxClasses is how many PriorityClasses are thought of.
const maxClasses = 3

// priorities gives the Pod a higher one of the cluster's PriorityClasses, so that kube-scheduler would evict others for
// it. Those of the system are not for other Pods.
func (p *planner) priorities() []change {
	if e := p.Explanation; e.Preemption != nil && e.Preemption.Possible {
		return nil // it would evict Pods as it is
	}
	if never := p.Pod.Spec.PreemptionPolicy; never != nil && *never == corev1.PreemptNever && p.mayPreempt() {
		return []change{{
			key: "policy", preempts: true, effort: raisePriority, text: "set its preemptionPolicy to PreemptLowerPriority",
			pod: func(pod *corev1.Pod) {
				policy := corev1.PreemptLowerPriority
				pod.Spec.PreemptionPolicy = &policy
			},
		}}
	}
	classes := slices.DeleteFunc(slices.Clone(p.State.PriorityClasses), func(class *schedulingv1.PriorityClass) bool {
		return class.Value <= corev1helpers.PodPriority(p.Pod) || strings.HasPrefix(class.Name, "system-") ||
			class.PreemptionPolicy != nil && *class.PreemptionPolicy == corev1.PreemptNever
	})
	slices.SortStableFunc(classes, func(a, b *schedulingv1.PriorityClass) int { return cmp.Compare(a.Value, b.Value) })
	var out []change
	for i, class := range classes[:min(len(classes), maxClasses)] {
		out = append(out, change{
			key: "priority " + class.Name, preempts: true, effort: raisePriority + effort(i)/10,
			text: fmt.Sprintf("give it the PriorityClass %s (%d)", class.Name, class.Value),
			pod: func(pod *corev1.Pod) {
				pod.Spec.PriorityClassName, pod.Spec.Priority = class.Name, &class.Value
				pod.Spec.PreemptionPolicy = class.PreemptionPolicy
			},
		})
	}
	return out
}

// mayPreempt tells whether the Pod's own PriorityClass lets it have another preemptionPolicy: admission refuses one
// that differs.
func (p *planner) mayPreempt() bool {
	return !slices.ContainsFunc(p.State.PriorityClasses, func(class *schedulingv1.PriorityClass) bool {
		return class.Name == p.Pod.Spec.PriorityClassName && class.PreemptionPolicy != nil &&
			*class.PreemptionPolicy == corev1.PreemptNever
	})
}
