package upstream

import (
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	"k8s.io/kubernetes/pkg/scheduler/util"
)

// firstEqual returns the first candidate by name that upstream's pickOneNodeForPreemption (v1.37.2) ranks like chosen.
func firstEqual(candidates []preemption.Candidate, chosen preemption.Candidate) preemption.Candidate {
	best := chosen
	for _, candidate := range candidates {
		if candidate.Name() < best.Name() && rankOf(candidate.Victims()) == rankOf(chosen.Victims()) {
			best = candidate
		}
	}
	return best
}

// rank holds what pickOneNodeForPreemption compares, in its order.
type rank struct {
	violations    int64
	highest       int32
	sum           int64
	count         int
	earliestStart int64
}

func rankOf(victims *extenderv1.Victims) rank {
	r := rank{
		violations: victims.NumPDBViolations,
		highest:    corev1helpers.PodPriority(victims.Pods[0]),
		count:      len(victims.Pods),
	}
	for _, pod := range victims.Pods {
		r.sum += int64(corev1helpers.PodPriority(pod))
	}
	r.earliestStart = earliestStart(victims)
	return r
}

// earliestStart is upstream's GetEarliestPodStartTime in Unix nanoseconds. For a Pod that has not started upstream
// takes the moment of asking, so that no two candidates rank equal and chance decides; here all those starts are one,
// after every other.
func earliestStart(victims *extenderv1.Victims) int64 {
	start := util.GetEarliestPodStartTime(victims)
	started := slices.ContainsFunc(victims.Pods, func(pod *corev1.Pod) bool {
		return pod.Status.StartTime != nil && pod.Status.StartTime.Equal(start)
	})
	if start == nil || !started {
		return math.MaxInt64
	}
	return start.UnixNano()
}
