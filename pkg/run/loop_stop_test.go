package run_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	fwk "k8s.io/kube-scheduler/framework"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
	"github.com/kubectl-sched/kubectl-sched/pkg/run"
)

// holder is a Permit plugin that has every Pod wait, and takes as long for that as the test says.
type holder struct{ asked, answer chan struct{} }

func (holder) Name() string { return "Holder" }

func (h holder) Permit(context.Context, fwk.CycleState, *corev1.Pod, string) (*fwk.Status, time.Duration) {
	close(h.asked)
	<-h.answer
	return fwk.NewStatus(fwk.Wait), time.Hour
}

// withPermit has a Permit plugin linked in and enabled.
func withPermit(t *testing.T, name string, factory frameworkruntime.PluginFactory) run.LoopOptions {
	t.Helper()
	config, err := upstream.DefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	permit := &config.KubeSchedulerConfiguration.Profiles[0].Plugins.Permit
	permit.Enabled = append(permit.Enabled, schedulerapi.Plugin{Name: name})
	return run.LoopOptions{Config: config, Plugins: upstream.Registry{name: factory}}
}

// A Pod that comes to wait for others only when the Loop is to stop is sent back as well.
func TestRunSendsBackPodsThatComeToWait(t *testing.T) {
	server := newAPIServer(t, nodeText("n1"), podText("a", "1"))
	h := holder{make(chan struct{}), make(chan struct{})}
	factory := func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return h, nil }
	loop, decided := server.loop(withPermit(t, h.Name(), factory))
	ctx, cancel := context.WithCancel(upstream.Quiet(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- loop.Run(ctx, nil) }()
	<-h.asked
	cancel()
	soon, stop := context.WithTimeout(t.Context(), 50*time.Millisecond) // until it has heard of that
	defer stop()
	select {
	case err := <-ended:
		t.Fatalf("it ended in the middle of a cycle: %v", err)
	case <-soon.Done():
	}
	close(h.answer)
	waitUntil(t, "the Loop ends", func() bool { return len(ended) > 0 })
	if t.Failed() {
		return
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	want := []string{"a Skipped n1: the scheduler was stopped before it was bound"}
	if diff := cmp.Diff(want, decided.lines()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A Pod may be taken up anew while what was decided before is still being written about it.
func TestDecisionsDoNotMixUpTwoTriesOfAPod(t *testing.T) {
	server := newAPIServer(t, nodeText("n1"), podText("a", "1"))
	patched, again := make(chan struct{}), make(chan struct{})
	server.before = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPatch && strings.HasSuffix(r.URL.Path, "/status") {
			<-again
			close(patched)
		}
		return false
	}
	binder := server.binder()
	var calls atomic.Int32
	clock := clocktesting.NewFakeClock(time.Now())
	var loop *run.Loop
	var decided *decisions
	loop, decided = server.loop(run.LoopOptions{
		Clock: clock,
		Binder: binderFunc(func(ctx context.Context, target bind.Target, check bind.Check) (int, error) {
			if calls.Add(1) == 1 {
				return 1, errors.New("no luck")
			}
			close(again)
			<-patched
			// The first try comes to its end, and that of the second goes on.
			_ = wait.PollUntilContextTimeout(ctx, time.Millisecond, 50*time.Millisecond, true,
				func(context.Context) (bool, error) { return bindingNow(t, loop) != 1, nil })
			return binder.Bind(ctx, target, check)
		}),
	})
	stop := running(t, loop)
	waitUntil(t, "a is bound", func() bool {
		clock.Step(100 * time.Millisecond) // of its back-off
		return decided.has("a Bound n1")()
	})
	if err := stop(); err != nil {
		t.Error(err)
	}
	got := decided.all[len(decided.all)-1]
	if got.Attempts != 2 || got.Tries != 1 || got.LatencyMilliseconds > float64(time.Hour.Milliseconds()) {
		t.Errorf("the second try is told as %+v", got)
	}
}

// bindingNow is how many Pods are under way.
func bindingNow(t *testing.T, loop *run.Loop) int {
	t.Helper()
	activity, err := loop.Activity()
	if err != nil {
		t.Error(err)
	}
	return activity.Binding
}
