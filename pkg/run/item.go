package run

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// stage is how far a Pod is.
type stage int

const (
	waiting stage = iota
	deciding
	binding
	ended
)

// item is one Pod of a pass.
type item struct {
	pod   *corev1.Pod
	stage stage
	out   *report.Binding
	// reschedules counts the cycles that were begun because an earlier decision could not be carried out.
	reschedules int
	// hopes tells that the Pod, ended as unschedulable, may fit once more Pods are bound than boundBefore; again that
	// it is worth another cycle in any case.
	hopes, again bool
	boundBefore  int
}

// end ends a Pod's way.
func (p *pass) end(one *item, result report.Result, reason string) {
	one.stage, one.out.Result, one.out.Reason = ended, result, reason
	if result != report.ResultBound && result != report.ResultBoundElsewhere && result != report.ResultFailed {
		one.out.NodeName = one.pod.Spec.NodeName
	}
	p.done++
	if p.session.options.Progress != nil {
		p.session.options.Progress(p.done, len(p.asked))
	}
	p.change.Broadcast()
}

// reopen makes a Pod wait again.
func (p *pass) reopen(one *item) {
	one.stage, one.hopes, one.again = waiting, false, false
	p.done--
}

// mayReopen tells whether a Pod that was rejected is worth another cycle.
func (p *pass) mayReopen(one *item) bool {
	return one.stage == ended && !p.full(1) && (one.again || one.hopes && one.boundBefore < p.session.bound)
}

// full tells whether as many Pods are bound, or on their way to be, that more of them are too many.
func (p *pass) full(more int) bool {
	limit := p.session.options.Max
	return limit > 0 && p.session.bound+p.inFlight+more > limit
}

// landed takes the Pod out of the count of binding cycles.
func (p *pass) landed(one *item) {
	if one.stage == binding {
		p.inFlight--
		p.change.Broadcast()
	}
}

// takeUrgent takes what is to be scheduled anew at once, if anything can be: of a Pod group all together, and not
// before none of its Pods is in its binding cycle.
func (p *pass) takeUrgent() []*corev1.Pod {
	for _, first := range p.urgent {
		if p.groupInFlight(first) {
			continue
		}
		var taken, left []*corev1.Pod
		for _, pod := range p.urgent {
			if pod == first || inGroup(pod) && inGroup(first) && groupOf(pod) == groupOf(first) {
				taken = append(taken, pod)
			} else {
				left = append(left, pod)
			}
		}
		p.urgent = left
		return taken
	}
	return nil
}

func inGroup(pod *corev1.Pod) bool { return pod.Spec.SchedulingGroup != nil }

func (p *pass) groupInFlight(pod *corev1.Pod) bool {
	if !inGroup(pod) {
		return false
	}
	for _, one := range p.asked {
		if one.stage == binding && inGroup(one.pod) && groupOf(one.pod) == groupOf(pod) {
			return true
		}
	}
	return false
}
