package run_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
	"github.com/kubectl-sched/kubectl-sched/pkg/run"
)

// What the API server does not serve is not there.
func TestKindsThatAreNotServedAreEmpty(t *testing.T) {
	server := newAPIServer(t, nodeText("n1"), podText("a", "1"))
	server.before = func(w http.ResponseWriter, r *http.Request) bool {
		missing := strings.HasPrefix(r.URL.Path, "/apis/resource.k8s.io/") || r.URL.Path == "/api/v1/services"
		if missing {
			http.NotFound(w, r)
		}
		return missing
	}
	session := server.session(run.Options{Binder: server.binder()})
	if diff := cmp.Diff([]string{"a Bound n1"}, lines(bindWaiting(t, session))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var gaps []string
	for _, gap := range stateNow(t, session).Gaps {
		gaps = append(gaps, gap.Kind.Resource)
	}
	want := []string{"services", "resourceclaims", "resourceslices", "deviceclasses", "devicetaintrules"}
	if diff := cmp.Diff(want, gaps); diff != "" {
		t.Errorf("gaps (-want +got):\n%s", diff)
	}
}

// What cannot be seen could be bound against.
func TestKindsThatCannotBeReadAreErrors(t *testing.T) {
	const services, pods, claims = "/api/v1/services", "/api/v1/pods", "/apis/resource.k8s.io/v1/resourceclaims"
	for what, c := range map[string]struct {
		list, watch []string // the paths of which it is forbidden
		broken      string   // a path that cannot be listed for another reason
		want        string
	}{
		"listing is forbidden": {
			list: []string{services},
			want: "may not list services: grant list and watch on them, as deploy/rbac-bind.yaml does; " +
				"nothing is bound without them",
		},
		"listing several is forbidden": {
			list: []string{services, pods, claims},
			want: "may not list pods, services, resourceclaims: grant list and watch on them, as deploy/rbac-bind.yaml does; " +
				"nothing is bound without them",
		},
		"listing fails": {
			broken: services,
			want:   "cannot list services: Internal error occurred: no leader",
		},
		"watching is forbidden": {
			watch: []string{services},
			want:  "may not watch services: grant list and watch on them, as deploy/rbac-bind.yaml does",
		},
		"watching Pods is forbidden": {
			watch: []string{pods},
			want:  "may not watch pods: grant list and watch on them, as deploy/rbac-bind.yaml does",
		},
		"watching the last kind is forbidden": {
			watch: []string{"/apis/resource.k8s.io/v1/devicetaintrules"},
			want:  "may not watch devicetaintrules: grant list and watch on them, as deploy/rbac-bind.yaml does",
		},
	} {
		t.Run(what, func(t *testing.T) {
			server := newAPIServer(t, nodeText("n1"))
			server.before = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == c.broken {
					refuse(w, apierrors.NewInternalError(errors.New("no leader")))
					return true
				}
				forbidden := c.list
				if isWatch(r) {
					forbidden = c.watch
				}
				return forbid(w, r, forbidden)
			}
			session, err := run.NewLive(t.Context(), server.live(), run.Options{})
			if err == nil {
				session.Close()
				t.Fatal("there is a Session")
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What only the kubelet reads of a running Pod is not kept; a Pod that waits for a node stays whole.
func TestRunningPodsAreTrimmed(t *testing.T) {
	withEnv := func(text string) string {
		return strings.Replace(text, "image: app", "image: app, env: [{name: KEY, value: secret}]", 1)
	}
	server := newAPIServer(t, nodeText("n1"), withEnv(podText("runs", "1", "nodeName: n1")), withEnv(podText("waits", "1")))
	got := map[string]int{}
	for _, pod := range stateNow(t, server.session(run.Options{})).Pods {
		got[pod.Name] = len(pod.Spec.Containers[0].Env)
	}
	if diff := cmp.Diff(map[string]int{"runs": 0, "waits": 1}, got); diff != "" {
		t.Errorf("environment variables (-want +got):\n%s", diff)
	}
}

// Whoever asks while a Pod is being bound sees it on its node.
func TestStateHasPodsOnTheirWay(t *testing.T) {
	server := newAPIServer(t, nodeText("n1"), podText("a", "1"))
	var session *run.Session
	var seen []string
	session = server.session(run.Options{Binder: binderFunc(
		func(context.Context, bind.Target, bind.Check) (int, error) {
			for _, pod := range stateNow(t, session).Pods {
				seen = append(seen, pod.Name+" "+pod.Spec.NodeName)
			}
			return 0, nil
		})})
	bindWaiting(t, session)
	if diff := cmp.Diff([]string{"a n1"}, seen); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
