package run

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// schedulePod is upstream's SchedulePod, on all nodes or on the one that is asked for, with ties broken by name.
func (s *Session) schedulePod(ctx context.Context, fw framework.Framework, state fwk.CycleState,
	info *framework.QueuedPodInfo,
) (scheduler.ScheduleResult, error) {
	if node := s.onlyNode(info.Pod); node != "" {
		restore, err := s.restrict(node)
		if err != nil {
			return scheduler.ScheduleResult{}, err
		}
		defer restore()
	}
	result, err := s.decide(ctx, firstByName{fw}, state, info)
	s.pass.decided(info.Pod, result)
	return result, err
}

// onlyNode names the one node that is looked at for a Pod; empty when all are.
func (s *Session) onlyNode(pod *corev1.Pod) string {
	if s.options.Node != "" {
		return s.options.Node
	}
	return s.options.Nodes[pod.UID]
}

// restrict makes SchedulePod look at one node, by the means with which upstream looks at the nodes of a Pod group's
// placement, until restore is called. Plugins still see the whole cluster.
func (s *Session) restrict(name string) (restore func(), err error) {
	node, err := s.snapshot.GetNodeInPlacement(name)
	if err != nil {
		return nil, &NodeGoneError{Node: name}
	}
	before := s.snapshot.GetPlacement()
	if err := s.snapshot.AssumePlacement(&fwk.Placement{Name: name, Nodes: []fwk.NodeInfo{node}}); err != nil {
		return nil, fmt.Errorf("looking at node %s: %w", name, err)
	}
	// It cannot fail: it was the placement of this snapshot a moment ago.
	return func() { _ = s.snapshot.AssumePlacement(before) }, nil
}

// firstByName is a framework whose best node, among equal totals, is the first by name: upstream draws lots with
// Randomizer. Extenders that score draw them anew.
type firstByName struct {
	framework.Framework
}

func (f firstByName) RunScorePlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, nodes []fwk.NodeInfo) (
	[]fwk.NodePluginScores, *fwk.Status,
) {
	scores, status := f.Framework.RunScorePlugins(ctx, state, pod, nodes)
	best := -1
	for i := range scores {
		scores[i].Randomizer = 0
		if best < 0 || scores[i].TotalScore > scores[best].TotalScore ||
			scores[i].TotalScore == scores[best].TotalScore && scores[i].Name < scores[best].Name {
			best = i
		}
	}
	if best >= 0 {
		scores[best].Randomizer = 1
	}
	return scores, status
}
