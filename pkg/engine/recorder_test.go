package engine_test

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// recorder is a profile's framework that writes down what it answers and ends every cycle that succeeds at Permit, so
// that kube-scheduler takes back by itself what it assumed and reserved.
type recorder struct {
	framework.Framework
	mu sync.Mutex
	cycle
}

// cycle is what a framework answered in one scheduling cycle.
type cycle struct {
	// preFilter is the status of PreFilter, left the nodes that it left (nil: all) and narrowedBy the plugins that did
	// so.
	preFilter  *fwk.Status
	left       sets.Set[string]
	narrowedBy sets.Set[string]
	// filters is the status of every node that was filtered.
	filters map[string]*fwk.Status
	// taken tells that a node is rejected only because other Pods are nominated for it.
	taken bool
	// scores are those of the feasible nodes.
	scores []fwk.NodePluginScores
	// postFilter is the status of PostFilter; nil when it did not run.
	postFilter *fwk.Status
	// reserved is the node for which Reserve succeeded.
	reserved string
}

func (r *recorder) RunPreFilterPlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod) (
	*fwk.PreFilterResult, *fwk.Status, sets.Set[string],
) {
	result, status, plugins := r.Framework.RunPreFilterPlugins(ctx, state, pod)
	r.preFilter, r.narrowedBy = status, plugins.Clone() // the caller adds to its set
	if !result.AllNodes() {
		r.left = result.NodeNames
	}
	return result, status, plugins
}

func (r *recorder) RunFilterPluginsWithNominatedPods(ctx context.Context, state fwk.CycleState, pod *corev1.Pod,
	info fwk.NodeInfo,
) *fwk.Status {
	status := r.Framework.RunFilterPluginsWithNominatedPods(ctx, state, pod, info)
	taken := status.IsRejected() && len(r.NominatedPodsForNode(info.Node().Name)) > 0 &&
		r.RunFilterPlugins(ctx, state, pod, info).IsSuccess()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.filters[info.Node().Name] = status
	r.taken = r.taken || taken
	return status
}

func (r *recorder) RunScorePlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod, nodes []fwk.NodeInfo) (
	[]fwk.NodePluginScores, *fwk.Status,
) {
	scores, status := r.Framework.RunScorePlugins(ctx, state, pod, nodes)
	r.scores = scores
	return scores, status
}

func (r *recorder) RunPostFilterPlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod,
	statuses fwk.NodeToStatusReader,
) (*fwk.PostFilterResult, *fwk.Status) {
	result, status := r.Framework.RunPostFilterPlugins(ctx, state, pod, statuses)
	r.postFilter = status
	return result, status
}

func (r *recorder) RunPermitPlugins(_ context.Context, _ fwk.CycleState, _ *corev1.Pod, node string) (
	map[string]time.Duration, *fwk.Status,
) {
	r.reserved = node
	return nil, fwk.NewStatus(fwk.Unschedulable, "the test has seen enough")
}
