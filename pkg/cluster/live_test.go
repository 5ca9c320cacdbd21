package cluster_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

func TestReadLiveReadsTheObjectsInBothEncodings(t *testing.T) {
	for name, jsonOnly := range map[string]bool{"protobuf": false, "JSON, when the server has no other": true} {
		t.Run(name, func(t *testing.T) {
			server := &apiServer{jsonOnly: jsonOnly, lists: map[string][]runtime.Object{
				"/api/v1/nodes": {liveNode("n2"), liveNode("n1")},
				// The server sorts by its keys, in which "a-b/" comes before "a/".
				"/api/v1/pods": {livePod("a-b", "x"), livePod("a", "z"), livePod("a", "y")},
			}}
			got, err := cluster.ReadLive(t.Context(), serveAPI(t, server), cluster.LiveOptions{})
			if err != nil {
				t.Fatal(err)
			}
			want := &cluster.State{
				Nodes:         []*corev1.Node{liveNode("n1"), liveNode("n2")},
				Pods:          []*corev1.Pod{livePod("a", "y"), livePod("a", "z"), livePod("a-b", "x")},
				Source:        cluster.FromServer,
				ServerVersion: "v1.37.2",
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("state (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadLiveAsksForWhatASchedulerReads(t *testing.T) {
	server := &apiServer{}
	config := serveAPI(t, server)
	if _, err := cluster.ReadLive(t.Context(), config, cluster.LiveOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, kind := range cluster.Kinds {
		want := []string{}
		switch {
		case kind.Kind == "Pod":
			want = []string{"fieldSelector=status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed&resourceVersion=0"}
		case kind.Use == cluster.Scheduling || kind.Use == cluster.Admission:
			want = []string{"resourceVersion=0"}
		}
		got := []string{}
		for _, request := range server.asked(listPath(kind)) {
			got = append(got, request.URL.RawQuery)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("requests for %s (-want +got):\n%s", kind.Resource, diff)
		}
	}
}

func TestReadLiveReadsEachNamedKindOnceAndTellsProgress(t *testing.T) {
	server := &apiServer{lists: map[string][]runtime.Object{"/api/v1/nodes": {liveNode("n1")}}}
	seen := map[string]int{}
	calls, last, total := 0, 0, 0
	options := cluster.LiveOptions{
		Kinds: kindsNamed(t, "PodGroup", "Node", "Job", "Node"),
		Progress: func(done, of int, kind *cluster.Kind) {
			calls++
			seen[kind.Kind]++
			last, total = done, of
		},
	}
	state, err := cluster.ReadLive(t.Context(), serveAPI(t, server), options)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"Node": 1, "Job": 1, "PodGroup": 1}, seen); diff != "" {
		t.Errorf("kinds told (-want +got):\n%s", diff)
	}
	if calls != 3 || last != 3 || total != 3 {
		t.Errorf("progress: %d calls, the last with %d/%d; want 3 calls and 3/3", calls, last, total)
	}
	if len(state.Nodes) != 1 {
		t.Errorf("got %d Nodes, want 1", len(state.Nodes))
	}
}

func TestReadLiveListsInParallel(t *testing.T) {
	// Each of the two answers only when the other has been asked too.
	nodesAsked, podsAsked := make(chan struct{}), make(chan struct{})
	server := &apiServer{handlers: map[string]http.HandlerFunc{}}
	meet := func(kind *cluster.Kind, mine, other chan struct{}) {
		server.handlers[listPath(kind)] = func(w http.ResponseWriter, r *http.Request) {
			close(mine)
			select {
			case <-other:
				server.answer(w, r, listOf(kind))
			case <-r.Context().Done():
			}
		}
	}
	meet(kindNamed(t, "Node"), nodesAsked, podsAsked)
	meet(kindNamed(t, "Pod"), podsAsked, nodesAsked)
	config := serveAPI(t, server)
	config.Timeout = 20 * time.Second
	if _, err := cluster.ReadLive(t.Context(), config, cluster.LiveOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestReadLiveTurnsUnreadableKindsIntoGaps(t *testing.T) {
	server := &apiServer{handlers: map[string]http.HandlerFunc{
		"/apis/storage.k8s.io/v1/csinodes":        forbid("csinodes"),
		"/api/v1/persistentvolumes":               forbid("persistentvolumes"),
		"/apis/resource.k8s.io/v1/resourceslices": http.NotFound,
		"/apis/policy/v1/poddisruptionbudgets": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "etcd is on fire", http.StatusInternalServerError)
		},
		"/api/v1/services": func(w http.ResponseWriter, r *http.Request) {
			respond(w, http.StatusOK, runtime.ContentTypeJSON, &corev1.ConfigMapList{})
		},
		"/api/v1/limitranges": htmlPage("<html>Please log in</html>"),
		"/api/v1/namespaces": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", runtime.ContentTypeJSON)
			_, _ = w.Write([]byte(`{"kind":"NamespaceList","apiVersion":"v1","items":[{"meta`))
		},
	}}
	state, err := cluster.ReadLive(t.Context(), serveAPI(t, server), cluster.LiveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	type gap struct {
		Resource string
		Reason   cluster.GapReason
	}
	got := []gap{}
	failures := map[string]error{}
	for _, g := range state.Gaps {
		got = append(got, gap{g.Kind.Resource, g.Reason})
		failures[g.Kind.Resource] = g.Err
	}
	want := []gap{
		{"namespaces", cluster.Failed},
		{"persistentvolumes", cluster.Forbidden},
		{"csinodes", cluster.Forbidden},
		{"services", cluster.Failed},
		{"poddisruptionbudgets", cluster.Failed},
		{"resourceslices", cluster.NotServed},
		{"limitranges", cluster.Failed},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("gaps (-want +got):\n%s", diff)
	}
	for resource, part := range map[string]string{
		"poddisruptionbudgets": "etcd is on fire",
		"services":             "ConfigMapList",
		"limitranges":          "text/html",
		"namespaces":           "unexpected end of JSON input",
	} {
		if err := failures[resource]; err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("gap of %s: got error %v, want one with %q", resource, err, part)
		}
	}
}

func TestReadLiveFailsWithoutNodesOrPods(t *testing.T) {
	for name, test := range map[string]struct {
		handlers map[string]http.HandlerFunc
		want     []string
		is       func(error) bool
	}{
		"both forbidden: both permissions are named": {
			handlers: map[string]http.HandlerFunc{"/api/v1/nodes": forbid("nodes"), "/api/v1/pods": forbid("pods")},
			want: []string{`cannot list nodes: nodes is forbidden: not for you; grant list on nodes`,
				`cannot list pods: pods is forbidden: not for you; grant list on pods`},
			is: apierrors.IsForbidden,
		},
		"a login page in place of the API": {
			handlers: map[string]http.HandlerFunc{
				"/version": htmlPage("<html>"), "/api/v1/nodes": htmlPage("<html>"),
			},
			want: []string{`cannot list nodes: the answer is "text/html" and not from a Kubernetes API server`},
		},
		"credentials that have expired": {
			handlers: map[string]http.HandlerFunc{"/api/v1/pods": func(w http.ResponseWriter, _ *http.Request) {
				refuse(w, apierrors.NewUnauthorized("token expired"))
			}},
			want: []string{"cannot list pods: token expired; check the credentials of the kubeconfig"},
			is:   apierrors.IsUnauthorized,
		},
		"both for one cause: it is told once": {
			handlers: map[string]http.HandlerFunc{
				"/api/v1/nodes": func(w http.ResponseWriter, _ *http.Request) { refuse(w, apierrors.NewUnauthorized("expired")) },
				"/api/v1/pods":  func(w http.ResponseWriter, _ *http.Request) { refuse(w, apierrors.NewUnauthorized("expired")) },
			},
			want: []string{"cannot list nodes, pods: expired; check the credentials of the kubeconfig"},
			is:   apierrors.IsUnauthorized,
		},
		"both forbidden by something that names neither: both permissions are named": {
			handlers: map[string]http.HandlerFunc{"/api/v1/nodes": forbid(""), "/api/v1/pods": forbid("")},
			want:     []string{"cannot list nodes, pods: forbidden: not for you; grant list on nodes, pods"},
			is:       apierrors.IsForbidden,
		},
		"a server without the API": {
			handlers: map[string]http.HandlerFunc{"/api/v1/nodes": http.NotFound},
			want:     []string{"cannot list nodes: the server could not find the requested resource"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			state, err := cluster.ReadLive(t.Context(), serveAPI(t, &apiServer{handlers: test.handlers}),
				cluster.LiveOptions{})
			if err == nil || state != nil {
				t.Fatalf("got state %v and error %v, want only an error", state, err)
			}
			for _, part := range test.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not say %q", err, part)
				}
			}
			if test.is != nil && !test.is(err) {
				t.Errorf("error %q has lost the server's reason", err)
			}
		})
	}
}

func TestReadLiveTellsOnceThatThereIsNoAnswer(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	secure := httptest.NewTLSServer(&apiServer{})
	secure.Config.ErrorLog = discardLog()
	t.Cleanup(secure.Close)
	plain := serveAPI(t, &apiServer{})
	for name, test := range map[string]struct {
		config *rest.Config
		want   []string
	}{
		"nobody listens": {
			config: &rest.Config{Host: gone.URL},
			want:   []string{"connection refused", "check the server of the kubeconfig and the network"},
		},
		"a certificate of an unknown authority": {
			config: &rest.Config{Host: secure.URL},
			want:   []string{"unknown authority", "check the certificate authority"},
		},
		"https where the server speaks http": {
			config: &rest.Config{Host: strings.Replace(plain.Host, "http:", "https:", 1)},
			want:   []string{"says https where the API server speaks http"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := cluster.ReadLive(t.Context(), test.config, cluster.LiveOptions{})
			if err == nil {
				t.Fatal("got no error")
			}
			for _, part := range append(test.want, "no answer from the API server at "+test.config.Host) {
				if strings.Count(err.Error(), part) != 1 {
					t.Errorf("error %q does not say %q once", err, part)
				}
			}
		})
	}
}

func TestReadLiveGoesOnWithoutTheVersion(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"forbidden": forbid("version"),
		"not JSON":  htmlPage("<html>"),
	} {
		t.Run(name, func(t *testing.T) {
			server := &apiServer{handlers: map[string]http.HandlerFunc{"/version": handler}}
			state, err := cluster.ReadLive(t.Context(), serveAPI(t, server), cluster.LiveOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if state.ServerVersion != "" {
				t.Errorf("got version %q, want none", state.ServerVersion)
			}
		})
	}
}

func TestReadLiveTriesAgainWhenTheServerAsksForIt(t *testing.T) {
	var calls atomic.Int32
	server := &apiServer{}
	server.handlers = map[string]http.HandlerFunc{"/api/v1/pods": func(w http.ResponseWriter, r *http.Request) {
		if calls.Add(1) == 1 {
			w.Header().Set("Retry-After", "0")
			http.Error(w, "busy", http.StatusInternalServerError)
			return
		}
		server.answer(w, r, listOf(kindNamed(t, "Pod"), livePod("a", "x")))
	}}
	state, err := cluster.ReadLive(t.Context(), serveAPI(t, server), cluster.LiveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(state.Pods) != 1 {
		t.Errorf("got %d Pods, want 1", len(state.Pods))
	}
}

func TestReadLiveHonorsTheRequestTimeout(t *testing.T) {
	server := &apiServer{handlers: map[string]http.HandlerFunc{
		"/api/v1/services": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	}}
	config := serveAPI(t, server)
	config.Timeout = time.Second
	state, err := cluster.ReadLive(t.Context(), config, cluster.LiveOptions{Kinds: kindsNamed(t, "Service")})
	if err != nil {
		t.Fatal(err)
	}
	if len(state.Gaps) != 1 || state.Gaps[0].Reason != cluster.Failed ||
		!strings.Contains(state.Gaps[0].Err.Error(), "allow requests more time") {
		t.Errorf("got gaps %v, want a timeout of services", state.Gaps)
	}
}

func TestReadLiveStopsWhenCanceled(t *testing.T) {
	for name, test := range map[string]struct {
		kinds []*cluster.Kind
		path  string
	}{
		"while it waits for the version":           {path: "/version"},
		"while it waits for Pods":                  {path: "/api/v1/pods"},
		"while it waits for what may become a Gap": {path: "/api/v1/services", kinds: kindsNamed(t, "Service")},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			server := &apiServer{handlers: map[string]http.HandlerFunc{
				test.path: func(_ http.ResponseWriter, r *http.Request) {
					cancel()
					<-r.Context().Done()
				},
			}}
			state, err := cluster.ReadLive(ctx, serveAPI(t, server), cluster.LiveOptions{Kinds: test.kinds})
			if !errors.Is(err, context.Canceled) || state != nil {
				t.Fatalf("got state %v and error %v, want only context.Canceled", state, err)
			}
			if strings.Contains(err.Error(), "check") {
				t.Errorf("error %q gives advice to somebody who stopped it", err)
			}
		})
	}
}

func TestReadLiveStopsTheOtherKindsWhenNodesCannotBeRead(t *testing.T) {
	stuck := make(chan struct{})
	server := &apiServer{handlers: map[string]http.HandlerFunc{
		"/api/v1/services": func(_ http.ResponseWriter, r *http.Request) {
			close(stuck)
			<-r.Context().Done()
		},
		"/api/v1/nodes": func(w http.ResponseWriter, r *http.Request) {
			<-stuck
			forbid("nodes")(w, r)
		},
	}}
	options := cluster.LiveOptions{Kinds: kindsNamed(t, "Node", "Service")}
	if _, err := cluster.ReadLive(t.Context(), serveAPI(t, server), options); !apierrors.IsForbidden(err) {
		t.Errorf("got error %v, want forbidden", err)
	}
}

func TestReadLiveFollowsPages(t *testing.T) {
	expired := apierrors.NewResourceExpired("the token is too old")
	pages := map[string]*corev1.PodList{ // by query
		"":                     podPage("", livePod("a", "1"), livePod("a", "2"), livePod("a", "3")),
		"limit=2":              podPage("two", livePod("a", "2"), livePod("a", "1")),
		"continue=two&limit=2": podPage("", livePod("a", "3")),
		"resourceVersion=0":    podPage("zero", livePod("a", "1"), livePod("a", "2")),
		"continue=zero":        podPage("", livePod("a", "3")),
	}
	for name, test := range map[string]struct {
		pageSize int64
		expire   string
		want     []string
	}{
		"in pages":                      {pageSize: 2, want: []string{"limit=2", "continue=two&limit=2"}},
		"in pages though not asked for": {want: []string{"resourceVersion=0", "continue=zero"}},
		"in one piece after a token has expired": {
			pageSize: 2, expire: "continue=two&limit=2", want: []string{"limit=2", "continue=two&limit=2", ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := &apiServer{}
			server.handlers = map[string]http.HandlerFunc{"/api/v1/pods": func(w http.ResponseWriter, r *http.Request) {
				query := withoutFieldSelector(r)
				if test.expire != "" && query == test.expire {
					refuse(w, expired)
					return
				}
				server.answer(w, r, pages[query])
			}}
			options := cluster.LiveOptions{Kinds: kindsNamed(t, "Pod"), PageSize: test.pageSize}
			state, err := cluster.ReadLive(t.Context(), serveAPI(t, server), options)
			if err != nil {
				t.Fatal(err)
			}
			want := []*corev1.Pod{livePod("a", "1"), livePod("a", "2"), livePod("a", "3")}
			if diff := cmp.Diff(want, state.Pods); diff != "" {
				t.Errorf("Pods (-want +got):\n%s", diff)
			}
			got := []string{}
			for _, request := range server.asked("/api/v1/pods") {
				got = append(got, withoutFieldSelector(request))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadLiveLeavesAServerThatSendsOnePageForEver(t *testing.T) {
	server := &apiServer{}
	server.handlers = map[string]http.HandlerFunc{"/api/v1/pods": func(w http.ResponseWriter, r *http.Request) {
		server.answer(w, r, podPage("again", livePod("a", "1")))
	}}
	options := cluster.LiveOptions{Kinds: kindsNamed(t, "Pod"), PageSize: 1}
	_, err := cluster.ReadLive(t.Context(), serveAPI(t, server), options)
	if err == nil || !strings.Contains(err.Error(), "the same page of pods again and again") {
		t.Errorf("got error %v, want one about the repeated page", err)
	}
}

func podPage(more string, pods ...*corev1.Pod) *corev1.PodList {
	list := &corev1.PodList{ListMeta: metav1.ListMeta{Continue: more, ResourceVersion: "7"}}
	for _, pod := range pods {
		list.Items = append(list.Items, *pod)
	}
	return list
}

func withoutFieldSelector(r *http.Request) string {
	query := r.URL.Query()
	query.Del("fieldSelector")
	return query.Encode()
}

func forbid(resource string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, apierrors.NewForbidden(schema.GroupResource{Resource: resource}, "", errors.New("not for you")))
	}
}

func htmlPage(html string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(html))
	}
}
