package bind_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
)

// A Pod whose Binding may have been stored is never taken for unbound, however often Bind is called for it.
func TestBindAgainWhenTheOutcomeWasUnknown(t *testing.T) {
	const forever = 1000
	forbidden := says(apierrors.NewForbidden(pods, "web-0", errors.New("no")))
	unknown := "the pod may be bound or not, the API server could not tell: "
	tests := map[string]struct {
		// first is what became of the Binding that nobody answered.
		first behavior
		// meanwhile is what happens before Bind is called again; posts and gets are the server's behavior then.
		meanwhile   func(*apiServer)
		posts, gets []behavior
		node        string
		want        result // Tries are those of both calls
	}{
		"it was stored": {
			first: stores(drop),
			want:  result{Tries: 1, Stored: 1},
		},
		"it was stored, and bindings are not allowed any more": {
			first: stores(drop), posts: times(forever, forbidden),
			want: result{Tries: 1, Stored: 1},
		},
		"it was stored, and the pod is about to be deleted": {
			first: stores(drop), meanwhile: terminating,
			want: result{Tries: 1, Stored: 1},
		},
		"it was stored, and the server is still away": {
			first: stores(drop), posts: times(forever, nil), gets: times(forever, nil),
			want: result{Tries: 1, Stored: 1, Err: unknown + "dial tcp 127.0.0.1:1: connect: connection refused"},
		},
		"it was stored, and pods may not be read": {
			first: stores(drop), gets: times(forever, forbidden),
			want: result{Tries: 1, Stored: 1, Err: unknown +
				`not allowed to get pods in namespace shop: pods "web-0" is forbidden: no`},
		},
		"it was stored, and the pod is to go to another node by now": {
			first: stores(drop), node: "n2",
			want: result{Tries: 1, Stored: 1, Err: "somebody else bound the pod to node n1"},
		},
		"it was not stored": {
			first: drop,
			want:  result{Tries: 2, Stored: 1},
		},
		"it was not stored, and the server goes away again": {
			first: drop, posts: times(forever, nil),
			want: result{Tries: 6, Err: "the API server did not bind the pod in 5 tries: " +
				"dial tcp 127.0.0.1:1: connect: connection refused"},
		},
		"it was not stored, and bindings are not allowed any more": {
			first: drop, posts: times(forever, forbidden),
			want: result{Tries: 2, Err: `not allowed to create pods/binding in namespace shop: pods "web-0" is forbidden: no`},
		},
		"somebody else bound the pod": {
			first: drop, meanwhile: taken("n2"),
			want: result{Tries: 1, Err: "somebody else bound the pod to node n2"},
		},
		"the pod was deleted": {
			first: stores(drop), meanwhile: deleted,
			want: result{Tries: 1, Stored: 1, Err: "the pod was deleted"},
		},
		"another pod has the name": {
			first: stores(drop), meanwhile: replaced,
			want: result{Tries: 1, Stored: 1, Err: "the pod was deleted, and another one has its name now"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAPIServer(t)
			binder := s.binder(bind.Options{})
			first := bindWithoutOutcome(t, s, binder, test.first)
			if test.meanwhile != nil {
				s.change(test.meanwhile)
			}
			s.change(func(s *apiServer) { s.posts, s.gets = test.posts, test.gets })
			again := target
			if test.node != "" {
				again.NodeName = test.node
			}

			tries, err := binder.Bind(t.Context(), again, noCheck)

			if diff := cmp.Diff(test.want, resultOf(s, first+tries, err)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// bindWithoutOutcome calls Bind while the server does something with the Binding, and answers nothing.
func bindWithoutOutcome(t *testing.T, s *apiServer, binder *bind.Binder, does behavior) (tries int) {
	t.Helper()
	s.posts, s.gets = []behavior{does}, times(1000, drop)
	tries, err := binder.Bind(t.Context(), target, noCheck)
	if !isUnknown(err) {
		t.Fatalf("got the error %v, want that the outcome is unknown", err)
	}
	return tries
}

// What was in doubt is found out at the end of a run as well.
func TestBindAgainWhenTheContextHasEnded(t *testing.T) {
	for name, test := range map[string]struct {
		first behavior
		want  result
	}{
		"it was stored":     {first: stores(drop), want: result{Tries: 1, Stored: 1}},
		"it was not stored": {first: drop, want: result{Tries: 1, Err: stopped}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancelCause(t.Context())
			s := newAPIServer(t)
			binder := s.binder(bind.Options{})
			first := bindWithoutOutcome(t, s, binder, test.first)
			s.change(func(s *apiServer) { s.gets = nil })
			stop(errInterrupt)

			tries, err := binder.Bind(ctx, target, noCheck)

			if diff := cmp.Diff(test.want, resultOf(s, first+tries, err)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A process that was started anew knows of no doubts: it sends the Binding again, and the server's conflict tells.
func TestBindAgainByAnotherBinder(t *testing.T) {
	for name, test := range map[string]struct {
		first behavior
		want  result
	}{
		"it was stored":     {first: stores(drop), want: result{Tries: 2, Stored: 1}},
		"it was not stored": {first: drop, want: result{Tries: 2, Stored: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newAPIServer(t)
			first := bindWithoutOutcome(t, s, s.binder(bind.Options{}), test.first)
			s.change(func(s *apiServer) { s.gets, s.inDoubt = nil, false })

			tries, err := s.binder(bind.Options{}).Bind(t.Context(), target, noCheck)

			if diff := cmp.Diff(test.want, resultOf(s, first+tries, err)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
