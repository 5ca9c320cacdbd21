//go:build e2e

package e2e

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// A bulk run binds every Pod that fits, each once, and nothing else: what is left over fits nowhere, no node has more
// than it can take, and the results say what is.
func TestBindPendingOfAMixedCluster(t *testing.T) {
	ctx := t.Context()
	removeClaims(ctx, t)
	create(ctx, t, yardClasses()...)
	createMany(ctx, t, yardNodes())
	needs := mixNeeds()
	create(ctx, t, needs...)
	waitVolumes(ctx, t, needs)
	bySort := map[string][]*corev1.Pod{}
	var pods []*corev1.Pod
	for _, sort := range mix() {
		bySort[sort.name] = sort.pods()
		pods = append(pods, bySort[sort.name]...)
	}
	createMany(ctx, t, pods)
	watch := watchPods(ctx, t)

	run := runBind(ctx, t, "--pending", "-A")
	run.wantExit(t, 1)
	if len(run.results) != len(pods) {
		t.Errorf("bind gave %d results for %d Pods", len(run.results), len(pods))
	}
	for _, sort := range mix() {
		got := tally(run.results, bySort[sort.name])
		if diff := cmp.Diff(sort.want, got); sort.want != nil && diff != "" {
			t.Errorf("results of the Pods %s-* (-want +got):\n%s", sort.name, diff)
		}
	}
	checkAll(ctx, t, watch, run, pods)
	checkNoneLeft(ctx, t)
	checkPreemptionTold(t, resultOf(run.results, bySort["noble"][0]))
}

// checkAll checks what must be true after any run that nothing disturbed.
func checkAll(ctx context.Context, t *testing.T, watch *podWatch, run bindRun, pods []*corev1.Pod) {
	t.Helper()
	after := readAftermath(ctx, t)
	watch.catchUp(ctx, t, after)
	wantNone(t, after.lost(pods), after.moved(watch), after.broken(), after.untrue(run.results, pods),
		after.unsung(run.results, pods))
}

// checkNoneLeft asks `explain` whether a Pod that is still pending would fit.
func checkNoneLeft(ctx context.Context, t *testing.T) {
	t.Helper()
	waitCaches(ctx, t)
	out := env.kubectl.run(ctx, t, "sched", "explain", "--pending", "-A", "-o", "json")
	left, err := itemsOf[report.Explanation](out.stdout)
	if err != nil {
		t.Fatalf("explain did not print Explanations: %v\n%s", err, out.stderr)
	}
	var complaints []string
	for _, said := range left {
		if said.Verdict == report.Schedulable {
			complaints = append(complaints, "Pod "+said.Metadata.Name+" was not bound and fits on node "+said.NodeName)
		}
	}
	wantNone(t, complaints)
}

func checkPreemptionTold(t *testing.T, noble report.Binding) {
	t.Helper()
	preemption := noble.Preemption
	if preemption == nil || preemption.NodeName != "n24" || len(preemption.Victims) == 0 ||
		preemption.Victims[0].Name != "settler" {
		t.Errorf("the result of Pod %s tells preemption %+v, want it on n24 of settler", noble.Metadata.Name, preemption)
	}
}

// When every Pod is bound, the exit code says so.
func TestBindOfPodsThatAllFit(t *testing.T) {
	ctx := t.Context()
	create(ctx, t, node("n1"), node("n2"))
	pods := several(4, func(i int) *corev1.Pod { return pod("fits-"+string("abcd"[i]), requests("cpu", "2")) })
	createMany(ctx, t, pods)
	watch := watchPods(ctx, t)

	run := runBind(ctx, t, "pod/fits-a", "pod/fits-b", "-n", namespace)
	run.wantExit(t, 0)
	checkAll(ctx, t, watch, run, pods[:2])
	rest := runBind(ctx, t, "--pending", "-n", namespace)
	rest.wantExit(t, 0)
	checkAll(ctx, t, watch, rest, pods[2:])
	if names := readAftermath(ctx, t).unbound(pods); len(names) > 0 {
		t.Errorf("Pods %q are not bound", names)
	}
}

// Pods that nobody may bind are refused, each with a sentence, and stay as they are.
func TestBindRefuses(t *testing.T) {
	ctx := t.Context()
	bound := pod("bound", on("n1"))
	finished := pod("finished", on("n1"), succeeded)
	gated, ending := pod("gated", gates("example.com/quota")), terminating(pod("ending"))
	pods := []*corev1.Pod{bound, finished, gated, ending}
	create(ctx, t, node("n1"))
	createMany(ctx, t, pods)
	watch := watchPods(ctx, t)
	for _, pod := range pods {
		t.Run(pod.Name, func(t *testing.T) {
			run := runBind(ctx, t, "pod/"+pod.Name, "-n", namespace)
			run.wantExit(t, 1)
			got := resultOf(run.results, pod)
			if got.Result != report.ResultRefused || got.Reason == "" || got.Tries != 0 {
				t.Errorf("the result is %+v, want it Refused with a reason", got)
			}
		})
	}
	after := readAftermath(ctx, t)
	wantNone(t, after.lost(pods), after.moved(watch))
	if left := after.unbound(pods); !slices.Equal(left, []string{"gated", "ending"}) {
		t.Errorf("Pods %q have no node, want gated and ending", left)
	}
}
