//go:build e2e

package e2e

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	"k8s.io/utils/clock"

	"github.com/kubectl-sched/kubectl-sched/test/e2e/faults"
)

// A leader that was paused for longer than its Lease, as by SIGSTOP or a machine that sleeps, writes nothing about Pods
// when it goes on: another one has done so meanwhile. That it failed, and which Pods, its events still say.
func TestRunWhoseLeaderIsPaused(t *testing.T) {
	ctx := t.Context()
	lease := quickElection
	flags := lease.flags(ctx, t)
	fullNodes(ctx, t, 50)
	written := &requestLog{}
	_, spied := startFaults(t, faults.Options{Hits: written.keep})
	// It is slow, so that much is left when it is paused.
	leader := startRun(ctx, t, spied, append(flags, "--qps=20", "--burst=20")...)
	leader.waitSaid(ctx, t, "Leading")
	standby := startRun(ctx, t, env.kubectl, flags...)
	standby.waitSaid(ctx, t, "Standing by")
	watch := watchPods(ctx, t)
	pods := fillers(400)
	createMany(ctx, t, pods)
	watch.waitBound(ctx, t, 60)

	leader.signal(t, syscall.SIGSTOP)
	standby.waitSaid(ctx, t, "Leading")
	watch.waitBound(ctx, t, len(pods))
	sent := written.decisions()
	leader.signal(t, syscall.SIGCONT)
	leader.waitEnd(t, 2)
	if late := written.decisions()[len(sent):]; len(late) > 0 {
		t.Errorf("the leader that was paused wrote when it went on, %d times: %q", len(late), late)
	}
	if !strings.Contains(leader.stderr.String(), "lost the Lease") {
		t.Errorf("the leader that was paused does not say why it ended: %s", leader.stderr)
	}
	standby.stop(t)
	checkRun(ctx, t, watch, pods, leader, standby)
}

// signal sends a signal, and returns when it has had its effect.
func (r *runProcess) signal(t *testing.T, signal syscall.Signal) {
	t.Helper()
	if err := r.cmd.Process.Signal(signal); err != nil {
		t.Fatalf("sending %s to %q: %v", signal, r.cmd.Args, err)
	}
	<-clock.RealClock{}.After(pollInterval)
}

// decisions are the requests that write anything but events.
func (l *requestLog) decisions() []string {
	return slices.DeleteFunc(l.all(), func(request string) bool { return strings.Contains(request, "/events") })
}
