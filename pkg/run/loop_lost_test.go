package run_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
	"github.com/kubectl-sched/kubectl-sched/pkg/run"
)

// When the Lease is lost, the Pods that are being bound, and those whose turn has not come, are not finished: nothing
// bad is told of them.
func TestPodsAreNotFinishedWhenTheLeaseIsLost(t *testing.T) {
	const pods = 120 // more than are being bound at a time
	var objects []string
	for i := range pods {
		objects = append(objects, nodeText(fmt.Sprintf("n%d", i)), podText(fmt.Sprintf("p%d", i), "3"))
	}
	server := newAPIServer(t, objects...)
	loop, decided := server.loop(run.LoopOptions{
		Binder: binderFunc(func(ctx context.Context, _ bind.Target, _ bind.Check) (int, error) {
			<-ctx.Done()
			return 0, &bind.StoppedError{Err: ctx.Err(), Cause: context.Cause(ctx)}
		}),
	})
	ctx, end := context.WithCancelCause(upstream.Quiet(t.Context()))
	lost, cause := make(chan struct{}), errors.New("lost the Lease")
	ended := make(chan error, 1)
	go func() { ended <- loop.Run(ctx, lost) }()
	waitUntil(t, "all Pods have a node", func() bool {
		activity, err := loop.Activity()
		return err == nil && activity.Binding == pods
	})
	close(lost)
	end(cause)
	if err := <-ended; !errors.Is(err, cause) {
		t.Errorf("it ended with %v, want the cause", err)
	}
	lines := decided.lines()
	for _, line := range lines {
		if result := strings.Fields(line)[1]; result != "Skipped" {
			t.Errorf("told %q, want it Skipped", line)
		}
	}
	if len(lines) != pods {
		t.Errorf("told of %d Pods, want %d", len(lines), pods)
	}
}

// Upstream writes about Pods on contexts of its own; none of it comes after the Lease is lost.
func TestNothingIsWrittenAfterTheLeaseIsLost(t *testing.T) {
	const late = 5 // a write comes in the background, at the latest while the next Pods are judged
	server := newAPIServer(t, nodeText("n1"), podText("big", "9"))
	lost, writes := make(chan struct{}), make(chan string, 10)
	server.before = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet {
			writes <- r.Method + " " + r.URL.Path
		}
		return false
	}
	loop, decided := server.loop(run.LoopOptions{})
	ctx, end := context.WithCancel(upstream.Quiet(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- loop.Run(ctx, lost) }()
	waitUntil(t, "big is told not to fit", func() bool { return len(decided.lines()) > 0 })
	<-writes // the Pod's condition
	close(lost)
	for i := range late {
		server.add(podText(fmt.Sprintf("late%d", i), "9"))
		waitUntil(t, "it is told not to fit", func() bool { return len(decided.lines()) > i+1 })
	}
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if len(writes) > 0 {
		t.Errorf("it wrote %s", <-writes)
	}
}
