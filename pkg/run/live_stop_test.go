package run_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
	"github.com/kubectl-sched/kubectl-sched/pkg/run"
)

// At the end what is on its way is finished, and no more is begun: the Binding of a is sent, that of b is not, and c is
// not decided about.
func TestBindingsInFlightAreFinishedAtTheEnd(t *testing.T) {
	server := newAPIServer(t, nodeText("n1"), podText("a", "1"), podText("b", "1"), podText("c", "1"))
	ctx, stop := context.WithCancel(t.Context())
	decided, stopped := make(chan struct{}), make(chan struct{})
	server.before = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != podA+"/binding" {
			return false
		}
		<-decided
		stop()
		select {
		case <-stopped:
		case <-r.Context().Done():
			t.Error("the request was cut")
		}
		return false
	}
	binder := server.binder()
	session := server.session(run.Options{Max: 2, Binder: binderFunc(
		func(ctx context.Context, target bind.Target, check bind.Check) (int, error) {
			if target.Name == "b" {
				close(decided)
				defer close(stopped)
				waitUntil(t, "the Binder is told of the end", func() bool { return ctx.Err() != nil })
			}
			return binder.Bind(ctx, target, check)
		})})
	bindings, err := session.Bind(ctx, waitingPods(t, session))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that the run was stopped", err)
	}
	want := []string{
		"a Bound n1", "b Skipped: the run was stopped before it was bound",
		"c Skipped: not reached before the run was stopped",
	}
	if diff := cmp.Diff(want, lines(bindings)); diff != "" || server.bindings.Load() != 1 {
		t.Errorf("%d Bindings (-want +got):\n%s", server.bindings.Load(), diff)
	}
}

// Nor is the update of a volume cut off, though nobody waits for what the controllers make of it.
func TestUpdatesInFlightAreFinishedAtTheEnd(t *testing.T) {
	server := newAPIServer(t, nodeText("n1"), volumes,
		podText("a", "1", "volumes: [{name: data, persistentVolumeClaim: {claimName: waiting}}]"))
	ctx, stop := context.WithCancel(t.Context())
	server.wrap = func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodPut {
				stop()
			}
			return next.RoundTrip(r)
		})
	}
	session := server.session(run.Options{Binder: server.binder(), VolumeTimeout: 2 * patience})
	start := time.Now()
	bindings, err := session.Bind(ctx, waitingPods(t, session))
	if took := time.Since(start); took > patience {
		t.Errorf("the end took %v", took)
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that the run was stopped", err)
	}
	if diff := cmp.Diff([]string{"a Skipped: the run was stopped before it was bound"}, lines(bindings)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	volume := server.get("/api/v1/persistentvolumes/free").(*corev1.PersistentVolume)
	if volume.Spec.ClaimRef == nil || volume.Spec.ClaimRef.Name != "waiting" {
		t.Errorf("the volume is for %v", volume.Spec.ClaimRef)
	}
	if now := server.get(podA).(*corev1.Pod).Status.NominatedNodeName; now != "" {
		t.Errorf("the Pod is still nominated for %s", now)
	}
}
