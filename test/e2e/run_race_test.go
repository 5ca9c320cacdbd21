//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
)

// racePodsOnNode is how many of the Pods a node has room for.
const racePodsOnNode = 16

// race is how the two race: each for as many Pods, and the nodes together have room for four fifths of them.
type race struct {
	qps      int // of each
	separate bool
	pods     int // of each
	nodes    int
}

// Two schedulers that hurry to the same nodes overcommit them, since the API server does not check; the figures of
// docs/scale.md are from here. On nodes of their own they never do. No Pod is bound twice, or lost, either way.
func TestRunRacesKubeScheduler(t *testing.T) {
	for name, test := range races() {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			ledger := openLedger(ctx, t)
			scheduler := startScheduler(t, raceFlags(t, test.qps)...)
			run := startRun(ctx, t, env.kubectl, fmt.Sprintf("--qps=%d", test.qps), fmt.Sprintf("--burst=%d", 2*test.qps))
			run.waitSaid(ctx, t, "Scheduling Pods")
			pods := append(test.racers(ownScheduler), test.racers(corev1.DefaultSchedulerName)...)
			createMany(ctx, t, pods)
			waitRefused(ctx, t, 0)
			// They have all tried, and wait for nodes: both begin at the same time.
			test.createNodes(ctx, t, ledger)
			waitRefused(ctx, t, test.nodes)
			run.stop(t)
			if err := scheduler.Exited(); err != nil {
				t.Error(err)
			}
			ledger.catchUp(ctx, t)
			after := readAftermath(ctx, t)
			wantNone(t, ledger.complaints(), after.lost(pods), after.mistold(run.decisions()))
			if over := ledger.overcommitted(); test.separate && len(over) > 0 {
				t.Errorf("nodes that only one of the two schedules to are overcommitted: %v", over)
			}
			t.Log(test.figures(ledger))
		})
	}
}

// races are those that are tried. `make soak` has larger ones, and one with the rate limit of schedulers by default.
func races() map[string]race {
	if os.Getenv(soakVariable) == "" {
		return map[string]race{
			"on the same nodes": {qps: 5000, pods: 250, nodes: 25},
			"on separate nodes": {qps: 5000, pods: 250, nodes: 25, separate: true},
		}
	}
	return map[string]race{
		"on the same nodes":          {qps: 5000, pods: 500, nodes: 50},
		"on the same nodes, limited": {qps: 50, pods: 500, nodes: 50},
		"on separate nodes":          {qps: 5000, pods: 500, nodes: 50, separate: true},
	}
}

// raceFlags are those of a kube-scheduler with a rate limit of its own.
func raceFlags(t *testing.T, qps int) []string {
	t.Helper()
	if qps == 50 {
		return nil // kube-scheduler's default
	}
	return []string{"--config=" + writeFastConfig(t)}
}

// racers are the Pods of one of the two.
func (r race) racers(scheduler string) []*corev1.Pod {
	edits := []podEdit{schedulerName(scheduler), requests("cpu", "500m")}
	if r.separate {
		edits = append(edits, nodeSelector("pool", poolOf[scheduler]))
	}
	return several(r.pods, func(i int) *corev1.Pod { return pod(fmt.Sprintf("%s-%03d", scheduler, i), edits...) })
}

// createNodes creates the nodes, half of them of each pool.
func (r race) createNodes(ctx context.Context, t *testing.T, ledger *ledger) {
	t.Helper()
	pools, cpus := []string{ownPool, defaultPool}, fmt.Sprint(racePodsOnNode/2)
	nodes := several(r.nodes, func(i int) *corev1.Node {
		return node(fmt.Sprintf("n%02d", i+1), nodeLabels("pool", pools[i%2]), allocatable("cpu", cpus))
	})
	for _, node := range nodes {
		ledger.grow(node)
	}
	createMany(ctx, t, nodes)
}

// waitRefused waits until every Pod is bound, or is said to fit on none of so many nodes.
func waitRefused(ctx context.Context, t *testing.T, nodes int) {
	t.Helper()
	refusal := fmt.Sprintf("0/%d nodes are available", nodes)
	if nodes == 0 {
		refusal = "no nodes available"
	}
	var left int
	err := wait.PollUntilContextTimeout(ctx, pollInterval, decisionTimeout, true, func(ctx context.Context) (bool, error) {
		list, err := env.Client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName="})
		if err != nil {
			return false, err
		}
		left = 0
		for _, pod := range list.Items {
			if !slices.ContainsFunc(pod.Status.Conditions, func(condition corev1.PodCondition) bool {
				return condition.Type == corev1.PodScheduled && strings.HasPrefix(condition.Message, refusal)
			}) {
				left++
			}
		}
		return left == 0, nil
	})
	if err != nil {
		t.Fatalf("waiting for all Pods to be tried on %d nodes: %v; %d are not", nodes, err, left)
	}
}

// figures tells how the race went.
func (r race) figures(ledger *ledger) string {
	own, others := len(ledger.boundBy(ownScheduler)), len(ledger.boundBy(corev1.DefaultSchedulerName))
	over := slices.Collect(maps.Values(ledger.overcommitted()))
	told := "no node is overcommitted"
	if len(over) > 0 {
		told = fmt.Sprintf("%d nodes are overcommitted, the median has %.0f %% of what it can take, the worst %.0f %%",
			len(over), 100*median(over), 100*slices.Max(over))
	}
	return fmt.Sprintf("two schedulers with %d Pods and %d requests per second each, %d nodes with room for %d Pods: "+
		"%d and %d are bound, %s", r.pods, r.qps, r.nodes, r.nodes*racePodsOnNode, own, others, told)
}
