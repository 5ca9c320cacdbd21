package bind_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
)

// Callers tell errors apart by their types, and find the server's answer in them.
func TestBindErrors(t *testing.T) {
	forbidden := apierrors.NewForbidden(pods, "web-0", errors.New("no"))
	invalid := apierrors.NewBadRequest("no")
	internal := apierrors.NewInternalError(errors.New("no"))
	tests := map[string]struct {
		posts, gets []behavior
		want        error
	}{
		"bound elsewhere": {
			posts: []behavior{after(taken("n2"), well)},
			want:  &bind.BoundElsewhereError{NodeName: "n2"},
		},
		"gone": {
			posts: []behavior{after(deleted, well)},
			want:  &bind.GoneError{},
		},
		"gone and replaced": {
			posts: []behavior{after(replaced, well)},
			want:  &bind.GoneError{Replaced: true},
		},
		"about to be gone": {
			posts: []behavior{after(terminating, well)},
			want:  &bind.GoneError{Terminating: true},
		},
		"forbidden": {
			posts: []behavior{says(forbidden)},
			want: &bind.ForbiddenError{
				Verb: "create", Resource: "pods/binding", Namespace: "shop", Err: forbidden,
			},
		},
		"rejected": {
			posts: []behavior{says(invalid)},
			want:  &bind.RejectedError{Err: invalid},
		},
		"unavailable": {
			posts: times(6, says(internal)),
			want:  &bind.UnavailableError{Tries: 6, Err: internal},
		},
		"unavailable, and the outcome forbidden to read": {
			posts: []behavior{drop}, gets: []behavior{says(forbidden)},
			want: &bind.UnavailableError{Tries: 1, Unknown: true, Err: &bind.ForbiddenError{
				Verb: "get", Resource: "pods", Namespace: "shop", Err: forbidden,
			}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAPIServer(t)
			s.posts, s.gets = test.posts, test.gets
			_, err := s.binder(bind.Options{}).Bind(t.Context(), target, noCheck)
			if diff := cmp.Diff(test.want, err, withoutType); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// withoutType leaves out the kind and version that only a Status which came over the wire has.
var withoutType = cmpopts.IgnoreFields(apierrors.StatusError{}, "ErrStatus.TypeMeta")
