package upstream

import (
	"cmp"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	"k8s.io/kubernetes/pkg/scheduler/util"
)

// ranked returns the candidates in the order of upstream's pickOneNodeForPreemption (v1.37.2), equal ones by name. The
// first is the first of those that rank like the chosen one.
func ranked(candidates []preemption.Candidate, chosen preemption.Candidate) []candidate {
	out := make([]candidate, 0, len(candidates))
	for _, c := range candidates {
		out = append(out, candidate{name: c.Name(), victims: c.Victims()})
	}
	ranks := sortByRank(out)
	wanted := rankOf(chosen.Victims())
	putFirst(out, slices.IndexFunc(out, func(c candidate) bool { return ranks[c.name] == wanted }))
	return out
}

// putFirst moves an element to the front; the order of the others stays. An index of -1 moves none.
func putFirst[T any](list []T, index int) {
	if index > 0 {
		first := list[index]
		copy(list[1:], list[:index])
		list[0] = first
	}
}

// sortByRank sorts the candidates in place, the best first, and returns their ranks by name.
func sortByRank(candidates []candidate) map[string]rank {
	ranks := make(map[string]rank, len(candidates))
	for _, c := range candidates {
		ranks[c.name] = rankOf(c.victims)
	}
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(ranks[a.name].compare(ranks[b.name]), strings.Compare(a.name, b.name))
	})
	return ranks
}

// rank holds what pickOneNodeForPreemption compares, in its order.
type rank struct {
	violations    int64
	highest       int32
	sum           int64
	count         int
	earliestStart int64
}

// compare is negative when r is the better one.
func (r rank) compare(than rank) int {
	return cmp.Or(
		cmp.Compare(r.violations, than.violations),
		cmp.Compare(r.highest, than.highest),
		cmp.Compare(r.sum, than.sum),
		cmp.Compare(r.count, than.count),
		cmp.Compare(than.earliestStart, r.earliestStart), // the youngest goes first
	)
}

func rankOf(victims *extenderv1.Victims) rank {
	r := rank{
		violations: victims.NumPDBViolations,
		highest:    corev1helpers.PodPriority(victims.Pods[0]),
		count:      len(victims.Pods),
	}
	for _, pod := range victims.Pods {
		// Upstream makes every priority positive, so that more Pods never make a smaller sum.
		r.sum += int64(corev1helpers.PodPriority(pod)) + math.MaxInt32 + 1
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
