package engine

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine/reason"
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
		Priority: judged.Priority,
		Reason:   wholeReason(judged.Obstacle),
		Nodes:    noCandidates(judged.Others),
	}
	for i := range judged.Candidates {
		c := &judged.Candidates[i]
		out.Candidates = append(out.Candidates, report.Candidate{
			NodeName: c.NodeName, Victims: victims(c), PDBViolations: c.Violations,
		})
	}
	if out.Possible {
		out.Victims = victims(&judged.Candidates[0])
	}
	for _, pod := range judged.WaitsFor {
		out.WaitsFor = append(out.WaitsFor, report.TerminatingPod{
			Namespace: pod.Namespace,
			Name:      pod.Name,
			Priority:  corev1helpers.PodPriority(pod),
			NodeName:  pod.Spec.NodeName,
		})
	}
	return out
}

// wholeReason is the reason why preemption helps on no node.
func wholeReason(obstacle upstream.Obstacle) report.PreemptionReason {
	if obstacle == upstream.Unresolvable {
		return report.NotHelpful
	}
	return report.PreemptionReason(obstacle)
}

func victims(of *upstream.Candidate) []report.Victim {
	out := make([]report.Victim, 0, len(of.Victims))
	for _, pod := range of.Victims {
		out = append(out, victim(pod, of))
	}
	return out
}

func victim(pod *corev1.Pod, of *upstream.Candidate) report.Victim {
	return report.Victim{
		Namespace:   pod.Namespace,
		Name:        pod.Name,
		Priority:    corev1helpers.PodPriority(pod),
		ViolatesPDB: of.Violating.Has(pod.UID),
		PDBs:        of.Budgets[pod.UID],
		Terminating: pod.DeletionTimestamp != nil,
	}
}

// noCandidates groups nodes by reason, plugin and the plugin's reasons, and sorts the groups by these.
func noCandidates(others []upstream.NoCandidate) []report.NoCandidates {
	type key struct {
		obstacle upstream.Obstacle
		plugin   string
		reasons  string
	}
	var groups []report.NoCandidates
	index := map[key]int{}
	for _, other := range others {
		k := key{other.Obstacle, other.Plugin, strings.Join(other.Reasons, "\n")}
		i, known := index[k]
		if !known {
			i, index[k] = len(groups), len(groups)
			groups = append(groups, report.NoCandidates{
				Reason:  report.PreemptionReason(other.Obstacle),
				Plugin:  reason.ShownName(other.Plugin),
				Reasons: slices.Clone(other.Reasons),
				Message: other.Message,
			})
		}
		groups[i].Nodes = append(groups[i].Nodes, other.NodeName)
	}
	slices.SortFunc(groups, func(a, b report.NoCandidates) int {
		return cmp.Or(strings.Compare(string(a.Reason), string(b.Reason)), strings.Compare(a.Plugin, b.Plugin),
			slices.Compare(a.Reasons, b.Reasons))
	})
	return groups
}
