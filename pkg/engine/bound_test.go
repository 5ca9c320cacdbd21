package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/test/random"
)

// A Pod that has a node is judged as if it were not there yet: as kube-scheduler judges the same Pod once it is off
// its node.
func TestBoundPodsAreJudgedAsIfTheyWaited(t *testing.T) {
	compareBound(t, func(v *verdict) { v.Totals, v.Scores = nil, nil })
}

func TestBoundPodsAreScoredAsIfTheyWaited(t *testing.T) {
	compareBound(t, func(*verdict) {})
}

// compareBound compares our answers for running Pods with kube-scheduler's; leaveOut removes what is not compared.
func compareBound(t *testing.T, leaveOut func(*verdict)) {
	t.Helper()
	eachCluster(t, 20, func(t *testing.T, made *random.Cluster) {
		core, e := newCore(t, made.State), engineOf(t, made.State, engine.Options{})
		nodes := map[string]bool{}
		for _, node := range made.State.Nodes {
			nodes[node.Name] = true
		}
		for _, pod := range made.State.Pods {
			if !nodes[pod.Spec.NodeName] || pod.Status.Phase != corev1.PodRunning {
				continue
			}
			explanation := explain(t, e, pod)
			want, got := theirs(core.askOffNode(pod), sortedNames(explanation)), ours(explanation)
			got.Verdict, got.Message, got.Plugins = want.Verdict, want.Message, want.Plugins // of a Bound Pod they are not told
			got.Nominated, got.PostFilter = want.Nominated, want.PostFilter
			leaveOut(want)
			leaveOut(got)
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("pod %s/%s (-kube-scheduler +ours)\n%s", pod.Namespace, pod.Name, diff)
			}
		}
	})
}

// askOffNode runs a cycle for a Pod that has a node, as if it had none yet.
func (c *core) askOffNode(pod *corev1.Pod) *answer {
	c.t.Helper()
	logger := klog.Logger{}
	if err := c.sched.Cache.RemovePod(logger, pod); err != nil {
		c.t.Fatal(err)
	}
	waiting := pod.DeepCopy()
	waiting.Spec.NodeName, waiting.DeletionTimestamp, waiting.Status = "", nil, corev1.PodStatus{Phase: corev1.PodPending}
	c.sched.SchedulingQueue.Add(c.t.Context(), waiting)
	out := c.ask(waiting)
	c.sched.SchedulingQueue.Delete(logger, waiting)
	if err := c.sched.Cache.AddPod(logger, pod); err != nil {
		c.t.Fatal(err)
	}
	return out
}
