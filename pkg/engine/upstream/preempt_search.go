package upstream

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// found is what a look at every node tells about preemption.
type found struct {
	// tried is false when no node was looked at.
	tried bool
	// passed are preemption's statuses of the nodes that it looked at and that are no candidates.
	passed map[string]*fwk.Status
	// obstacle is why there is no candidate; empty when there is one.
	obstacle Obstacle
	// waitsFor are the terminating Pods that keep preemption from being tried.
	waitsFor []*corev1.Pod
	// candidates are the nodes on which preemption makes room, the best first.
	candidates []candidate
	// others are the nodes on which it does not, sorted by name.
	others []NoCandidate
}

// candidate is a node on which preemption makes room, and the Pods whose end makes it.
type candidate struct {
	name    string
	victims *extenderv1.Victims
}

// best is the candidate that kube-scheduler would choose if it looked at all; among equal ones the first by name, where
// kube-scheduler chooses at random. It is nil when preemption does not help, and when the profile does not preempt.
func (f *found) best() *candidate {
	if len(f.candidates) == 0 {
		return nil
	}
	return &f.candidates[0]
}

// enoughCandidates is after how many the search ends. Upstream's findCandidates (v1.37.2) ends after a tenth of the
// nodes, and starts at a random one; here every node is looked at in all but the largest clusters, by name.
const enoughCandidates = 1000

// search looks for candidates.
func (p *preemptor) search(ctx context.Context, c cycle, statuses *framework.NodeToStatus) (*found, error) {
	if p == nil {
		return &found{obstacle: Disabled}, nil
	}
	eligible, _ := p.plugin.PodEligibleToPreemptOthers(ctx, c.pod, statuses.Get(c.pod.Status.NominatedNodeName))
	if !eligible {
		return p.notEligible(ctx, c.pod)
	}
	nodes, err := statuses.NodesForStatusCode(p.handle.SnapshotSharedLister().NodeInfos(), fwk.Unschedulable)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(nodes, func(a, b fwk.NodeInfo) int { return strings.Compare(a.Node().Name, b.Node().Name) })
	promising, passed := p.promising(c.pod, nodes)
	out := &found{tried: true, passed: passed}
	if len(promising) > 0 {
		if out.candidates, err = p.dryRun(ctx, c, promising, passed); err != nil {
			return nil, err
		}
	}
	if out.others, err = p.others(statuses, passed, out.candidates); err != nil {
		return nil, err
	}
	if len(out.candidates) == 0 {
		out.obstacle = obstacleOf(out.others)
	}
	return out, ctx.Err()
}

// dryRun returns the candidates among the nodes, the best first, and notes in passed the statuses of the others.
func (p *preemptor) dryRun(ctx context.Context, c cycle, nodes []fwk.NodeInfo, passed map[string]*fwk.Status) (
	[]candidate, error,
) {
	budgets, err := p.budgets()
	if err != nil {
		return nil, err
	}
	var candidates []preemption.Candidate
	for some := range slices.Chunk(nodes, enoughCandidates) {
		if len(candidates) >= enoughCandidates {
			for _, node := range some {
				passed[node.Node().Name] = notTried
			}
			continue
		}
		// Errors on single nodes leave those nodes out, as upstream does while there are other candidates; with none
		// left, PostFilter itself reports the error.
		found, statuses, _ := p.plugin.Evaluator.DryRunPreemption(ctx, c.state, c.pod, some, budgets, 0, enoughCandidates)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		candidates = append(candidates, found...)
		statuses.ForEachExplicitNode(func(name string, status *fwk.Status) { passed[name] = status })
	}
	if len(candidates) == 0 {
		return nil, nil
	}
	return ranked(candidates, p.plugin.Evaluator.SelectCandidate(ctx, candidates)), nil
}

// promising returns the nodes that have a Pod which may be evicted, and upstream's status for those that have none:
// its SelectVictimsOnNode (v1.37.2) gives it too, but the node is copied first. What Pod groups make of a Pod's
// priority is left to upstream.
func (p *preemptor) promising(pod *corev1.Pod, nodes []fwk.NodeInfo) ([]fwk.NodeInfo, map[string]*fwk.Status) {
	passed := map[string]*fwk.Status{}
	if ReadsPodGroups() {
		return nodes, passed
	}
	noVictims := fwk.NewStatus(fwk.UnschedulableAndUnresolvable, noVictimsText)
	priority := corev1helpers.PodPriority(pod)
	isLower := func(other fwk.PodInfo) bool { return corev1helpers.PodPriority(other.GetPod()) < priority }
	var promising []fwk.NodeInfo
	for _, node := range nodes {
		if slices.ContainsFunc(node.GetPods(), isLower) {
			promising = append(promising, node)
		} else {
			passed[node.Node().Name] = noVictims
		}
	}
	return promising, passed
}

// notEligible tells why upstream's PodEligibleToPreemptOthers (v1.37.2) says no.
func (p *preemptor) notEligible(ctx context.Context, pod *corev1.Pod) (*found, error) {
	if policy := pod.Spec.PreemptionPolicy; policy != nil && *policy == corev1.PreemptNever {
		return &found{obstacle: PolicyNever}, nil
	}
	node, err := p.handle.SnapshotSharedLister().NodeInfos().Get(pod.Status.NominatedNodeName)
	if err != nil {
		return nil, err
	}
	victims, err := p.victimsOn(ctx, pod, node)
	if err != nil {
		return nil, err
	}
	out := &found{obstacle: VictimTerminating}
	for _, victim := range victims {
		for _, info := range victim.Pods() {
			if other := info.GetPod(); preemption.PodTerminatingByPreemption(other) {
				out.waitsFor = append(out.waitsFor, other)
			}
		}
	}
	slices.SortFunc(out.waitsFor, compareNames)
	return out, nil
}

// victimsOn returns all that the Pod may preempt on a node, the most important first, as SelectVictimsOnNode (v1.37.2)
// orders them before it picks.
func (p *preemptor) victimsOn(ctx context.Context, pod *corev1.Pod, node fwk.NodeInfo) (
	[]*preemption.DomainVictim, error,
) {
	victims, err := p.plugin.Evaluator.GetVictimsOnNode(ctx, node)
	if err != nil {
		return nil, err
	}
	victims = slices.DeleteFunc(victims, func(victim *preemption.DomainVictim) bool {
		return victim.Priority() >= corev1helpers.PodPriority(pod)
	})
	slices.SortFunc(victims, func(a, b *preemption.DomainVictim) int {
		switch {
		case p.plugin.MoreImportantVictim(a, b):
			return -1
		case p.plugin.MoreImportantVictim(b, a):
			return 1
		}
		return 0
	})
	return victims, nil
}
