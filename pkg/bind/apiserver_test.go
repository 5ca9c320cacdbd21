package bind_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
)

var (
	target    = bind.Target{Namespace: "shop", Name: "web-0", UID: "uid-1", NodeName: "n1"}
	noCheck   = bind.Check(func(context.Context) error { return nil })
	bindings  = corev1.Resource("pods/binding")
	pods      = corev1.Resource("pods")
	deadHost  = "127.0.0.1:1" // nobody listens there
	startTime = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
)

// apiServer is an API server with one Pod. Each request takes the next behavior of its script; with the script at its
// end the server behaves well. It fails the test when a Binding comes before somebody has read what became of the last.
type apiServer struct {
	t     *testing.T
	clock *steppingClock
	url   string

	mutex       sync.Mutex
	posts, gets []behavior
	pod         *corev1.Pod // nil once it is deleted
	stored      int         // bindings
	inDoubt     bool        // the last Binding was not answered, and its outcome not read since
	received    []received
}

// received is a Binding request as it arrived.
type received struct {
	at      time.Time
	query   string
	binding corev1.Binding
}

func newAPIServer(t *testing.T) *apiServer {
	s := &apiServer{t: t, clock: &steppingClock{FakeClock: clocktesting.NewFakeClock(startTime)}}
	s.pod = &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Namespace: target.Namespace, Name: target.Name, UID: target.UID},
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

// binder returns a Binder that talks to the server and never really waits.
func (s *apiServer) binder(options bind.Options) *bind.Binder {
	return s.binderOf(&rest.Config{Host: s.url}, options)
}

func (s *apiServer) binderOf(config *rest.Config, options bind.Options) *bind.Binder {
	if config.RateLimiter == nil {
		config.QPS = -1
	}
	config.WrapTransport = transport.Wrappers(config.WrapTransport, s.refusing)
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		s.t.Fatal(err)
	}
	options.Clock = s.clock
	return bind.New(client, options)
}

// roundTripper is a function as an http.RoundTripper.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// refusing sends the requests whose behavior is nil, which stands for a server that is down, to where nobody listens.
func (s *apiServer) refusing(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		if s.isDown(r.Method) {
			r = r.Clone(r.Context())
			r.URL.Host = deadHost
		}
		return next.RoundTrip(r)
	})
}

func (s *apiServer) isDown(method string) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	script := s.script(method)
	if len(*script) == 0 || (*script)[0] != nil {
		return false
	}
	*script = (*script)[1:]
	if method == http.MethodPost {
		s.note(received{at: s.clock.Now()})
	}
	return true
}

func (s *apiServer) script(method string) *[]behavior {
	if method == http.MethodPost {
		return &s.posts
	}
	return &s.gets
}

func (s *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const path = "/api/v1/namespaces/shop/pods/web-0"
	s.mutex.Lock()
	defer s.mutex.Unlock()
	do := well
	if script := s.script(r.Method); len(*script) > 0 {
		do, *script = (*script)[0], (*script)[1:]
	}
	if do == nil {
		do = drop // net/http itself sends a GET again over a new connection, when the server is down by now
	}
	switch r.Method + " " + r.URL.Path {
	case "GET " + path:
	case "POST " + path + "/binding":
		s.receive(r)
	default:
		s.t.Errorf("the server got %s %s", r.Method, r.URL.Path)
	}
	do(s, w, r)
}

// receive notes a Binding. It takes the body to its end, without which net/http does not notice that a client leaves.
func (s *apiServer) receive(r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	post := received{at: s.clock.Now(), query: r.URL.RawQuery}
	if err := json.Unmarshal(body, &post.binding); err != nil {
		s.t.Error(err)
	}
	s.note(post)
	s.inDoubt = !s.isDryRun()
}

func (s *apiServer) note(post received) {
	s.received = append(s.received, post)
	if s.inDoubt {
		s.t.Error("a Binding was sent before the outcome of the last was known")
	}
}

// change lets something happen to the server between two requests.
func (s *apiServer) change(do func(*apiServer)) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	do(s)
}

func (s *apiServer) getsLeft() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return len(s.gets)
}

func (s *apiServer) last() received { return s.received[len(s.received)-1] }

func (s *apiServer) isDryRun() bool {
	return strings.Contains(s.last().query, "dryRun=All")
}

// store does what the API server's BindingREST does with the last Binding.
func (s *apiServer) store() *apierrors.StatusError {
	binding := s.last().binding
	conflict := func(message string) *apierrors.StatusError {
		return apierrors.NewConflict(bindings, target.Name, text(message))
	}
	switch {
	case s.pod == nil:
		return apierrors.NewNotFound(pods, target.Name)
	case s.pod.UID != binding.UID:
		return apierrors.NewConflict(pods, target.Name, text("Precondition failed: UID in precondition"))
	case s.pod.DeletionTimestamp != nil:
		return conflict("pod web-0 is being deleted, cannot be assigned to a host")
	case s.pod.Spec.NodeName != "":
		return conflict(`pod web-0 is already assigned to node "` + s.pod.Spec.NodeName + `"`)
	case len(s.pod.Spec.SchedulingGates) > 0:
		return conflict("pod web-0 has non-empty .spec.schedulingGates")
	case !s.isDryRun():
		s.pod.Spec.NodeName = binding.Target.Name
		s.stored++
	}
	return nil
}

type text string

func (t text) Error() string { return string(t) }

// steppingClock is a clock whose waits are over at once, unless the test takes them over.
type steppingClock struct {
	*clocktesting.FakeClock
	onWait func(time.Duration)
}

func (c *steppingClock) NewTimer(d time.Duration) clock.Timer {
	timer := c.FakeClock.NewTimer(d)
	c.Sleep(d)
	return timer
}

func (c *steppingClock) Sleep(d time.Duration) {
	if c.onWait != nil {
		c.onWait(d)
		return
	}
	c.Step(max(d, 0))
}
