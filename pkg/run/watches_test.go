package run_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
	"github.com/kubectl-sched/kubectl-sched/pkg/run"
)

// An API server may have a path of its own, as behind a proxy that serves several.
func TestWatchesBehindAPathAreSeen(t *testing.T) {
	server := newAPIServer(t, nodeText("n1"))
	const path = "/k8s/clusters/c-1"
	proxy := httptest.NewServer(http.StripPrefix(path, server))
	t.Cleanup(proxy.Close)
	live := server.live()
	live.Config.Host = proxy.URL + path
	ctx, stop := context.WithTimeout(upstream.Quiet(t.Context()), patience)
	defer stop()
	loop, err := run.NewLoop(ctx, live, run.LoopOptions{DryRun: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(loop.Close)
	waitUntil(t, "Nodes and Pods are watched", loop.Watched)
}
