package cluster_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

func TestGetReadsAnObjectWhole(t *testing.T) {
	stored := runningPod()
	stored.Status.Phase = corev1.PodSucceeded // ReadLive would leave it out
	server := &apiServer{}
	server.handlers = map[string]http.HandlerFunc{
		"/api/v1/namespaces/shop/pods/web-0": func(w http.ResponseWriter, r *http.Request) { server.answer(w, r, stored) },
		"/api/v1/nodes/n1":                   func(w http.ResponseWriter, r *http.Request) { server.answer(w, r, liveNode("n1")) },
	}
	config := serveAPI(t, server)

	want := stored.DeepCopy()
	want.ManagedFields = nil
	want.Annotations = map[string]string{"team": "shop"}
	got, err := cluster.Get(t.Context(), config, kindNamed(t, "Pod"), "shop", "web-0")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(cluster.Object(want), got); diff != "" {
		t.Errorf("Pod (-want +got):\n%s", diff)
	}

	// A Node has no namespace, whatever the user's is.
	got, err = cluster.Get(t.Context(), config, kindNamed(t, "Node"), "shop", "n1")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(cluster.Object(liveNode("n1")), got); diff != "" {
		t.Errorf("Node (-want +got):\n%s", diff)
	}
}

func TestGetTellsWhatWentWrong(t *testing.T) {
	server := &apiServer{handlers: map[string]http.HandlerFunc{
		"/apis/apps/v1/namespaces/shop/deployments/web": func(w http.ResponseWriter, _ *http.Request) {
			refuse(w, apierrors.NewNotFound(schema.GroupResource{Group: "apps", Resource: "deployments"}, "web"))
		},
	}}
	_, err := cluster.Get(t.Context(), serveAPI(t, server), kindNamed(t, "Deployment"), "shop", "web")
	if !apierrors.IsNotFound(err) || !strings.Contains(err.Error(), "cannot get deployments shop/web") {
		t.Errorf("got error %v, want NotFound with the name", err)
	}
	config := &rest.Config{Host: "http://127.0.0.1:1"}
	_, err = cluster.Get(t.Context(), config, kindNamed(t, "Deployment"), "shop", "web")
	if err == nil || !strings.Contains(err.Error(), "no answer from the API server at http://127.0.0.1:1") {
		t.Errorf("got error %v, want one that names the server", err)
	}
}

func TestListReadsWhatWasAskedFor(t *testing.T) {
	for name, test := range map[string]struct {
		selector cluster.ListSelector
		path     string
		query    string
	}{
		"all namespaces": {path: "/api/v1/pods", query: "limit=500"},
		"one namespace with selectors": {
			selector: cluster.ListSelector{Namespace: "shop", Labels: "app=web", Fields: "spec.nodeName="},
			path:     "/api/v1/namespaces/shop/pods",
			query:    "fieldSelector=spec.nodeName%3D&labelSelector=app%3Dweb&limit=500",
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := &apiServer{}
			server.handlers = map[string]http.HandlerFunc{test.path: func(w http.ResponseWriter, r *http.Request) {
				server.answer(w, r, podPage("", livePod("shop", "b"), livePod("shop", "a")))
			}}
			got, err := cluster.List(t.Context(), serveAPI(t, server), kindNamed(t, "Pod"), test.selector)
			if err != nil {
				t.Fatal(err)
			}
			want := []cluster.Object{livePod("shop", "a"), livePod("shop", "b")}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Pods (-want +got):\n%s", diff)
			}
			if query := server.asked(test.path)[0].URL.RawQuery; query != test.query {
				t.Errorf("query: got %q, want %q", query, test.query)
			}
		})
	}
}

func TestListTellsWhichPermissionIsMissing(t *testing.T) {
	server := &apiServer{handlers: map[string]http.HandlerFunc{"/api/v1/pods": forbid("pods")}}
	_, err := cluster.List(t.Context(), serveAPI(t, server), kindNamed(t, "Pod"), cluster.ListSelector{})
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "grant list on pods") {
		t.Errorf("got error %v, want Forbidden with the permission", err)
	}
}

func TestCreateDryRunReturnsWhatTheServerWouldStore(t *testing.T) {
	server := &apiServer{}
	server.handlers = map[string]http.HandlerFunc{
		"/api/v1/namespaces/shop/pods": func(w http.ResponseWriter, r *http.Request) {
			sent := readObject(t, r).(*corev1.Pod)
			if sent.ResourceVersion != "" {
				refuse(w, apierrors.NewBadRequest("resourceVersion should not be set"))
				return
			}
			sent.Spec.Priority = new(int32)
			sent.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl-sched"}}
			respond(w, http.StatusCreated, runtime.ContentTypeProtobuf, sent)
		},
	}
	object := livePod("shop", "web-0")
	object.ResourceVersion = "12"
	given := object.DeepCopy()
	got, err := cluster.CreateDryRun(t.Context(), serveAPI(t, server), object)
	if err != nil {
		t.Fatal(err)
	}
	want := livePod("shop", "web-0")
	want.Spec.Priority = new(int32)
	if diff := cmp.Diff(cluster.Object(want), got); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(given, object); diff != "" {
		t.Errorf("the object given was changed (-before +after):\n%s", diff)
	}
	request := server.asked("/api/v1/namespaces/shop/pods")[0]
	if request.Method != http.MethodPost || request.URL.RawQuery != "dryRun=All" {
		t.Errorf("got %s with %q, want POST with dryRun=All", request.Method, request.URL.RawQuery)
	}
}

func TestCreateDryRunKeepsTheServersReason(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	for name, test := range map[string]struct {
		failure *apierrors.StatusError
		is      func(error) bool
	}{
		"forbidden":      {apierrors.NewForbidden(pods, "web-0", errors.New("exceeded quota")), apierrors.IsForbidden},
		"exists already": {apierrors.NewAlreadyExists(pods, "web-0"), apierrors.IsAlreadyExists},
		"invalid":        {apierrors.NewInvalid(schema.GroupKind{Kind: "Pod"}, "web-0", nil), apierrors.IsInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			server := &apiServer{handlers: map[string]http.HandlerFunc{
				"/api/v1/namespaces/shop/pods": func(w http.ResponseWriter, _ *http.Request) { refuse(w, test.failure) },
			}}
			_, err := cluster.CreateDryRun(t.Context(), serveAPI(t, server), livePod("shop", "web-0"))
			if !test.is(err) || !strings.Contains(err.Error(), "dry run of creating pods shop/web-0: ") {
				t.Errorf("got error %v, want the server's reason and the name", err)
			}
		})
	}
}

func TestTheServersWarningsGoToTheConfigsHandlerOnly(t *testing.T) {
	var global, own warnings
	rest.SetDefaultWarningHandler(&global)
	t.Cleanup(func() { rest.SetDefaultWarningHandler(rest.WarningLogger{}) })
	server := &apiServer{handlers: map[string]http.HandlerFunc{
		"/api/v1/namespaces/shop/pods": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Warning", `299 - "would violate PodSecurity"`)
			respond(w, http.StatusCreated, runtime.ContentTypeJSON, readObject(t, r))
		},
	}}
	config := serveAPI(t, server)
	withHandler := rest.CopyConfig(config)
	withHandler.WarningHandler = &own
	for _, config := range []*rest.Config{config, withHandler} {
		if _, err := cluster.CreateDryRun(t.Context(), config, livePod("shop", "web-0")); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(warnings{"would violate PodSecurity"}, own); diff != "" {
		t.Errorf("warnings of the config's handler (-want +got):\n%s", diff)
	}
	if len(global) > 0 {
		t.Errorf("the global handler got %v", global)
	}
}

// warnings is a handler that keeps what the server warns.
type warnings []string

func (w *warnings) HandleWarningHeader(_ int, _, text string) { *w = append(*w, text) }

func TestCreateDryRunRefusesWhatTheTableDoesNotKnow(t *testing.T) {
	_, err := cluster.CreateDryRun(t.Context(), serveAPI(t, &apiServer{}), &corev1.Secret{})
	if err == nil || !strings.Contains(err.Error(), "cannot create a *v1.Secret") {
		t.Errorf("got error %v, want one that names the type", err)
	}
}

func readObject(t *testing.T, r *http.Request) runtime.Object {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Error(err)
	}
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, nil)
	if err != nil {
		t.Error(err)
	}
	return object
}
