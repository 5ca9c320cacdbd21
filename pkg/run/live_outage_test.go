package run_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/pkg/run"
)

// While the API server is out of reach nothing is decided, and not before it is known what happened meanwhile.
func TestAnOutageIsSatOut(t *testing.T) {
	const nodes, pods = "/api/v1/nodes", "/api/v1/pods"
	server := newAPIServer(t, nodeText("n1"), nodeText("n2"), nodeText("n3"), podText("a", "3"), podText("b", "3"))
	line := newLine()
	server.wrap = line.wrap
	binder := server.binder()
	var cut sync.Once
	tried := make(chan error, 100)
	session := server.session(run.Options{Binder: binderFunc(
		func(ctx context.Context, target bind.Target, check bind.Check) (int, error) {
			cut.Do(func() { line.cut(server, nodes, pods) })
			tries, err := binder.Bind(ctx, target, check)
			tried <- err
			return tries, err
		})})
	waiting := waitingPods(t, session)
	done := make(chan []*report.Binding)
	go func() {
		bindings, err := session.Bind(t.Context(), waiting)
		if err != nil {
			t.Error(err)
		}
		done <- bindings
	}()

	for range waiting {
		if err := <-tried; !errors.As(err, new(*bind.UnavailableError)) {
			t.Errorf("a Binding ends with %v", err)
		}
	}
	line.await(t, "/readyz")
	server.add(podText("other", "4", "nodeName: n1"))
	line.restore()
	line.await(t, nodes, pods)
	line.release(pods)
	waitUntil(t, "the watch tells of the other Pod", func() bool { return len(stateNow(t, session).Pods) == 3 })
	if n := len(tried); n != 0 {
		t.Errorf("%d decisions before the watches were back", n)
	}
	line.release(nodes)
	bindings := <-done
	var got []string
	for _, one := range bindings {
		got = append(got, string(one.Result)+" "+one.NodeName)
	}
	slices.Sort(got) // either may come first
	if diff := cmp.Diff([]string{"Bound n2", "Bound n3"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s\n%v", diff, lines(bindings))
	}
}

// line is the way to a server. It can be cut, and it can hold watches back.
type line struct {
	mu   sync.Mutex
	away bool
	held map[string]chan struct{} // until closed, by path
	// asked gets the paths of what is held back, and of what is refused while the line is cut.
	asked chan string
}

func newLine() *line { return &line{asked: make(chan string, 1000)} }

// cut ends all connections and lets nothing through. Watches of the paths are held back even after it is restored.
func (l *line) cut(server *apiServer, held ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.away, l.held = true, map[string]chan struct{}{}
	for _, path := range held {
		l.held[path] = make(chan struct{})
	}
	server.CloseClientConnections()
}

func (l *line) restore() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.away = false
}

func (l *line) release(path string) { close(l.hold(path)) }

func (l *line) hold(path string) chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held[path]
}

// await waits until all the paths have been asked for.
func (l *line) await(t *testing.T, paths ...string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	for left := sets.New(paths...); left.Len() > 0; {
		select {
		case path := <-l.asked:
			left.Delete(path)
		case <-ctx.Done():
			t.Fatalf("nobody asks for %v", sets.List(left))
		}
	}
}

func (l *line) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if l.isAway() {
			l.asked <- r.URL.Path
			return nil, syscall.ECONNREFUSED
		}
		if hold := l.hold(r.URL.Path); hold != nil && isWatch(r) {
			l.asked <- r.URL.Path
			select {
			case <-hold:
			case <-r.Context().Done():
			}
		}
		return next.RoundTrip(r)
	})
}

func (l *line) isAway() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.away
}

// roundTripper is a function as an http.RoundTripper.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
