//go:build e2e

package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/test/e2e/faults"
)

// What `run` says on stderr when it hears nothing of the cluster any more, and when it does again.
const (
	saysUnwatched = "Nodes and Pods are not watched since"
	saysWatched   = "The watches of Nodes and Pods are back."
)

// A run goes on through whatever happens to the API server and the way to it, while Pods come all the time: at the end
// each is bound, once.
func TestRunThroughOutages(t *testing.T) {
	for name, happens := range map[string]func(context.Context, *testing.T, *disturbed){
		"the API server is killed and started again": killAPIServer,
		"etcd is killed and started again":           killEtcd,
		"all connections are cut again and again":    cutConnections,
		"the watches are cut again and again":        cutWatches,
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			fullNodes(ctx, t, 50)
			proxy, through := startFaults(t, faults.Options{Hits: faults.IsBinding})
			d := &disturbed{runProcess: startRun(ctx, t, through), proxy: proxy}
			watch := watchPods(ctx, t)
			pods := fillers(50 * perNode)
			created := inflow(ctx, t, pods, 20*time.Millisecond)
			d.waitMore(ctx, t, 60)
			happens(ctx, t, d)
			<-created
			waitAllBound(ctx, t, pods)
			d.stop(t)
			checkRun(ctx, t, watch, pods, d.runProcess)
		})
	}
}

// disturbed is a run to which something happens.
type disturbed struct {
	*runProcess
	proxy *faults.Proxy // that is between it and the API server
}

// killAPIServer keeps the API server away until the run has told of it.
func killAPIServer(ctx context.Context, t *testing.T, d *disturbed) {
	env.KillAPIServer()
	d.waitSaid(ctx, t, saysUnwatched)
	restartAPIServer(ctx, t)
	d.waitSaid(ctx, t, saysWatched)
}

func killEtcd(ctx context.Context, t *testing.T, _ *disturbed) {
	if err := env.RestartEtcd(ctx); err != nil {
		t.Fatal(err)
	}
}

func cutConnections(ctx context.Context, t *testing.T, d *disturbed) {
	for range 3 {
		d.proxy.Cut()
		d.waitMore(ctx, t, 30)
	}
}

func cutWatches(ctx context.Context, t *testing.T, d *disturbed) {
	for range 3 {
		d.proxy.CutWatches()
		d.waitMore(ctx, t, 30)
	}
}

// waitMore waits until more Pods are bound.
func (d *disturbed) waitMore(ctx context.Context, t *testing.T, count int) {
	t.Helper()
	count += countOf(d.decisions(), report.ResultBound)
	d.waitFor(ctx, t, "more Pods to be bound", func(decisions []report.Decision) bool {
		return countOf(decisions, report.ResultBound) >= count
	})
}

// Requests and answers are lost, or are refused now and then: each Pod is bound once, and the room of those of which
// nobody knows whether they are bound is given to nobody else.
func TestRunThroughFaults(t *testing.T) {
	ctx := t.Context()
	fullNodes(ctx, t, 25)
	counts := map[faults.Fault]int{
		faults.None: 60, faults.Lost: 8, faults.AnswerLost: 16, faults.NeverAnswered: 2, faults.Late: 8, faults.Conflict: 8,
		faults.TooManyRequests: 8, faults.ServerError: 8, faults.ServerErrorAfter: 8,
	}
	through := startProxy(t, counts, faults.Options{Hits: isWriteOrGet})
	run := startRun(ctx, t, through)
	watch := watchPods(ctx, t)
	pods := fillers(25 * perNode)
	<-inflow(ctx, t, pods, 10*time.Millisecond)
	waitAllBound(ctx, t, pods)
	run.waitFor(ctx, t, "all Pods to be told", func(decisions []report.Decision) bool {
		return countOf(decisions, report.ResultBound) == len(pods)
	})
	run.stop(t)
	checkRun(ctx, t, watch, pods, run)
}

// SIGTERM in mid-work finishes the Bindings that are under way, tells of each, and leaves the other Pods as they are.
func TestRunTerminated(t *testing.T) {
	ctx := t.Context()
	fullNodes(ctx, t, 50)
	_, through := startFaults(t, faults.Options{
		Hits:  faults.IsBinding,
		Deck:  faults.NewDeck(0, map[faults.Fault]int{faults.Late: 50 * perNode}),
		Delay: time.Second, // so that some are always under way
	})
	run := startRun(ctx, t, through)
	watch := watchPods(ctx, t)
	pods := fillers(50 * perNode)
	created := inflow(ctx, t, pods, 10*time.Millisecond)
	watch.waitBound(ctx, t, 60)
	run.terminate(t)
	<-created

	after := readAftermath(ctx, t)
	watch.catchUp(ctx, t, after)
	told := countOf(run.decisions(), report.ResultBound)
	unbound := after.unbound(pods)
	if told != len(pods)-len(unbound) || len(unbound) == 0 {
		t.Errorf("%d of %d Pods are bound, and %d are said to be; want all of those told, and some left",
			len(pods)-len(unbound), len(pods), told)
	}
	if said := run.stderr.String(); !strings.Contains(said, "Stopping: bindings in flight are finished first") {
		t.Errorf("the run says %q, want that it finishes Bindings", said)
	}
	wantNone(t, after.lost(pods), after.moved(watch), after.broken(), after.mistold(run.decisions()), after.blamed(pods))

	next := startRun(ctx, t, env.kubectl)
	waitAllBound(ctx, t, pods)
	next.stop(t)
	checkRun(ctx, t, watch, pods, run, next)
}
