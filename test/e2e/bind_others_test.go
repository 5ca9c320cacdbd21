//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// Of two runs at the same time one waits for the other, or gives up, and says so.
func TestBindTwiceAtTheSameTime(t *testing.T) {
	ctx := t.Context()
	pods := crowd(ctx, t, 300)
	watch := watchPods(ctx, t)
	first := startBind(ctx, t, env.kubectl, "--pending", "-A")
	watch.waitBound(ctx, t, 1)
	second := startBind(ctx, t, env.kubectl, "--pending", "-A")
	runs := []bindRun{endOf(t, first), endOf(t, second)}
	after := readAftermath(ctx, t)
	watch.catchUp(ctx, t, after)
	wantNone(t, after.lost(pods), after.unbound(pods), after.moved(watch), after.broken())
	wantNone(t, after.untrue(runs[0].results, pods), after.unsung(runs[0].results, pods))
	runs[0].wantExit(t, 0)
	if said := runs[1].stderr; !strings.Contains(said, "Another bind is at work") {
		t.Errorf("the second run says %q on stderr, want that another one is at work", said)
	}
	t.Logf("the second run: exit code %d, %d results, stderr %q", runs[1].exitCode, len(runs[1].results), runs[1].stderr)
}

// Beside a kube-scheduler that works on the same Pods, each Pod is bound once, by one of the two. They can overcommit a
// node together, since the API server does not check; but not by a Binding of ours on what was known long before, and
// when ours comes last, its result says so.
func TestBindBesideKubeScheduler(t *testing.T) {
	for name, flags := range map[string][]string{
		"that decides long before it binds": nil, // for its default rate limit holds up the Bindings
		"that binds at once":                {"--config=" + writeFastConfig(t)},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			pods := crowd(ctx, t, 320) // just as many as the nodes take
			watch := watchPods(ctx, t)
			running := startBind(ctx, t, env.kubectl, "--pending", "-A")
			watch.waitBound(ctx, t, 20)
			scheduler := startScheduler(t, flags...)
			run := endOf(t, running)
			watch.waitBound(ctx, t, len(pods))
			scheduler.Kill()
			after := readAftermath(ctx, t)
			watch.catchUp(ctx, t, after)
			wantNone(t, after.lost(pods), after.unbound(pods), after.moved(watch), after.untrue(run.results, pods),
				after.unsung(run.results, pods), overcommitments(after, watch, run))
			counts := tally(run.results, pods)
			t.Logf("results %v, %d nodes overcommitted", counts, len(after.overcommitted()))
			if counts[report.ResultBound] == 0 || counts[report.ResultBoundElsewhere] == 0 {
				t.Errorf("results %v: the two did not work at the same time", counts)
			}
		})
	}
}

// known is when a run must have heard of a Binding, on a busy machine.
const known = time.Second

// overcommitments complains about nodes that a Binding of the run overcommitted although the run could know, or did not
// tell.
func overcommitments(after *aftermath, watch *podWatch, run bindRun) []string {
	const fits = 8 // Pods of the crowd on one node
	var complaints []string
	for node := range after.overcommitted() {
		pods := watch.sortByBinding(after.on(node))
		for i := fits; i < len(pods); i++ {
			result := resultOf(run.results, pods[i])
			if result.Result != report.ResultBound {
				continue // kube-scheduler did it
			}
			if since := watch.boundAt(pods[i]).Sub(watch.boundAt(pods[i-1])); since > known {
				complaints = append(complaints, fmt.Sprintf("node %s was full for %v when Pod %s was bound to it",
					node, since, pods[i].Name))
			}
			if i == len(pods)-1 && len(result.Overcommitted) == 0 {
				complaints = append(complaints, fmt.Sprintf("Pod %s overcommitted node %s, and its result does not tell",
					pods[i].Name, node))
			}
		}
	}
	return complaints
}
