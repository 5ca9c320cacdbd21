package run_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/run"
)

const waitsForVolume = "volumes: [{name: data, persistentVolumeClaim: {claimName: made}}]"

// Nobody makes the volume: the Pod is given up in time, with its nomination, and in words that say what to do.
func TestVolumesThatAreNotMadeInTime(t *testing.T) {
	server := newAPIServer(t, nodeText("n1"), volumes, podText("a", "1", waitsForVolume))
	session := server.session(run.Options{Binder: server.binder(), VolumeTimeout: time.Second})
	want := []string{"a Failed n1: its volumes or devices were not ready in time (for volumes: --volume-timeout); " +
		"its claims stay with the node"}
	if diff := cmp.Diff(want, lines(bindWaiting(t, session))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if now := server.get(podA).(*corev1.Pod).Status.NominatedNodeName; now != "" {
		t.Errorf("the Pod is still nominated for %s", now)
	}
}

// ctrl-C does not wait for a volume, and the Pod is not nominated any more when Bind returns.
func TestTheEndCutsWaitsForVolumes(t *testing.T) {
	server := newAPIServer(t, nodeText("n1"), volumes, podText("a", "1", waitsForVolume))
	ctx, stop := context.WithCancel(t.Context())
	server.before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPut && strings.HasPrefix(r.URL.Path, claimPath) {
			stop() // the provisioner is asked for a volume from here on
		}
		return false
	}
	session := server.session(run.Options{Binder: server.binder()})
	state, err := session.State()
	if err != nil {
		t.Fatal(err)
	}
	bindings, err := session.Bind(ctx, state.Pods)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that the run was stopped", err)
	}
	if diff := cmp.Diff([]string{"a Skipped: the run was stopped before it was bound"}, lines(bindings)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if now := server.get(podA).(*corev1.Pod).Status.NominatedNodeName; now != "" {
		t.Errorf("the Pod is still nominated for %s", now)
	}
}
