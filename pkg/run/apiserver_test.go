package run_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// apiServer is an API server of the kinds that a scheduler reads. It stores what it is given as it is, tells watches of
// every change, and binds Pods. It speaks JSON.
type apiServer struct {
	*httptest.Server
	*store
	t   *testing.T
	mux *http.ServeMux
	// before, when set, sees every request first, and tells whether it has answered it.
	before func(http.ResponseWriter, *http.Request) bool
	// wrap, when set, stands between clients and the server.
	wrap func(http.RoundTripper) http.RoundTripper
	// bindings counts those that were stored.
	bindings atomic.Int32
}

// newAPIServer starts a server with the objects of YAML documents.
func newAPIServer(t *testing.T, documents ...string) *apiServer {
	t.Helper()
	s := &apiServer{t: t, store: newStore(), mux: http.NewServeMux()}
	for _, kind := range kindsScheduled() {
		one := objectPath(kind, "{namespace}", "{name}")
		s.mux.HandleFunc("GET "+listPath(kind), func(w http.ResponseWriter, r *http.Request) { s.serveAll(w, r, kind) })
		s.mux.HandleFunc("GET "+one, s.serveOne)
		s.mux.HandleFunc("PUT "+one, func(w http.ResponseWriter, r *http.Request) { s.serveUpdate(w, r, kind.New()) })
	}
	s.mux.HandleFunc("POST /api/v1/namespaces/{namespace}/pods/{name}/binding", s.serveBinding)
	s.mux.HandleFunc("PATCH /api/v1/namespaces/{namespace}/pods/{name}/status", s.servePodStatus)
	s.mux.HandleFunc("GET /readyz", func(http.ResponseWriter, *http.Request) {})
	s.mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, map[string]string{"gitVersion": "v1.37.2"})
	})
	s.add(documents...)
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// add stores the objects of YAML documents, in place of those of the same names.
func (s *apiServer) add(documents ...string) {
	s.t.Helper()
	state := stateOf(s.t, documents...)
	for _, kind := range cluster.Kinds {
		for object := range kind.Objects(state) {
			s.put(object)
		}
	}
}

func (s *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.before == nil || !s.before(w, r) {
		s.mux.ServeHTTP(w, r)
	}
}

func (s *apiServer) serveAll(w http.ResponseWriter, r *http.Request, kind *cluster.Kind) {
	if isWatch(r) {
		s.serveWatch(w, r, kind)
		return
	}
	objects, version := s.all(kind)
	answer(w, http.StatusOK, map[string]any{
		"apiVersion": kind.GroupVersion().String(), "kind": kind.Kind + "List", "items": objects,
		"metadata": map[string]string{"resourceVersion": strconv.Itoa(version)},
	})
}

func isWatch(r *http.Request) bool { return r.URL.Query().Get("watch") == "true" }

func (s *apiServer) serveWatch(w http.ResponseWriter, r *http.Request, kind *cluster.Kind) {
	version, _ := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Query().Get("sendInitialEvents") == "true" {
		version = s.serveInitialEvents(w, kind)
	}
	for r.Context().Err() == nil {
		events, now, more := s.since(kind, version)
		for _, event := range events {
			_, _ = w.Write(event)
		}
		w.(http.Flusher).Flush()
		version = now
		select {
		case <-more:
		case <-r.Context().Done():
		}
	}
}

// serveInitialEvents begins a watch with what there is. The bookmark tells that this is all.
func (s *apiServer) serveInitialEvents(w io.Writer, kind *cluster.Kind) (version int) {
	objects, version := s.all(kind)
	for _, object := range objects {
		_, _ = w.Write(eventOf("ADDED", object))
	}
	end := kind.New()
	end.GetObjectKind().SetGroupVersionKind(kind.GroupVersionKind)
	end.SetResourceVersion(strconv.Itoa(version))
	end.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	_, _ = w.Write(eventOf("BOOKMARK", end))
	return version
}

func (s *apiServer) serveOne(w http.ResponseWriter, r *http.Request) {
	object := s.get(r.URL.Path)
	if object == nil {
		refuse(w, notFound(r))
		return
	}
	answer(w, http.StatusOK, object)
}

func (s *apiServer) serveUpdate(w http.ResponseWriter, r *http.Request, object cluster.Object) {
	s.check(json.NewDecoder(r.Body).Decode(object))
	s.put(object)
	s.serveOne(w, r)
}

func (s *apiServer) servePodStatus(w http.ResponseWriter, r *http.Request) {
	patch, err := io.ReadAll(r.Body)
	s.check(err)
	path := strings.TrimSuffix(r.URL.Path, "/status")
	found := edit(s.store, path, func(pod *corev1.Pod) {
		before, err := json.Marshal(pod)
		s.check(err)
		after, err := strategicpatch.StrategicMergePatch(before, patch, pod)
		s.check(err)
		*pod = corev1.Pod{}
		s.check(json.Unmarshal(after, pod))
	})
	if !found {
		refuse(w, notFound(r))
		return
	}
	answer(w, http.StatusOK, s.get(path))
}

func (s *apiServer) serveBinding(w http.ResponseWriter, r *http.Request) {
	binding := &corev1.Binding{}
	s.check(json.NewDecoder(r.Body).Decode(binding))
	path := strings.TrimSuffix(r.URL.Path, "/binding")
	found := edit(s.store, path, func(pod *corev1.Pod) {
		if pod.Spec.NodeName != "" {
			s.t.Errorf("pod %s is bound to node %s already", pod.Name, pod.Spec.NodeName)
			return
		}
		pod.Spec.NodeName = binding.Target.Name
	})
	if !found {
		refuse(w, notFound(r))
		return
	}
	s.bindings.Add(1)
	answer(w, http.StatusCreated, success)
}

func (s *apiServer) check(err error) {
	if err != nil {
		s.t.Error(err)
	}
}

func answer(w http.ResponseWriter, code int, object any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(object) // the client may have gone
}

// refuse answers as an API server does that says no.
func refuse(w http.ResponseWriter, failure *apierrors.StatusError) {
	status := failure.Status()
	status.TypeMeta = success.TypeMeta
	answer(w, int(status.Code), status)
}

func notFound(r *http.Request) *apierrors.StatusError {
	return apierrors.NewNotFound(corev1.Resource(""), r.URL.Path)
}

var success = metav1.Status{
	TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusSuccess,
}
