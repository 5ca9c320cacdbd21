package run_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/run"
)

// Whoever takes over while the watch is cut begins when it counts in what was bound meanwhile, and does not wait for
// what is gone again.
func TestCatchUpWaitsForWhatOthersBound(t *testing.T) {
	const pods, podGone = "/api/v1/pods", "/api/v1/namespaces/default/pods/gone"
	server := newAPIServer(t, nodeText("n1"), podText("a", "3"), podText("before", "1", "nodeName: n1"))
	line := newLine()
	server.wrap = line.wrap
	listed := make(chan struct{})
	server.before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != pods || isWatch(r) {
			return false
		}
		server.mux.ServeHTTP(w, r)
		if server.get(podGone) != nil {
			server.remove(podGone)
			close(listed)
		}
		return true
	}
	loop, _ := server.loop(run.LoopOptions{})
	line.cut(server, pods)
	server.add(podText("meanwhile", "3", "nodeName: n1"), podText("gone", "1", "nodeName: n1"))
	line.restore()

	known := make(chan []string)
	go func() {
		if err := loop.CatchUp(t.Context()); err != nil {
			t.Error(err)
		}
		known <- podsKnown(t, loop)
	}()
	<-listed
	line.await(t, pods)
	line.release(pods)
	want := []string{"a ", "before n1", "meanwhile n1"}
	if diff := cmp.Diff(want, <-known); diff != "" {
		t.Errorf("known Pods (-want +got):\n%s", diff)
	}
}

// The wait ends with the context, and says why that has ended.
func TestCatchUpEndsWithItsContext(t *testing.T) {
	server := newAPIServer(t, nodeText("n1"))
	line := newLine()
	server.wrap = line.wrap
	loop, _ := server.loop(run.LoopOptions{})
	line.cut(server)
	ctx, end := context.WithCancelCause(t.Context())
	lost := errors.New("lost the Lease")
	go func() {
		line.await(t, "/api/v1/pods")
		end(lost)
	}()
	if err := loop.CatchUp(ctx); !errors.Is(err, lost) {
		t.Errorf("it ends with %v, want the cause that the context has", err)
	}
}

// podsKnown are the Pods that the Loop knows of, with their nodes, sorted.
func podsKnown(t *testing.T, loop *run.Loop) []string {
	t.Helper()
	state, err := loop.State()
	if err != nil {
		t.Error(err)
		return nil
	}
	var known []string
	for _, pod := range state.Pods {
		known = append(known, pod.Name+" "+pod.Spec.NodeName)
	}
	slices.Sort(known)
	return known
}
