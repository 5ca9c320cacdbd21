package cluster_test

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// apiServer speaks as much of the API as reading needs: /version, and for each kind a list that is empty unless the test
// gives objects or a handler of its own.
type apiServer struct {
	handlers map[string]http.HandlerFunc // by path
	lists    map[string][]runtime.Object // by path
	jsonOnly bool

	mutex    sync.Mutex
	requests []*http.Request
}

func (s *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	s.requests = append(s.requests, r.Clone(r.Context()))
	s.mutex.Unlock()
	if handler, ok := s.handlers[r.URL.Path]; ok {
		handler(w, r)
		return
	}
	if r.URL.Path == "/version" {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"major":"1","minor":"37","gitVersion":"v1.37.2"}`))
		return
	}
	for _, kind := range cluster.Kinds {
		if r.URL.Path == listPath(kind) {
			s.answer(w, r, listOf(kind, s.lists[r.URL.Path]...))
			return
		}
	}
	refuse(w, apierrors.NewGenericServerResponse(http.StatusNotFound, "GET", schema.GroupResource{}, "", "", 0, true))
}

// asked returns the requests for a path, in the order of their arrival.
func (s *apiServer) asked(path string) []*http.Request {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var found []*http.Request
	for _, request := range s.requests {
		if request.URL.Path == path {
			found = append(found, request)
		}
	}
	return found
}

// answer sends an object in the form that the client likes best.
func (s *apiServer) answer(w http.ResponseWriter, r *http.Request, object runtime.Object) {
	media := runtime.ContentTypeJSON
	if !s.jsonOnly && strings.HasPrefix(r.Header.Get("Accept"), runtime.ContentTypeProtobuf) {
		media = runtime.ContentTypeProtobuf
	}
	respond(w, http.StatusOK, media, object)
}

// refuse sends a failure as an API server does.
func refuse(w http.ResponseWriter, failure *apierrors.StatusError) {
	status := failure.Status()
	respond(w, int(status.Code), runtime.ContentTypeJSON, &status)
}

func respond(w http.ResponseWriter, code int, media string, object runtime.Object) {
	kinds, _, err := scheme.Scheme.ObjectKinds(object)
	if err != nil {
		panic(err)
	}
	info, _ := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), media)
	body, err := runtime.Encode(scheme.Codecs.EncoderForVersion(info.Serializer, kinds[0].GroupVersion()), object)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", media)
	w.WriteHeader(code)
	_, _ = w.Write(body)
}

// serveAPI starts the server and returns a config for it.
func serveAPI(t testing.TB, server *apiServer) *rest.Config {
	t.Helper()
	listening := httptest.NewServer(server)
	t.Cleanup(listening.Close)
	return &rest.Config{Host: listening.URL}
}

func listPath(kind *cluster.Kind) string {
	if kind.Group == "" {
		return "/api/" + kind.Version + "/" + kind.Resource
	}
	return "/apis/" + kind.Group + "/" + kind.Version + "/" + kind.Resource
}

func listOf(kind *cluster.Kind, objects ...runtime.Object) runtime.Object {
	list, err := scheme.Scheme.New(kind.GroupVersion().WithKind(kind.Kind + "List"))
	if err != nil {
		panic(err)
	}
	if err := meta.SetList(list, objects); err != nil {
		panic(err)
	}
	return list
}

// kindNamed finds a kind in the table.
func kindNamed(t testing.TB, name string) *cluster.Kind {
	t.Helper()
	for _, kind := range cluster.Kinds {
		if kind.Kind == name {
			return kind
		}
	}
	t.Fatalf("no kind %s in the table", name)
	return nil
}

func kindsNamed(t testing.TB, names ...string) []*cluster.Kind {
	t.Helper()
	kinds := make([]*cluster.Kind, len(names))
	for i, name := range names {
		kinds[i] = kindNamed(t, name)
	}
	return kinds
}

func liveNode(name string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

func livePod(namespace, name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// discardLog is the error log of a server whose clients hang up on purpose.
func discardLog() *log.Logger { return log.New(io.Discard, "", 0) }
