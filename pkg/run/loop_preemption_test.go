package run_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/events"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/pkg/run"
)

// evictable lets Pods of the server be deleted, and events be written; evicting is called before each deletion.
func (s *apiServer) evictable(evicting func()) {
	s.before = func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case r.Method == http.MethodDelete:
			evicting()
			s.remove(r.URL.Path)
			answer(w, http.StatusOK, success)
		case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/events"):
			answer(w, http.StatusCreated, success)
		default:
			return false
		}
		return true
	}
}

// A Pod that preempts is a Pod, for the decision and for the event, which names it.
func TestPreemptionsNameWhoPreempts(t *testing.T) {
	server := newAPIServer(t, nodeText("n1"), podText("low", "1", "nodeName: n1"), podText("high", "4", "priority: 10"))
	server.evictable(func() {})
	client, err := kubernetes.NewForConfig(server.clientConfig())
	if err != nil {
		t.Fatal(err)
	}
	recorder := bind.NewRecorder(client.EventsV1(), bind.RecorderOptions{Instance: "test"})
	loop, decided := server.loop(run.LoopOptions{
		Events: func(string) events.EventRecorderLogger { return recorder },
	})
	pass(t, loop)
	waitUntil(t, "low is told to be evicted", decided.has("low Preempted n1 (for high)"))
	want := &report.Metadata{Namespace: "default", Name: "high", Kind: "pod"}
	for _, one := range decided.all {
		if one.Result == report.ResultPreempted {
			if diff := cmp.Diff(want, one.Preemptor); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
	}
	if lost, err := recorder.Close(t.Context()); lost > 0 {
		t.Errorf("%d events are lost: %v", lost, err)
	}
}

// Upstream evicts in the background: whoever ended before all is sent would leave a node half cleared.
func TestPassEndsAfterAllEvictions(t *testing.T) {
	server := newAPIServer(t, nodeText("n1"), podText("low1", "2", "nodeName: n1"), podText("low2", "2", "nodeName: n1"),
		podText("high", "4", "priority: 10"))
	ended, end := context.WithTimeout(t.Context(), patience)
	server.evictable(func() {
		soon, stop := context.WithTimeout(ended, 100*time.Millisecond)
		defer stop()
		<-soon.Done()
	})
	loop, _ := server.loop(run.LoopOptions{})
	_, err := loop.Pass(upstream.Quiet(t.Context()))
	for _, name := range []string{"low1", "low2"} {
		if server.get("/api/v1/namespaces/default/pods/"+name) != nil {
			t.Errorf("%s was still there at the end", name)
		}
	}
	end()
	if err != nil {
		t.Error(err)
	}
}
