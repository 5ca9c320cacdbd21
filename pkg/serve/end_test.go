package serve_test

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/klog/v2"

	"github.com/kubectl-sched/kubectl-sched/pkg/serve"
)

// serveOnce lets a Server end what Listen has begun.
func serveOnce(t *testing.T, server *serve.Server) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if err := server.Serve(ctx); err != nil {
		t.Error(err)
	}
	noGoroutines(t)
}

// noGoroutines fails the test when a goroutine of a server is left. The last steps of one can come after it was joined.
func noGoroutines(t *testing.T) {
	t.Helper()
	deadline := time.Now().Add(time.Second)
	for {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		var left []string
		for stack := range strings.SplitSeq(string(stacks), "\n\n") {
			if strings.Contains(stack, "created by net/http.(*Server)") || strings.Contains(stack, "net/http.(*http2serverConn)") ||
				strings.Contains(stack, "created by github.com/kubectl-sched/kubectl-sched/pkg/serve.") {
				left = append(left, stack)
			}
		}
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("goroutines are left:\n%s", strings.Join(left, "\n\n"))
		}
		runtime.Gosched()
	}
}

// blocking is a handler that tells that it has been called, and waits for its answer. When its request is cut off, it
// tells so, and waits until it may leave.
type blocking struct {
	called, cut, leave chan struct{}
	answer             chan string
}

func newBlocking() *blocking {
	return &blocking{make(chan struct{}), make(chan struct{}), make(chan struct{}), make(chan string, 1)}
}

func (b *blocking) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	close(b.called)
	select {
	case text := <-b.answer:
		_, _ = io.WriteString(w, text)
	case <-r.Context().Done():
		close(b.cut)
		<-b.leave
	}
}

// request sends a request in the background, and returns what becomes of it: its body, or "cut".
func request(t *testing.T, client *http.Client, url string) <-chan string {
	t.Helper()
	got := make(chan string, 1)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer good")
	go func() {
		response, err := client.Do(request)
		if err != nil {
			got <- "cut"
			return
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			body = []byte("cut")
		}
		got <- string(body)
	}()
	return got
}

// running is a Server that a test ends.
type running struct {
	url  string
	stop context.CancelFunc
	done chan error
}

func run(t *testing.T, options serve.Options) *running {
	t.Helper()
	server := listen(t, options)
	ctx, stop := context.WithCancel(t.Context())
	r := &running{url: urlOf(t, server), stop: stop, done: make(chan error, 1)}
	go func() { r.done <- server.Serve(ctx) }()
	return r
}

// refused waits until nobody listens any more.
func (r *running) refused(t *testing.T) {
	t.Helper()
	for {
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		response, err := client.Get(strings.Replace(r.url, "https", "http", 1))
		if err != nil {
			return
		}
		response.Body.Close()
	}
}

// goesOn fails the test when Serve has returned, or does so before others have had their turn many times.
func (r *running) goesOn(t *testing.T) {
	t.Helper()
	for range 10_000 {
		select {
		case err := <-r.done:
			t.Fatalf("Serve returned %v before the request had ended", err)
		default:
			runtime.Gosched()
		}
	}
}

// kinds are both kinds of addresses, and so HTTP/1.1 and HTTP/2.
func kinds(t *testing.T) map[string]serve.Options {
	return map[string]serve.Options{"on loopback": {Address: loopback}, "on every address": secure(t, newAPI())}
}

func TestServeLetsRequestsEnd(t *testing.T) {
	for sentence, options := range kinds(t) {
		t.Run(sentence, func(t *testing.T) {
			handler := newBlocking()
			options.Metrics = handler
			server := run(t, options)
			got := request(t, newClient(t), server.url+"/metrics")
			<-handler.called
			server.stop()
			server.refused(t)
			server.goesOn(t)
			handler.answer <- "metrics"
			if body := <-got; body != "metrics" {
				t.Errorf("got %q", body)
			}
			if err := <-server.done; err != nil {
				t.Error(err)
			}
			noGoroutines(t)
		})
	}
}

func TestServeCutsRequestsOffThatDoNotEnd(t *testing.T) {
	for sentence, options := range kinds(t) {
		t.Run(sentence, func(t *testing.T) {
			handler := newBlocking()
			options.Metrics, options.Grace = handler, 50*time.Millisecond
			server := run(t, options)
			got := request(t, newClient(t), server.url+"/metrics")
			<-handler.called
			silent(t, server.url)
			server.stop()
			<-handler.cut
			server.goesOn(t)
			close(handler.leave)
			if err := <-server.done; err != nil {
				t.Error(err)
			}
			if body := <-got; body != "cut" {
				t.Errorf("got %q, want that the request is cut", body)
			}
			noGoroutines(t)
		})
	}
}

// Connections that are kept open for more requests do not hold up the end.
func TestServeClosesIdleConnections(t *testing.T) {
	for sentence, options := range kinds(t) {
		t.Run(sentence, func(t *testing.T) {
			options.Grace = time.Hour
			server := run(t, options)
			get(t, newClient(t), server.url+"/healthz")
			server.stop()
			if err := <-server.done; err != nil {
				t.Error(err)
			}
			noGoroutines(t)
		})
	}
}

func TestServeThatEndsAtOnce(t *testing.T) {
	for sentence, options := range kinds(t) {
		t.Run(sentence, func(t *testing.T) {
			server := listen(t, options)
			serveOnce(t, server)
			options.Address = server.Addr() // which is free again
			serveOnce(t, listen(t, options))
		})
	}
}

// hang begins TLS handshakes that the client does not go on with before the test ends.
func hang(t *testing.T, url string, n int) {
	t.Helper()
	begun, leave := make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	for range n {
		client := tls.Client(silent(t, url), &tls.Config{
			InsecureSkipVerify: true, //nolint:gosec // it is not what is tested
			VerifyConnection: func(tls.ConnectionState) error {
				begun <- struct{}{}
				<-leave
				return nil
			},
		})
		group.Go(func() { _ = client.HandshakeContext(context.Background()) })
	}
	for range n {
		<-begun
	}
	t.Cleanup(func() {
		close(leave)
		group.Wait()
	})
}

// Connections that are cut off have come to their end when Serve returns, so that none writes to a log after it.
func TestServeWaitsForConnections(t *testing.T) {
	logger, options := newRecorder(2), secure(t, newAPI())
	options.Grace = time.Millisecond
	server, err := serve.Listen(klog.NewContext(t.Context(), logger.Logger), options)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx) }()
	hang(t, urlOf(t, server), 20)
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if got := strings.Count(logger.text(), "TLS handshake error"); got != 20 {
		t.Errorf("got %d of 20 connections that have told their end:\n%s", got, logger.text())
	}
	noGoroutines(t)
}

// What strangers send that makes no sense is not told to who runs the scheduler, unless they ask.
func TestNonsenseIsNotLogged(t *testing.T) {
	for sentence, c := range map[string]struct {
		verbosity int
		want      bool
	}{"at -v=0": {0, false}, "at -v=2": {2, true}} {
		t.Run(sentence, func(t *testing.T) {
			logger := newRecorder(c.verbosity)
			server, err := serve.Listen(klog.NewContext(t.Context(), logger.Logger), secure(t, newAPI()))
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- server.Serve(ctx) }()
			get(t, newClient(t), strings.Replace(urlOf(t, server), "https", "http", 1)) // plain HTTP to a TLS port
			stop()
			if err := <-done; err != nil {
				t.Error(err)
			}
			if got := logger.text(); strings.Contains(got, "TLS handshake error") != c.want {
				t.Errorf("logged %q", got)
			}
		})
	}
}
