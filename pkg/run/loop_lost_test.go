package run_test

import (
	"context"
	"errors"
	"fmt"
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
