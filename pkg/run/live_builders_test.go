package run_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/pkg/run"
)

const (
	podA     = "/api/v1/namespaces/default/pods/a"
	nodeN1   = "/api/v1/nodes/n1"
	patience = 5 * time.Second // with what takes no time
)

// kindsScheduled are the kinds that a scheduler reads.
func kindsScheduled() []*cluster.Kind {
	return slices.DeleteFunc(slices.Clone(cluster.Kinds), func(kind *cluster.Kind) bool {
		return kind.Use != cluster.Scheduling
	})
}

func (s *apiServer) clientConfig() *rest.Config {
	return &rest.Config{
		Host: s.URL, QPS: -1, WrapTransport: s.wrap,
		ContentConfig: rest.ContentConfig{ContentType: runtime.ContentTypeJSON},
	}
}

// live is the server's cluster for a Session.
func (s *apiServer) live() run.Live {
	return run.Live{Config: s.clientConfig(), Kinds: kindsScheduled(), Role: "deploy/rbac-bind.yaml"}
}

// session builds a Session over the server's cluster.
func (s *apiServer) session(options run.Options) *run.Session {
	s.t.Helper()
	ctx, stop := context.WithTimeout(s.t.Context(), patience) // for the start only
	defer stop()
	session, err := run.NewLive(ctx, s.live(), options)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(session.Close)
	return session
}

// binder returns a Binder that does not really wait before it tries again.
func (s *apiServer) binder() *bind.Binder {
	s.t.Helper()
	client, err := kubernetes.NewForConfig(s.clientConfig())
	if err != nil {
		s.t.Fatal(err)
	}
	return bind.New(client, bind.Options{Clock: hastyClock{clocktesting.NewFakeClock(time.Now())}})
}

// hastyClock is a clock whose waits are over at once.
type hastyClock struct{ *clocktesting.FakeClock }

func (c hastyClock) NewTimer(d time.Duration) clock.Timer {
	timer := c.FakeClock.NewTimer(d)
	c.Step(max(d, 0))
	return timer
}

// binderFunc is a function as a Binder.
type binderFunc func(context.Context, bind.Target, bind.Check) (int, error)

func (f binderFunc) Bind(ctx context.Context, target bind.Target, check bind.Check) (int, error) {
	return f(ctx, target, check)
}

// waitUntil waits for what watches tell of.
func waitUntil(t *testing.T, what string, happened func() bool) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), time.Millisecond, patience, true,
		func(context.Context) (bool, error) { return happened(), nil })
	if err != nil {
		t.Errorf("waiting until %s: %v", what, err)
	}
}

func stateNow(t *testing.T, session *run.Session) *cluster.State {
	t.Helper()
	state, err := session.State()
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// waitingPods are the Pods without a node.
func waitingPods(t *testing.T, session *run.Session) []*corev1.Pod {
	t.Helper()
	return slices.DeleteFunc(stateNow(t, session).Pods, func(pod *corev1.Pod) bool { return pod.Spec.NodeName != "" })
}

// bindWaiting binds all Pods without a node.
func bindWaiting(t *testing.T, session *run.Session) []*report.Binding {
	t.Helper()
	bindings, err := session.Bind(t.Context(), waitingPods(t, session))
	if err != nil {
		t.Fatal(err)
	}
	return bindings
}

// drop cuts the connection.
func drop() { panic(http.ErrAbortHandler) }

// forbid refuses what the user has no right to, if the request is for one of the paths.
func forbid(w http.ResponseWriter, r *http.Request, paths []string) bool {
	if !slices.Contains(paths, r.URL.Path) {
		return false
	}
	refuse(w, apierrors.NewForbidden(corev1.Resource(""), r.URL.Path, errors.New("no right")))
	return true
}
