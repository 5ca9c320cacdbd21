package run_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
	"github.com/kubectl-sched/kubectl-sched/pkg/run"
)

func TestWhatBecomesOfAPodThatCannotBeBound(t *testing.T) {
	unfit := &run.NoLongerFitsError{Node: "n1", Reasons: []string{"Insufficient cpu"}}
	first := func(err error) func(bind.Target, int) error {
		return func(_ bind.Target, before int) error {
			if before == 0 {
				return err
			}
			return nil
		}
	}
	always := func(err error) func(bind.Target, int) error { return func(bind.Target, int) error { return err } }
	for what, c := range map[string]struct {
		fail  func(bind.Target, int) error
		want  string
		tries int
	}{
		"it is bound at once":                      {fail: always(nil), want: "a Bound n1", tries: 1},
		"its node does not take it any more, once": {fail: first(unfit), want: "a Bound n1", tries: 2},
		"its node never takes it": {
			fail:  always(unfit),
			want:  "a Failed n1: node n1 does not take it any more: Insufficient cpu; given up after 4 decisions",
			tries: 4,
		},
		"its node is removed, once": {fail: first(&run.NodeGoneError{Node: "n1"}), want: "a Bound n1", tries: 2},
		"somebody else binds it": {
			fail:  always(&bind.BoundElsewhereError{NodeName: "n9"}),
			want:  "a BoundElsewhere n9: somebody else bound the pod to node n9",
			tries: 1,
		},
		"it is deleted": {fail: always(&bind.GoneError{}), want: "a Gone: the pod was deleted", tries: 1},
		"it may not be bound": {
			fail: always(&bind.ForbiddenError{
				Verb: "create", Resource: "pods/binding", Namespace: "default", Err: errors.New("no"),
			}),
			want:  "a Failed n1: not allowed to create pods/binding in namespace default: no",
			tries: 1,
		},
		"the server rejects it": {
			fail:  always(&bind.RejectedError{Err: errors.New("no")}),
			want:  "a Failed n1: the API server rejected the request: no",
			tries: 1,
		},
		"nobody knows whether it is bound": {
			fail:  always(&bind.UnavailableError{Tries: 5, Unknown: true, Err: errors.New("cut")}),
			want:  "a Failed n1: the pod may be bound or not, the API server could not tell: cut",
			tries: 1,
		},
	} {
		t.Run(what, func(t *testing.T) {
			state := stateOf(t, nodeText("n1"), podText("a", "1"))
			bindings, err := sessionOf(t, state, run.Options{Binder: &fakeBinder{fail: c.fail}}).Bind(t.Context(), state.Pods)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{c.want}, lines(bindings)); diff != "" || bindings[0].Tries != c.tries {
				t.Errorf("%d tries, want %d (-want +got):\n%s", bindings[0].Tries, c.tries, diff)
			}
		})
	}
}

// What a Pod leaves that is not bound goes to the next one, and what may be taken stays taken.
func TestRoomOfPodsThatAreNotBound(t *testing.T) {
	for what, c := range map[string]struct {
		err  error
		want []string
	}{
		"of one that is deleted": {
			err:  &bind.GoneError{},
			want: []string{"a Gone: the pod was deleted", "b Bound n1"},
		},
		"of one that may be bound": {
			err: &bind.UnavailableError{Unknown: true, Err: errors.New("cut")},
			want: []string{
				"a Failed n1: the pod may be bound or not, the API server could not tell: cut",
				"b Unschedulable: 0/1 nodes are available: 1 Insufficient cpu.",
			},
		},
	} {
		t.Run(what, func(t *testing.T) {
			state := stateOf(t, nodeText("n1"), podText("a", "3"), podText("b", "3"))
			session := sessionOf(t, state, run.Options{Binder: &fakeBinder{fail: func(target bind.Target, _ int) error {
				if target.Name == "a" {
					return c.err
				}
				return nil
			}}})
			var got []string
			for i := range state.Pods { // one after the other, so that b is decided when a has failed
				bindings, err := session.Bind(t.Context(), state.Pods[i:i+1])
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, lines(bindings)...)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
