package run_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/pkg/run"
)

// Two schedulers can put too much on a node.
func TestLookTellsOfNodesThatAreOver(t *testing.T) {
	const all = `cpu: 2500m, memory: 5Gi, example.com/card: 2, example.com/unlisted: 1`
	asking := func(name, requests string, more ...string) string {
		return strings.Replace(podText(name, "1", more...), `cpu: "1"`, requests, 1)
	}
	node := strings.Replace(nodeText("n1"), `pods: "10"`, `pods: "2", example.com/card: "3"`, 1)
	for what, c := range map[string]struct {
		requests string
		others   []string
		want     []report.Overcommitment
	}{
		"by all that a node lists": {
			requests: all,
			others:   []string{asking("other-1", all, "nodeName: n1"), podText("other-2", "1", "nodeName: n1")},
			want: []report.Overcommitment{
				{Resource: "cpu", Requested: "6", Allocatable: "4", Over: "2"},
				{Resource: "example.com/card", Requested: "4", Allocatable: "3", Over: "1"},
				{Resource: "memory", Requested: "10Gi", Allocatable: "8Gi", Over: "2Gi"},
				{Resource: "pods", Requested: "3", Allocatable: "2", Over: "1"},
			},
		},
		"by what the Pod asks for, and by more": {
			requests: "cpu: 250m",
			others:   []string{asking("other", "cpu: 3900m, memory: 9Gi", "nodeName: n1")},
			want:     []report.Overcommitment{{Resource: "cpu", Requested: "4150m", Allocatable: "4", Over: "150m"}},
		},
	} {
		t.Run(what, func(t *testing.T) {
			server := newAPIServer(t, node, asking("a", c.requests))
			// It is forced, since a filter would ask for the resource that the node does not list.
			session := server.session(run.Options{Binder: server.binder(), Node: "n1", Force: true})
			pods := waitingPods(t, session)
			bindings := bindWaiting(t, session)
			look(t, session, pods, bindings)
			if over := bindings[0].Overcommitted; over != nil {
				t.Errorf("over before: %v", over)
			}
			server.add(c.others...)
			waitUntil(t, "the node is over", func() bool {
				look(t, session, pods, bindings)
				return len(bindings[0].Overcommitted) == len(c.want)
			})
			if diff := cmp.Diff(c.want, bindings[0].Overcommitted); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func look(t *testing.T, session *run.Session, pods []*corev1.Pod, bindings []*report.Binding) {
	t.Helper()
	if err := session.Look(t.Context(), pods, bindings); err != nil {
		t.Error(err)
	}
}

func TestLookTellsOfNodesThatAreGone(t *testing.T) {
	server := newAPIServer(t, nodeText("n1"), podText("a", "1"))
	session := server.session(run.Options{Binder: server.binder()})
	pods := waitingPods(t, session)
	bindings := bindWaiting(t, session)
	server.remove(nodeN1)
	waitUntil(t, "the node is gone", func() bool {
		look(t, session, pods, bindings)
		return bindings[0].Reason != ""
	})
	if diff := cmp.Diff([]string{"a Bound n1: node n1 was removed meanwhile"}, lines(bindings)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A Pod whose binding nobody could tell the outcome of may turn out to have a node.
func TestLookFindsOutWhatNobodyCouldTell(t *testing.T) {
	const unknown = "a Failed n1: the pod may be bound or not, the API server could not tell: EOF"
	for what, c := range map[string]struct{ node, want string }{
		"it is on the node":      {node: "n1", want: "a Bound n1"},
		"it is on another node":  {node: "n2", want: "a BoundElsewhere n2: somebody else bound the pod to node n2"},
		"nobody has told so far": {node: "", want: unknown},
	} {
		t.Run(what, func(t *testing.T) {
			server := newAPIServer(t, nodeText("n1"), nodeText("n2"), podText("a", "1"))
			server.before = func(_ http.ResponseWriter, r *http.Request) bool {
				if strings.HasPrefix(r.URL.Path, podA) {
					drop()
				}
				return false
			}
			session := server.session(run.Options{Binder: server.binder()})
			pods := waitingPods(t, session)
			bindings := bindWaiting(t, session)
			if diff := cmp.Diff([]string{unknown}, lines(bindings)); diff != "" {
				t.Errorf("before (-want +got):\n%s", diff)
			}
			edit(server.store, podA, func(pod *corev1.Pod) { pod.Spec.NodeName = c.node })
			waitUntil(t, "the watch tells of it", func() bool {
				look(t, session, pods, bindings)
				return lines(bindings)[0] == c.want
			})
		})
	}
}
