package bind_test

import (
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
)

// result is what a call of Bind led to.
type result struct {
	Tries  int
	Err    string // empty when the Pod is bound
	Stored int    // Bindings by us
}

func resultOf(s *apiServer, tries int, err error) result {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	got := result{Tries: tries, Stored: s.stored}
	if err != nil {
		got.Err = err.Error()
	}
	if tries != len(s.received) {
		s.t.Errorf("Bind counts %d tries, the server %d", tries, len(s.received))
	}
	return got
}

// times repeats a behavior.
func times(n int, do behavior) []behavior { return slices.Repeat([]behavior{do}, n) }

func TestBind(t *testing.T) {
	const forever = 100
	internal := says(apierrors.NewInternalError(errors.New("etcdserver: leader changed")))
	down := behavior(nil)
	tests := map[string]struct {
		posts, gets []behavior
		want        result
	}{
		"a server in order": {
			want: result{Tries: 1, Stored: 1},
		},
		"the connection is dropped before anything happened": {
			posts: times(2, drop),
			want:  result{Tries: 3, Stored: 1},
		},
		"the connection is cut after the request went through": {
			posts: []behavior{stores(drop)},
			want:  result{Tries: 1, Stored: 1},
		},
		"the connection is reset after the request went through": {
			posts: []behavior{drop, stores(reset)},
			want:  result{Tries: 2, Stored: 1},
		},
		"the answer is cut in the middle": {
			posts: []behavior{stores(half)},
			want:  result{Tries: 1, Stored: 1},
		},
		"no answer ever comes": {
			posts: times(forever, drop),
			want:  result{Tries: 5, Err: "the API server did not bind the pod in 5 tries: EOF"},
		},
		"the last try goes through unanswered": {
			posts: append(times(4, drop), stores(drop)),
			want:  result{Tries: 5, Stored: 1},
		},
		"the server is down for a moment": {
			posts: times(4, down),
			want:  result{Tries: 5, Stored: 1},
		},
		"the server is down for good: nothing was sent, and nothing is read back": {
			posts: times(forever, down), gets: times(forever, down),
			want: result{Tries: 5, Err: "the API server did not bind the pod in 5 tries: " +
				"dial tcp 127.0.0.1:1: connect: connection refused"},
		},
		"the server goes down after the request went through and comes back": {
			posts: []behavior{stores(drop)}, gets: times(20, down),
			want: result{Tries: 1, Stored: 1},
		},
		"the server goes down before the request went through and comes back": {
			posts: []behavior{drop}, gets: times(20, down),
			want: result{Tries: 2, Stored: 1},
		},
		"the server goes down after the request went through and stays away": {
			posts: []behavior{stores(drop)}, gets: times(forever, down),
			want: result{Tries: 1, Stored: 1, Err: "the pod may be bound or not, the API server could not tell: " +
				"dial tcp 127.0.0.1:1: connect: connection refused"},
		},
		"the outcome cannot be read for want of a permission": {
			posts: []behavior{drop}, gets: []behavior{says(apierrors.NewForbidden(pods, "web-0", errors.New("no")))},
			want: result{Tries: 1, Err: "the pod may be bound or not, the API server could not tell: " +
				`not allowed to get pods in namespace shop: pods "web-0" is forbidden: no`},
		},
		"every kind of failure of the read-back": {
			posts: []behavior{drop},
			gets:  []behavior{drop, reset, half, internal, tooMany(1), page(200), page(404), page(503), down},
			want:  result{Tries: 2, Stored: 1},
		},
		"after an unanswered try the pod is on another node": {
			posts: []behavior{after(taken("n2"), drop)},
			want:  result{Tries: 1, Err: "somebody else bound the pod to node n2"},
		},
		"after an unanswered try the pod is gone": {
			posts: []behavior{after(deleted, drop)},
			want:  result{Tries: 1, Err: "the pod was deleted"},
		},
		"after an unanswered try another pod has the name": {
			posts: []behavior{after(replaced, drop)},
			want:  result{Tries: 1, Err: "the pod was deleted, and another one has its name now"},
		},
		"after an unanswered try the pod is being deleted": {
			posts: []behavior{after(terminating, drop)},
			want:  result{Tries: 1, Err: "the pod is being deleted"},
		},
		"the server says that there is no such thing, and the pod is there": {
			posts: []behavior{unserved, stores(unserved)},
			want:  result{Tries: 2, Stored: 1},
		},
		"the server says so without end": {
			posts: times(forever, unserved),
			want: result{Tries: 5, Err: "the API server did not bind the pod in 5 tries: " +
				"the API server does not find the pod's binding"},
		},
		"a page that is no answer of an API server": {
			posts: []behavior{page(200), page(404), stores(page(200))},
			want:  result{Tries: 3, Stored: 1},
		},
		"nothing but such pages": {
			posts: times(forever, page(200)),
			want: result{Tries: 5, Err: "the API server did not bind the pod in 5 tries: the answer is not one of a " +
				"Kubernetes API server: serializer for text/html doesn't exist"},
		},
		"an answer of another kind": {
			posts: []behavior{func(s *apiServer, w http.ResponseWriter, _ *http.Request) { answer(w, 200, s.pod) }},
			want:  result{Tries: 2, Stored: 1},
		},
		"the server ran out of time": {
			posts: []behavior{
				says(apierrors.NewTimeoutError("request did not complete", 0)), page(408), page(504),
				stores(says(apierrors.NewServerTimeout(pods, "update", 2))),
			},
			want: result{Tries: 4, Stored: 1},
		},
		"the server runs out of time again and again": {
			posts: slices.Concat(times(3, says(apierrors.NewTimeoutError("too slow", 0))),
				times(forever, says(apierrors.NewServerTimeout(pods, "update", 2)))),
			want: result{Tries: 5, Err: "the API server did not bind the pod in 5 tries: " +
				"The update operation against pods could not be completed at this time, please try again."},
		},
		"errors of the server": {
			posts: times(5, internal),
			want:  result{Tries: 6, Stored: 1},
		},
		"errors of the server without end": {
			posts: times(forever, internal),
			want: result{Tries: 6, Err: "the API server did not bind the pod in 6 tries: " +
				"Internal error occurred: etcdserver: leader changed"},
		},
		"an error after the request went through": {
			posts: []behavior{stores(internal)},
			want:  result{Tries: 1, Stored: 1},
		},
		"a proxy's error after the request went through": {
			posts: []behavior{page(502), stores(page(503))},
			want:  result{Tries: 2, Stored: 1},
		},
		"too many requests, and nothing is read back": {
			posts: append(times(4, tooMany(0)), tooMany(3)), gets: times(forever, down),
			want: result{Tries: 6, Stored: 1},
		},
		"too many requests without end": {
			posts: times(forever, tooMany(1)),
			want: result{Tries: 6, Err: "the API server did not bind the pod in 6 tries: " +
				"the server has received too many requests and has asked us to try again later (post pods web-0)"},
		},
		"a server that wants to be left alone for an hour": {
			posts: []behavior{tooMany(3600)},
			want: result{Tries: 1, Err: "the API server did not bind the pod: " +
				"the server has received too many requests and has asked us to try again later (post pods web-0)"},
		},
		"both kinds of failures count for themselves": {
			posts: []behavior{drop, internal, drop, tooMany(1), down, internal, down, internal, tooMany(1)},
			want:  result{Tries: 10, Stored: 1},
		},
		"admission is not ready yet": {
			posts: []behavior{
				refuses(apierrors.NewForbidden(pods, "web-0", errors.New("not yet ready to handle request"))),
			},
			want: result{Tries: 2, Stored: 1},
		},
		"bound to our node already": {
			posts: []behavior{after(taken("n1"), well)},
			want:  result{Tries: 1},
		},
		"bound to another node already": {
			posts: []behavior{after(taken("n2"), well)},
			want:  result{Tries: 1, Err: "somebody else bound the pod to node n2"},
		},
		"a conflict of the store": {
			posts: times(2, says(apierrors.NewConflict(bindings, "web-0", errors.New("try again")))),
			want:  result{Tries: 3, Stored: 1},
		},
		"a conflict that a proxy made up": {
			posts: times(forever, page(409)),
			want: result{Tries: 5, Err: "the API server did not bind the pod in 5 tries: " +
				"the server reported a conflict (post pods web-0)"},
		},
		"a conflict, and the pod cannot be read": {
			posts: []behavior{after(taken("n1"), well)}, gets: times(forever, drop),
			want: result{Tries: 1, Err: "the pod may be bound or not, the API server could not tell: EOF"},
		},
		"the pod is being deleted": {
			posts: []behavior{after(terminating, well)},
			want:  result{Tries: 1, Err: "the pod is being deleted"},
		},
		"the pod is gated": {
			posts: []behavior{after(gated, well)},
			want:  result{Tries: 1, Err: "the API server rejected the request: the pod has scheduling gates"},
		},
		"another pod has the name": {
			posts: []behavior{after(replaced, well)},
			want:  result{Tries: 1, Err: "the pod was deleted, and another one has its name now"},
		},
		"the pod is gone": {
			posts: []behavior{after(deleted, well)},
			want:  result{Tries: 1, Err: "the pod was deleted"},
		},
		"the permission is missing": {
			posts: []behavior{says(apierrors.NewForbidden(pods, "web-0", errors.New("no")))},
			want: result{Tries: 1, Err: `not allowed to create pods/binding in namespace shop: ` +
				`pods "web-0" is forbidden: no`},
		},
		"the credentials are not accepted": {
			posts: []behavior{says(apierrors.NewUnauthorized("Unauthorized"))},
			want: result{Tries: 1, Err: "the API server does not accept the credentials of the kubeconfig: " +
				"Unauthorized"},
		},
		"the request is rejected": {
			posts: []behavior{drop, says(apierrors.NewBadRequest("admission webhook denied the request"))},
			want: result{Tries: 2, Err: "the API server rejected the request: " +
				"admission webhook denied the request"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAPIServer(t)
			s.posts, s.gets = test.posts, test.gets

			tries, err := s.binder(bind.Options{}).Bind(t.Context(), target, noCheck)

			if diff := cmp.Diff(test.want, resultOf(s, tries, err)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestBindGivesEachTryItsTime(t *testing.T) {
	tests := map[string]struct {
		timeout time.Duration
		posts   []behavior
		want    result
	}{
		"the server is too slow": {
			timeout: time.Second,
			posts:   []behavior{hang},
			want:    result{Tries: 2, Stored: 1},
		},
		"the server is too slow, and the request went through": {
			timeout: time.Second,
			posts:   []behavior{stores(hang)},
			want:    result{Tries: 1, Stored: 1},
		},
		"the server is always too slow": {
			timeout: 50 * time.Millisecond,
			posts:   times(5, hang),
			want:    result{Tries: 5, Err: "the API server did not bind the pod in 5 tries: no answer within 50ms"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAPIServer(t)
			s.posts = test.posts

			tries, err := s.binder(bind.Options{TryTimeout: test.timeout}).Bind(t.Context(), target, noCheck)

			if diff := cmp.Diff(test.want, resultOf(s, tries, err)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestBindSendsTheBindingOfKubeScheduler(t *testing.T) {
	want := corev1.Binding{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Binding"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web-0", UID: "uid-1"},
		Target:     corev1.ObjectReference{Kind: "Node", Name: "n1"},
	}
	for name, test := range map[string]struct {
		dryRun bool
		query  string
		stored int
	}{
		"for good":     {dryRun: false, query: "timeout=10s", stored: 1},
		"as a dry run": {dryRun: true, query: "dryRun=All&timeout=10s", stored: 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newAPIServer(t)
			tries, err := s.binder(bind.Options{DryRun: test.dryRun}).Bind(t.Context(), target, noCheck)
			if diff := cmp.Diff(result{Tries: 1, Stored: test.stored}, resultOf(s, tries, err)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(want, s.last().binding); diff != "" {
				t.Errorf("Binding (-want +got)\n%s", diff)
			}
			if s.last().query != test.query {
				t.Errorf("query %q, want %q", s.last().query, test.query)
			}
		})
	}
}

// A dry run stores nothing, so that there is nothing to read back, and no outcome is ever unknown.
func TestBindReadsNothingBackInADryRun(t *testing.T) {
	s := newAPIServer(t)
	s.posts, s.gets = times(5, drop), times(100, drop)
	tries, err := s.binder(bind.Options{DryRun: true}).Bind(t.Context(), target, noCheck)
	want := result{Tries: 5, Err: "the API server did not bind the pod in 5 tries: EOF"}
	if diff := cmp.Diff(want, resultOf(s, tries, err)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if left := s.getsLeft(); left != 100 {
		t.Errorf("the Pod was read %d times", 100-left)
	}
}
