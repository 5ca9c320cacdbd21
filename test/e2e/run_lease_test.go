//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/test/e2e/faults"
)

// saysLost is what a leader says whose Lease could not be renewed.
const saysLost = "error: lost the Lease kube-system/"

// A leader that cannot renew its Lease, while its Bindings get through, ends before another one leads: no Binding of it
// comes later, not even one that was sent before.
func TestRunThatLosesItsLeaseInMidWork(t *testing.T) {
	const nodes = 16
	ctx := t.Context()
	fullNodes(ctx, t, nodes)
	proxy, through := startFaults(t, faults.Options{
		Hits:  faults.IsBinding,
		Deck:  faults.NewDeck(0, map[faults.Fault]int{faults.Late: nodes * perNode}),
		Delay: 7 * time.Second, // so that many are under way when the Lease is lost, and would come too late
	})
	flags := quickElection.flags(ctx, t)
	first := startRun(ctx, t, through, append(flags, "--qps=10", "--burst=10")...)
	first.waitSaid(ctx, t, "Leading")
	// The other is slower, or else it would bind those Pods before.
	second := startRun(ctx, t, env.kubectl, append(flags, "--qps=5", "--burst=1")...)
	second.waitSaid(ctx, t, "Standing by")
	watch := watchPods(ctx, t)
	pods := fillers(nodes * perNode)
	createMany(ctx, t, pods)
	watch.waitBound(ctx, t, 5)

	proxy.Block(isLease)
	blocked := time.Now()
	first.waitEnd(t, 2)
	ended := time.Now()
	if said := first.stderr.String(); !strings.Contains(said, saysLost) {
		t.Errorf("the leader says %q, want that it lost the Lease", said)
	}
	waitAllBound(ctx, t, pods)
	second.stop(t)
	checkRun(ctx, t, watch, pods, first, second)
	begun := beganAt(second.decisions())
	wantNone(t, boundLate(watch, pods, second, begun))
	t.Logf("the leader had ended %s after its Lease was blocked, the other decided after %s; they bound %d and %d Pods",
		ended.Sub(blocked).Round(10*time.Millisecond), begun.Sub(blocked).Round(10*time.Millisecond),
		countOf(first.decisions(), report.ResultBound), countOf(second.decisions(), report.ResultBound))
}

func isLease(r *http.Request) bool { return strings.Contains(r.URL.Path, "/leases") }

// boundLate complains about Pods that were bound after a run had begun, and not by it.
func boundLate(watch *podWatch, pods []*corev1.Pod, run *runProcess, begun time.Time) []string {
	own := map[string]bool{}
	for _, decision := range run.decisions() {
		own[decision.Metadata.Name] = own[decision.Metadata.Name] || decision.Result == report.ResultBound
	}
	var complaints []string
	for _, pod := range pods {
		if at := watch.boundAt(pod); at.After(begun) && !own[pod.Name] {
			complaints = append(complaints, fmt.Sprintf("Pod %s was bound %s after another one led", pod.Name, at.Sub(begun)))
		}
	}
	return complaints
}

// When the API server is away for longer than a Lease lasts, its holder ends, and says why. Nobody binds anything until
// another one has the Lease, and that one knows what was bound last.
func TestRunThatLosesItsLeaseInAnOutage(t *testing.T) {
	ctx := t.Context()
	fullNodes(ctx, t, 50)
	flags := quickElection.flags(ctx, t)
	first := startRun(ctx, t, env.kubectl, append(flags, "--qps=20", "--burst=20")...)
	first.waitSaid(ctx, t, "Leading")
	second := startRun(ctx, t, env.kubectl, flags...)
	second.waitSaid(ctx, t, "Standing by")
	watch := watchPods(ctx, t)
	pods := fillers(50 * perNode)
	created := inflow(ctx, t, pods, 20*time.Millisecond)
	watch.waitBound(ctx, t, 60)

	env.KillAPIServer()
	killed := time.Now()
	first.waitEnd(t, 2)
	ended := time.Now()
	if said := first.stderr.String(); !strings.Contains(said, saysLost) {
		t.Errorf("the leader says %q, want that it lost the Lease", said)
	}
	restartAPIServer(ctx, t)
	restarted := time.Now()
	<-created
	waitAllBound(ctx, t, pods)
	second.stop(t)
	checkRun(ctx, t, watch, pods, first, second)
	t.Logf("the leader ended %s after the API server did; the other decided %s after that was back", ended.Sub(killed),
		beganAt(second.decisions()).Sub(restarted))
}

// A standby that hears nothing of the cluster any more takes the Lease, and begins when it knows what was bound
// meanwhile.
func TestRunThatTakesOverUninformed(t *testing.T) {
	ctx := t.Context()
	fullNodes(ctx, t, 25)
	flags := quickElection.flags(ctx, t)
	first := startRun(ctx, t, env.kubectl, append(flags, "--qps=20", "--burst=20")...)
	first.waitSaid(ctx, t, "Leading")
	var renewals atomic.Int32
	proxy, through := startFaults(t, faults.Options{Hits: func(r *http.Request) bool {
		if isLease(r) && r.Method == http.MethodPut {
			renewals.Add(1)
		}
		return false
	}})
	second := startRun(ctx, t, through, flags...)
	second.waitSaid(ctx, t, "Standing by")
	watch := watchPods(ctx, t)
	pods := fillers(25 * perNode)
	createMany(ctx, t, pods)
	watch.waitBound(ctx, t, 40)

	proxy.Block(func(r *http.Request) bool { return r.Method == http.MethodGet && !isLease(r) })
	proxy.CutWatches()
	watch.waitBound(ctx, t, 80)
	first.kill()
	second.waitSaid(ctx, t, "Leading")
	watch.waitFor(ctx, t, "the new leader to renew the Lease", func() bool { return renewals.Load() > 2 })
	if decisions := second.decisions(); len(decisions) > 0 {
		t.Errorf("the new leader made %d decisions without knowing the cluster", len(decisions))
	}
	proxy.Block(nil)
	waitAllBound(ctx, t, pods)
	second.stop(t)
	checkRun(ctx, t, watch, pods, first, second)
}
