package engine_test

import (
	"flag"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/test/random"
)

var (
	seedFlag = flag.Uint64("seed", 1, "the seed of the first random cluster; a failure names the seed to repeat it with")
	podsFlag = flag.Int("pods", 2400, "how many random Pods are compared with kube-scheduler's core")
)

// podsPerCluster spreads the cost of a cluster over several Pods.
const podsPerCluster = 40

// Our verdict must be kube-scheduler's own for every Pod: over clusters and Pods that are made up, each node's first
// rejection, the message, the scores, the chosen node and what preemption would do are compared with its core's.
func TestAgreesWithKubeSchedulerOnRandomPods(t *testing.T) {
	t.Logf("seed %d, %d Pods; one cluster is repeated with -seed N -pods %d", *seedFlag, *podsFlag, podsPerCluster)
	seen := newCoverage()
	for done, seed := 0, *seedFlag; done < *podsFlag; done, seed = done+podsPerCluster, seed+1 {
		compareCluster(t, seed, seen)
	}
	if *podsFlag >= 2000 {
		seen.check(t)
	}
	t.Log(seen)
}

func compareCluster(t *testing.T, seed uint64, seen *coverage) {
	t.Helper()
	made := random.New(random.Options{Seed: seed, Pods: podsPerCluster})
	upstream.SetDefaults(made.State)
	core, engine := newCore(t, made.State), newEngine(t, made, engine.Options{})
	for _, pod := range made.Pods {
		explanation, err := engine.Explain(t.Context(), pod)
		if err != nil {
			t.Errorf("seed %d, pod %s/%s: %v", seed, pod.Namespace, pod.Name, err)
			continue
		}
		answer := core.ask(pod)
		if answer.internal {
			seen.internal++
		}
		if diff := disagreement(explanation, answer); diff != "" {
			t.Errorf("seed %d, pod %s/%s: we disagree %s", seed, pod.Namespace, pod.Name, diff)
		}
		seen.count(pod, explanation, answer)
	}
}

func newEngine(t *testing.T, made *random.Cluster, options engine.Options) *engine.Engine {
	t.Helper()
	e, err := engine.New(t.Context(), made.State, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

var _ = corev1.Pod{}
var _ = report.Bound
