package run_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
	"github.com/kubectl-sched/kubectl-sched/pkg/run"
)

// configOf reads a KubeSchedulerConfiguration without its first lines.
func configOf(t *testing.T, text string) *upstream.Config {
	t.Helper()
	const head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
	config, err := upstream.ReadConfig("config.yaml", []byte(head+text))
	if err != nil {
		t.Fatal(err)
	}
	return config
}

// Whatever a profile disables, Pods are bound by the Session's Binder, and every Pod comes to an end.
func TestAnyProfileBinds(t *testing.T) {
	for what, plugins := range map[string]string{
		"no Permit plugin":         "permit: {disabled: [{name: '*'}]}",
		"no PostBind plugin":       "postBind: {disabled: [{name: '*'}]}",
		"DefaultBinder by name":    "bind: {disabled: [{name: '*'}], enabled: [{name: DefaultBinder}]}",
		"no Reserve plugin":        "reserve: {disabled: [{name: '*'}]}",
		"no PreBind plugin":        "preBind: {disabled: [{name: '*'}]}",
		"no Score plugin":          "score: {disabled: [{name: '*'}]}",
		"no PostFilter plugin":     "postFilter: {disabled: [{name: '*'}]}",
		"nothing but what must":    "multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: DefaultBinder}]}",
		"everything as by default": "multiPoint: {}",
	} {
		t.Run(what, func(t *testing.T) {
			state := stateOf(t, nodeText("n1"), podText("a", "1"))
			binder := &fakeBinder{}
			config := configOf(t, "profiles: [{schedulerName: default-scheduler, plugins: {"+plugins+"}}]")
			got := bindAll(t, state, run.Options{Config: config, Binder: binder})
			if diff := cmp.Diff([]string{"a Bound n1"}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{"a n1"}, binder.asked); diff != "" {
				t.Errorf("the Binder was asked for (-want +got):\n%s", diff)
			}
		})
	}
}

// A plan changes no cluster: extenders that bind are not asked to, though they have their say in which nodes fit.
func TestExtendersBindNothingInAPlan(t *testing.T) {
	var bound, filtered atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/filter":
			filtered.Add(1)
			fmt.Fprint(w, `{"nodenames": ["n2"]}`)
		case "/bind":
			bound.Add(1)
			fmt.Fprint(w, `{}`)
		}
	}))
	defer server.Close()
	config := configOf(t, "extenders: [{urlPrefix: "+server.URL+", filterVerb: filter, bindVerb: bind, nodeCacheCapable: true}]")
	state := stateOf(t, nodeText("n1"), nodeText("n2"), podText("a", "1"))
	got := bindAll(t, state, run.Options{Config: config})
	if diff := cmp.Diff([]string{"a Bound n2"}, got); diff != "" || bound.Load() > 0 || filtered.Load() == 0 {
		t.Errorf("%d bindings, %d filterings (-want +got):\n%s", bound.Load(), filtered.Load(), diff)
	}
}

// Max counts what the Session has bound, pass after pass.
func TestMaxHoldsForTheSession(t *testing.T) {
	state := stateOf(t, nodeText("n1"), podText("a", "1"), podText("b", "1"))
	session := sessionOf(t, state, run.Options{Max: 1})
	var got []string
	for i := range state.Pods {
		bindings, err := session.Bind(t.Context(), state.Pods[i:i+1])
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, lines(bindings)...)
	}
	if diff := cmp.Diff([]string{"a Bound n1", "b Skipped: --max does not let it in"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The members of a group that could not be bound are scheduled anew together, or they would lack each other.
func TestGroupsAreRescheduledWhole(t *testing.T) {
	withPodGroups(t)
	gang := []string{
		gangText(2), memberText("a", "1"), memberText("b", "1"), nodeText("n1"), nodeText("n2"),
	}
	for range 20 { // the bindings of a group fail in any order
		state := stateOf(t, gang...)
		binder := &fakeBinder{fail: func(target bind.Target, before int) error {
			if before == 0 {
				return &run.NoLongerFitsError{Node: target.NodeName, Reasons: []string{"Insufficient cpu"}}
			}
			return nil
		}}
		got := bindAll(t, state, run.Options{Binder: binder})
		if diff := cmp.Diff([]string{"a Bound n1", "b Bound n2"}, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	}
}

// After the end, what is known of a Pod is told, and what is not is not made up.
func TestWhatIsToldAfterTheEnd(t *testing.T) {
	for what, c := range map[string]struct {
		err  error
		want string
	}{
		"it is bound": {want: "a Bound n1"},
		"it was not bound": {
			err:  &bind.StoppedError{Err: context.Canceled, Cause: context.Canceled},
			want: "a Skipped: the run was stopped before it was bound",
		},
		"nobody knows": {
			err:  &bind.UnavailableError{Unknown: true, Err: errors.New("cut")},
			want: "a Failed n1: the pod may be bound or not, the API server could not tell: cut",
		},
		"somebody else bound it": {
			err:  &bind.BoundElsewhereError{NodeName: "n9"},
			want: "a BoundElsewhere n9: somebody else bound the pod to node n9",
		},
	} {
		t.Run(what, func(t *testing.T) {
			state := stateOf(t, nodeText("n1"), podText("a", "1"))
			ctx, stop := context.WithCancel(t.Context())
			binder := &fakeBinder{fail: func(bind.Target, int) error {
				stop()
				return c.err
			}}
			bindings, err := sessionOf(t, state, run.Options{Binder: binder}).Bind(ctx, state.Pods)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want that the run was stopped", err)
			}
			if diff := cmp.Diff([]string{c.want}, lines(bindings)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
