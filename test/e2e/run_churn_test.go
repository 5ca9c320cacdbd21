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
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// soakVariable says how long the churn takes instead of churnTime; `make soak` sets it.
const (
	soakVariable = "KUBECTL_SCHED_SOAK"
	churnTime    = 2 * time.Minute
)

// Beside a kube-scheduler, while Pods and nodes come, change and go, each of the two touches its own Pods only. At the
// end no Pod is left that fits, and the process is as it was at the beginning.
func TestRunBesideKubeSchedulerUnderChurn(t *testing.T) {
	const seed = 1
	ctx := t.Context()
	c := &churn{t: t, ledger: openLedger(ctx, t)}
	c.nodes = slices.Concat(newPool(ownPool), newPool(defaultPool), newPool(sharedPool))
	t.Cleanup(func() { c.removeAll(context.WithoutCancel(ctx)) })
	for _, n := range c.nodes {
		c.addNode(ctx, n)
	}
	scheduler := startScheduler(t)
	address := freeAddress(t)
	run := startRun(ctx, t, env.kubectl, "--bind-address="+address)
	run.waitSaid(ctx, t, "Scheduling Pods")
	goroutines := goroutinesOf(ctx, t, address)

	churning, stop := context.WithTimeout(ctx, churnDuration(t))
	defer stop()
	c.begin(churning, seed)
	var memory, theirMemory []float64
	c.wait.Go(func() { memory = sampleMemory(churning, t, run.pid) })
	c.wait.Go(func() { theirMemory = sampleMemory(churning, t, scheduler.Pid()) })
	c.wait.Wait()
	c.settle(ctx)
	if err := scheduler.Exited(); err != nil {
		t.Error(err)
	}
	goroutinesLeft := waitGoroutines(ctx, t, address, goroutines)
	run.stop(t)
	c.ledger.catchUp(ctx, t)
	decisions := run.decisions()
	wantNone(t, c.ledger.complaints(), c.strictlyOvercommitted(), foreignEvents(ctx, t), foreignWrites(ctx, t),
		c.misdecided(decisions), memoryGrowth(memory, theirMemory), slow(decisions))
	t.Logf("%s of churn: %s; memory from quarter to quarter %.0f MiB, kube-scheduler's %.0f MiB; %v goroutines at first, "+
		"%v at last", churnDuration(t), c.figures(decisions), quarters(memory), quarters(theirMemory), goroutines,
		goroutinesLeft)
}

// figures tells what was decided, and what the two did to the nodes that they share.
func (c *churn) figures(decisions []report.Decision) string {
	shared := slices.Collect(maps.Values(c.ledger.overcommitted()))
	return fmt.Sprintf("%d Pods bound, %d by kube-scheduler; decisions: %s; latency %.1f ms, 99th percentile %.1f ms; "+
		"%d of %d shared nodes overcommitted for a moment, the worst had %.0f %% of what it takes",
		len(c.ledger.boundBy(ownScheduler)), len(c.ledger.boundBy(corev1.DefaultSchedulerName)), resultsOf(decisions),
		median(latencies(decisions)), quantile(latencies(decisions), 0.99), len(shared), nodesPerPool,
		100*slices.Max(append(shared, 0)))
}

// slow complains about decisions that took too long, binding included, on however busy a machine.
func slow(decisions []report.Decision) []string {
	const most, mostMedian = 10_000, 500 // milliseconds
	if all := latencies(decisions); len(all) == 0 || median(all) > mostMedian || quantile(all, 0.99) > most {
		return []string{fmt.Sprintf("%d decisions took %.0f ms, and 1 %% of them more than %.0f ms", len(all), median(all),
			quantile(all, 0.99))}
	}
	return nil
}

func churnDuration(t *testing.T) time.Duration {
	t.Helper()
	asked := os.Getenv(soakVariable)
	if asked == "" {
		return churnTime
	}
	duration, err := time.ParseDuration(asked)
	if err != nil {
		t.Fatalf("%s=%s: %v", soakVariable, asked, err)
	}
	return duration
}

// settle gives all Pods that are left the nodes and the room they need, and waits until they are bound.
func (c *churn) settle(ctx context.Context) {
	c.t.Helper()
	for _, n := range c.nodes {
		c.restore(ctx, n)
		n.ssd, n.cpus = true, 64
		c.patch(ctx, n, "", map[string]any{"metadata": map[string]any{"labels": n.labels()}})
		c.resize(ctx, n)
	}
	left, err := env.Client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	pods := make([]*corev1.Pod, 0, len(left.Items))
	for i := range left.Items {
		pods = append(pods, &left.Items[i])
	}
	waitAllBound(ctx, c.t, pods)
}

// removeAll removes what the churn has left.
func (c *churn) removeAll(ctx context.Context) {
	now := *metav1.NewDeleteOptions(0)
	c.check(ctx, "removing Pods", env.Client.CoreV1().Pods(namespace).DeleteCollection(ctx, now, metav1.ListOptions{}))
	for _, n := range c.nodes {
		c.check(ctx, "removing node "+n.Name, env.Client.CoreV1().Nodes().Delete(ctx, n.Name, now))
	}
}

// strictlyOvercommitted complains about nodes of one scheduler only that had too much on them for a moment.
func (c *churn) strictlyOvercommitted() []string {
	var complaints []string
	for node, factor := range c.ledger.overcommitted() {
		if !strings.HasPrefix(node, sharedPool) {
			complaints = append(complaints, fmt.Sprintf("node %s was overcommitted: %.2f times what it has", node, factor))
		}
	}
	return complaints
}

// foreignEvents complains about events of a scheduler about a Pod of the other one's.
func foreignEvents(ctx context.Context, t *testing.T) []string {
	t.Helper()
	events, err := env.Client.EventsV1().Events(namespace).List(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("regarding.kind", "Pod").String(),
	})
	if err != nil {
		t.Fatal(err)
	}
	var complaints []string
	for _, event := range events.Items {
		others := corev1.DefaultSchedulerName
		if event.ReportingController == others {
			others = ownScheduler
		}
		if strings.HasPrefix(event.Regarding.Name, others+"-") { // events of other tests are there too
			complaints = append(complaints, fmt.Sprintf("%s wrote %s about Pod %s", event.ReportingController, event.Reason,
				event.Regarding.Name))
		}
	}
	return complaints
}

// foreignWrites complains about Pods whose status is written by the scheduler that they are not for.
func foreignWrites(ctx context.Context, t *testing.T) []string {
	t.Helper()
	foreign := map[string]string{ownScheduler: "kube-scheduler", corev1.DefaultSchedulerName: "kubectl-sched"}
	pods, err := env.Client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var complaints []string
	for _, pod := range pods.Items {
		for _, fields := range pod.ManagedFields {
			if fields.Manager == foreign[pod.Spec.SchedulerName] {
				complaints = append(complaints, fmt.Sprintf("%s wrote to Pod %s", fields.Manager, pod.Name))
			}
		}
	}
	return complaints
}

// misdecided complains about decisions about Pods of the other scheduler, and about Pods whose binding was not told
// just once, with their node.
func (c *churn) misdecided(decisions []report.Decision) []string {
	bound := c.ledger.boundBy(ownScheduler)
	var complaints []string
	for _, decision := range decisions {
		name := decision.Metadata.Name
		if !strings.HasPrefix(name, ownScheduler+"-") {
			complaints = append(complaints, "it decided about Pod "+name)
		}
		if decision.Result != report.ResultBound {
			continue
		}
		if node := bound[name]; node != decision.NodeName {
			complaints = append(complaints, fmt.Sprintf("Pod %s is said to be bound to %q, and was on %q or was told before",
				name, decision.NodeName, node))
		}
		delete(bound, name)
	}
	for name, node := range bound {
		complaints = append(complaints, fmt.Sprintf("Pod %s was bound to %s, and nothing was told of it", name, node))
	}
	return complaints
}
