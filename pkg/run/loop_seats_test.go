package run_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
	"github.com/kubectl-sched/kubectl-sched/pkg/run"
)

// An API server that is slow gets no more Bindings at a time, however many Pods have a node.
func TestBindingsUnderWayAreLimited(t *testing.T) {
	const pods, most = 120, 100
	var objects []string
	for i := range pods {
		objects = append(objects, nodeText(fmt.Sprintf("n%d", i)), podText(fmt.Sprintf("p%d", i), "3"))
	}
	server := newAPIServer(t, objects...)
	binder, goOn := server.binder(), make(chan struct{})
	var now atomic.Int64
	loop, decided := server.loop(run.LoopOptions{
		Binder: binderFunc(func(ctx context.Context, target bind.Target, check bind.Check) (int, error) {
			defer now.Add(-1)
			if now.Add(1) > most {
				t.Errorf("more than %d Pods are being bound", most)
			}
			<-goOn
			return binder.Bind(ctx, target, check)
		}),
	})
	stop := running(t, loop)
	waitUntil(t, "all Pods have a node, and as many as may be are being bound", func() bool {
		activity, err := loop.Activity()
		return err == nil && activity.Binding == pods && now.Load() >= most
	})
	close(goOn)
	waitUntil(t, "all Pods are bound", func() bool { return len(decided.lines()) == pods })
	if err := stop(); err != nil {
		t.Error(err)
	}
}
