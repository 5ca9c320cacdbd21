package engine_test

import (
	"flag"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
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
	core, e := newCore(t, made.State), engineOf(t, made.State, engine.Options{})
	for _, pod := range made.Pods {
		explanation, err := e.Explain(t.Context(), pod)
		if err != nil {
			t.Errorf("seed %d, pod %s/%s: %v", seed, pod.Namespace, pod.Name, err)
			continue
		}
		answer, victims := core.ask(pod), evictions(made.State, explanation)
		if answer.internal {
			seen.internal++
		}
		diff := disagreement(explanation, answer)
		if diff == "" {
			diff = cmp.Diff(core.evicted(len(victims)), victims, cmpopts.EquateEmpty())
		}
		if diff != "" {
			t.Errorf("seed %d, pod %s/%s: we disagree (-kube-scheduler +ours)\n%s", seed, pod.Namespace, pod.Name, diff)
		}
		seen.count(pod, explanation, answer)
	}
}

// evictions are the victims that kube-scheduler still has to delete, as namespace/name, sorted.
func evictions(state *cluster.State, explanation *report.Explanation) []string {
	if explanation.Preemption == nil {
		return nil
	}
	var names []string
	for _, victim := range explanation.Preemption.Victims {
		isVictim := func(pod *corev1.Pod) bool { return pod.Namespace == victim.Namespace && pod.Name == victim.Name }
		if i := slices.IndexFunc(state.Pods, isVictim); state.Pods[i].DeletionTimestamp == nil {
			names = append(names, victim.Namespace+"/"+victim.Name)
		}
	}
	slices.Sort(names)
	return names
}
