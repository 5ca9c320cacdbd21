package upstream

import (
	"cmp"
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// filters finds every filter that rejects a node. The framework stops at the first; to go on, it is called again with a
// copy of the cycle state in which the filters up to and including that one are skipped, as plugins may be that
// PreFilter found nothing to do for. So each rejection is upstream's own call, with nominated Pods taken into account.
type filters struct {
	cycle
	// position is the place of a plugin in the profile's order.
	position map[string]int
	// states[k] skips the first k filters.
	states []fwk.CycleState
}

// newFilters prepares the states once for all nodes: a copy of a state costs as much as its size, a node little.
func newFilters(c cycle) *filters {
	f := &filters{cycle: c, position: map[string]int{}, states: []fwk.CycleState{c.state}}
	skipped := c.state.GetSkipFilterPlugins()
	for i, plugin := range c.framework.ListPlugins().Filter.Enabled {
		f.position[plugin.Name] = i
		skipped = skipped.Union(sets.New(plugin.Name))
		next := c.state.Clone()
		next.SetSkipFilterPlugins(skipped)
		f.states = append(f.states, next)
	}
	return f
}

// run fills in the rejections of all nodes, in parallel.
func (f *filters) run(ctx context.Context, nodes []*NodeJudgment) error {
	f.framework.Parallelizer().Until(ctx, len(nodes), func(i int) { f.judge(ctx, nodes[i]) }, metrics.Filter)
	return ctx.Err()
}

// judge finds all that stands against one node. A filter that fails is told like one that rejects, by its status.
func (f *filters) judge(ctx context.Context, node *NodeJudgment) {
	if seen := f.withNominated(node.Info); seen != node.Info {
		node.Seen = seen
		f.judgeWithNominated(ctx, node)
		return
	}
	node.Seen = node.Info
	for next := 0; next < len(f.states); {
		status := f.framework.RunFilterPlugins(ctx, f.states[next], f.pod, node.Info)
		if status.IsSuccess() {
			return
		}
		node.reject(status)
		position, known := f.position[status.Plugin()]
		if !known {
			return
		}
		next = position + 1
	}
}

// judgeWithNominated is judge for a node with nominated Pods. There the framework runs the filters twice, with those
// Pods and without, and a filter that passes the first time may reject the second: only those that have answered are
// skipped.
func (f *filters) judgeWithNominated(ctx context.Context, node *NodeJudgment) {
	state, skipped := fwk.CycleState(f.state), f.state.GetSkipFilterPlugins()
	for range f.states {
		status := f.framework.RunFilterPluginsWithNominatedPods(ctx, state, f.pod, node.Info)
		if status.IsSuccess() {
			break
		}
		node.reject(status)
		if _, known := f.position[status.Plugin()]; !known {
			break
		}
		skipped = skipped.Union(sets.New(status.Plugin()))
		state = f.state.Clone()
		state.SetSkipFilterPlugins(skipped)
	}
	if len(node.Rejections) > 1 { // the first is upstream's
		slices.SortStableFunc(node.Rejections[1:], func(a, b *fwk.Status) int {
			return cmp.Compare(f.position[a.Plugin()], f.position[b.Plugin()])
		})
	}
}

// withNominated returns the node with the nominated Pods that the framework counts for this Pod (addGENominatedPods in
// framework/runtime, v1.37.2); the node itself when there are none.
func (f *filters) withNominated(node fwk.NodeInfo) fwk.NodeInfo {
	seen := node
	for _, nominated := range f.framework.NominatedPodsForNode(node.Node().Name) {
		other := nominated.GetPod()
		if other.UID == f.pod.UID || corev1helpers.PodPriority(other) < corev1helpers.PodPriority(f.pod) {
			continue
		}
		if seen == node {
			seen = node.Snapshot()
		}
		seen.AddPodInfo(nominated)
	}
	return seen
}
