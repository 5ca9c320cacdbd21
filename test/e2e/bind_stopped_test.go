//go:build e2e

package e2e

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// A run that is interrupted finishes the requests in flight and tells what it did: every Pod has a result, and it is
// true.
func TestBindInterrupted(t *testing.T) {
	ctx := t.Context()
	pods := crowd(ctx, t, 300)
	watch := watchPods(ctx, t)
	running := startBind(ctx, t, env.kubectl, "--pending", "-A")
	watch.waitBound(ctx, t, 20)
	if err := running.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	run := endOf(t, running)
	after := readAftermath(ctx, t)
	watch.catchUp(ctx, t, after)
	wantNone(t, after.lost(pods), after.moved(watch), after.broken(), after.untrue(run.results, pods),
		after.unsung(run.results, pods))
	counts := tally(run.results, pods)
	if results := slices.Sorted(maps.Keys(counts)); !slices.Equal(results, []report.Result{
		report.ResultBound, report.ResultSkipped,
	}) || run.exitCode == 0 {
		t.Errorf("the run ended with exit code %d and results %v, want some Bound, the others Skipped\nstderr: %s\nnot bound: %s",
			run.exitCode, counts, run.stderr, run.notBound())
	}
}

// After a run that was killed, with claims of volumes and devices on their way, the next one goes on. Somebody removes the
// Lease that the killed one still holds; otherwise it would be waited for.
func TestBindAfterOneThatWasKilled(t *testing.T) {
	ctx := t.Context()
	create(ctx, t, yardClasses()...)
	pods := crowd(ctx, t, 304)
	owners, needs := ownersOf(20)
	create(ctx, t, append(deviceDriver(), needs...)...)
	createMany(ctx, t, owners)
	pods = append(pods, owners...)
	watch := watchPods(ctx, t)
	killed := startBind(ctx, t, env.kubectl, "--pending", "-A")
	watch.waitBound(ctx, t, 20)
	if err := killed.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	killed.wait(t)
	boundBefore := len(watch.order())
	leases := env.Client.CoordinationV1().Leases(bind.LeaseNamespace)
	if err := leases.Delete(ctx, bind.LeaseName, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}

	run := runBindThrough(ctx, t, env.kubectl, "--pending", "-A")
	run.wantExit(t, 0)
	after := readAftermath(ctx, t)
	watch.catchUp(ctx, t, after)
	wantNone(t, after.lost(pods), after.unbound(pods), after.moved(watch), after.broken())
	t.Logf("%d of %d Pods were bound by the run that was killed", boundBefore, len(pods))
}

// ownersOf makes Pods that come first, all but one with a claim of a volume, one with a claim of a device.
func ownersOf(count int) (owners []*corev1.Pod, claimed []object) {
	for i := range count - 1 {
		disk := claim(fmt.Sprintf("disk-%d", i), "disk")
		claimed = append(claimed, disk)
		owners = append(owners, pod(fmt.Sprintf("owner-%d", i), claims(disk.Name), priorityClass("high")))
	}
	return append(owners, pod("card", deviceClaims("card"), priorityClass("high"))),
		append(claimed, deviceClaim("card", "card", 1))
}
