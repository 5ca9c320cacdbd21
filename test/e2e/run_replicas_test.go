//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	storagehelpers "k8s.io/component-helpers/storage/volume"

	"github.com/kubectl-sched/kubectl-sched/test/e2e/controlplane"
	"github.com/kubectl-sched/kubectl-sched/test/e2e/faults"
)

// ownScheduler is the schedulerName of the Pods that `run` schedules when nothing else is said.
const ownScheduler = "kubectl-sched"

// election is a Lease and how its holder keeps it.
type election struct{ duration, renew, retry time.Duration }

var (
	defaultElection = election{duration: 15 * time.Second, renew: 10 * time.Second, retry: 2 * time.Second}
	quickElection   = election{duration: 6 * time.Second, renew: 4 * time.Second, retry: time.Second}
)

// flags are those of a replica; the Lease is removed when the test ends.
func (e election) flags(ctx context.Context, t *testing.T) []string {
	t.Helper()
	name := strings.ToLower(strings.NewReplacer("/", "-", " ", "-").Replace(t.Name()))
	t.Cleanup(func() {
		leases := env.Client.CoordinationV1().Leases(metav1.NamespaceSystem)
		_ = leases.Delete(context.WithoutCancel(ctx), name, metav1.DeleteOptions{}) // there may be none
	})
	return []string{
		"--leader-elect", "--leader-elect-resource-name=" + name,
		fmt.Sprintf("--leader-elect-lease-duration=%s", e.duration),
		fmt.Sprintf("--leader-elect-renew-deadline=%s", e.renew),
		fmt.Sprintf("--leader-elect-retry-period=%s", e.retry),
	}
}

// The leader is killed in mid-work, with Pods whose volumes are on their way. The standby, which has done nothing
// before, takes over when the Lease is over and not before, and finishes the work: every Pod is bound once.
func TestRunWhoseLeaderIsKilled(t *testing.T) {
	for name, lease := range electionsOf(t) {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			fullNodes(ctx, t, 50)
			replicas := startReplicas(ctx, t, lease.flags(ctx, t))
			watch := watchPods(ctx, t)
			owners := heldOwners(ctx, t, 8)
			waitHeld(ctx, t, watch, owners)
			pods := fillers(400)
			createMany(ctx, t, pods)
			pods = append(pods, owners...)
			watch.waitBound(ctx, t, 60)

			killed := time.Now()
			replicas.leader.kill()
			boundBefore := len(watch.order())
			replicas.checkStandbyIdle(t)
			replicas.standby.waitSaid(ctx, t, "Leading")
			letGoOf(ctx, t, owners)
			watch.waitBound(ctx, t, len(pods))
			replicas.standby.stop(t)

			took := beganAt(replicas.standby.decisions()).Sub(killed)
			t.Logf("lease %s, renew deadline %s, retry period %s: of %d Pods %d were bound when the leader was killed; "+
				"the standby decided %s later", lease.duration, lease.renew, lease.retry, len(pods), boundBefore,
				took.Round(10*time.Millisecond))
			if most := lease.duration + 2*lease.retry + 3*time.Second; took > most {
				t.Errorf("the standby took %s to take over, want at most %s", took, most)
			}
			if least := lease.duration - 2*lease.retry; took < least {
				t.Errorf("the standby took over after %s, and must leave the Lease alone for %s", took, least)
			}
			checkRun(ctx, t, watch, pods, replicas.leader, replicas.standby)
		})
	}
}

// electionsOf are the elections that are tried: kube-scheduler's takes longer, and is for `make soak`.
func electionsOf(t *testing.T) map[string]election {
	t.Helper()
	elections := map[string]election{"quick": quickElection}
	if os.Getenv(soakVariable) != "" {
		elections["default"] = defaultElection
	}
	return elections
}

// A leader that is asked to end finishes its Bindings and hands the Lease over at once.
func TestRunWhoseLeaderIsStopped(t *testing.T) {
	ctx := t.Context()
	lease := defaultElection
	lease.retry = time.Second
	fullNodes(ctx, t, 50)
	replicas := startReplicas(ctx, t, lease.flags(ctx, t))
	watch := watchPods(ctx, t)
	pods := fillers(400)
	created := inflow(ctx, t, pods, 20*time.Millisecond)
	watch.waitBound(ctx, t, 60)
	replicas.checkStandbyIdle(t)
	asked := time.Now()
	replicas.leader.terminate(t)
	ended := time.Now()
	boundBefore := len(watch.order())
	<-created
	watch.waitBound(ctx, t, len(pods))
	replicas.standby.stop(t)

	took := beganAt(replicas.standby.decisions()).Sub(ended)
	t.Logf("lease %s, retry period %s: of %d Pods %d were bound when the leader had ended, %s after SIGTERM; the standby "+
		"decided %s later", lease.duration, lease.retry, len(pods), boundBefore, ended.Sub(asked).Round(10*time.Millisecond),
		took.Round(10*time.Millisecond))
	if most := 2*lease.retry + 2*time.Second; took > most {
		t.Errorf("the standby took %s to take over, want at most %s", took, most)
	}
	checkRun(ctx, t, watch, pods, replicas.leader, replicas.standby)
}

// replicas are two runs that share a Lease.
type replicas struct {
	leader, standby *runProcess
	// written are the requests with which the standby wrote anything but the Lease.
	written *requestLog
}

// startReplicas starts two runs, and returns when one leads and the other stands by.
func startReplicas(ctx context.Context, t *testing.T, flags []string) replicas {
	t.Helper()
	r := replicas{written: &requestLog{}}
	// The leader is slow, so that much is left to the other.
	r.leader = startRun(ctx, t, env.kubectl, append(flags, "--qps=20", "--burst=20")...)
	r.leader.waitSaid(ctx, t, "Leading")
	_, spied := startFaults(t, faults.Options{Hits: r.written.keep})
	r.standby = startRun(ctx, t, spied, flags...)
	r.standby.waitSaid(ctx, t, "Standing by")
	return r
}

// checkStandbyIdle checks that the standby has neither decided nor written anything.
func (r replicas) checkStandbyIdle(t *testing.T) {
	t.Helper()
	if decisions, written := r.standby.decisions(), r.written.all(); len(decisions)+len(written) > 0 {
		t.Errorf("the standby decided about %d Pods and sent %q, want it to do nothing", len(decisions), written)
	}
}

// heldOwners creates Pods of `run` that need no room but a volume each, which is not made before letGoOf.
func heldOwners(ctx context.Context, t *testing.T, count int) []*corev1.Pod {
	t.Helper()
	create(ctx, t, yardClasses()...)
	createMany(ctx, t, several(count, func(i int) *corev1.PersistentVolumeClaim {
		held := claim(fmt.Sprintf("disk-%d", i), "disk")
		held.Annotations = pairsOf(controlplane.AnnHeld, "true")
		return held
	}))
	owners := several(count, func(i int) *corev1.Pod {
		return pod(fmt.Sprintf("owner-%d", i), schedulerName(ownScheduler), claims(fmt.Sprintf("disk-%d", i)))
	})
	createMany(ctx, t, owners)
	return owners
}

// waitHeld waits until the owners have a node, and wait for their volumes there.
func waitHeld(ctx context.Context, t *testing.T, watch *podWatch, owners []*corev1.Pod) {
	t.Helper()
	watch.waitFor(ctx, t, "owners to wait for their volumes", func() bool {
		return !slices.ContainsFunc(owners, func(owner *corev1.Pod) bool {
			name := owner.Spec.Volumes[0].PersistentVolumeClaim.ClaimName
			held, err := env.Client.CoreV1().PersistentVolumeClaims(namespace).Get(ctx, name, metav1.GetOptions{})
			return err != nil || held.Annotations[storagehelpers.AnnSelectedNode] == ""
		})
	})
}

// letGoOf lets the volumes of the owners be made.
func letGoOf(ctx context.Context, t *testing.T, owners []*corev1.Pod) {
	t.Helper()
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:null}}}`, controlplane.AnnHeld)
	for _, owner := range owners {
		name := owner.Spec.Volumes[0].PersistentVolumeClaim.ClaimName
		_, err := env.Client.CoreV1().PersistentVolumeClaims(namespace).Patch(ctx, name, types.MergePatchType, patch,
			metav1.PatchOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
}
