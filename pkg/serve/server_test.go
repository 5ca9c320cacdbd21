package serve_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/kubectl-sched/kubectl-sched/pkg/serve"
)

const (
	loopback  = "127.0.0.1:0"
	everybody = "0.0.0.0:0"
)

// start listens and serves until the test ends, and returns the URL of the endpoints for somebody on this host.
func start(t *testing.T, options serve.Options) string {
	t.Helper()
	server := listen(t, options)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return urlOf(t, server)
}

func listen(t *testing.T, options serve.Options) *serve.Server {
	t.Helper()
	server, err := serve.Listen(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	return server
}

func urlOf(t *testing.T, server *serve.Server) string {
	t.Helper()
	host, port, err := net.SplitHostPort(server.Addr())
	if err != nil {
		t.Fatal(err)
	}
	if net.ParseIP(host).IsLoopback() {
		return "http://" + server.Addr()
	}
	return "https://" + net.JoinHostPort("127.0.0.1", port)
}

// newClient returns a client that believes any certificate.
func newClient(t *testing.T) *http.Client {
	t.Helper()
	transport := &http.Transport{
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // it is not what is tested
		ForceAttemptHTTP2: true,
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// answer is what came back, without what is of no interest.
type answer struct {
	Code int
	Body string
}

// around is what came with an answer.
type around struct {
	proto  string
	header http.Header
}

// get sends a request with headers, given as "Name: value".
func get(t *testing.T, client *http.Client, url string, headers ...string) (answer, around) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		request.Header.Set(name, value)
		if name == "Host" {
			request.Host = value
		}
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{response.StatusCode, string(body)}, around{response.Proto, response.Header}
}

// text is a handler that answers with a text.
func text(s string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, s) })
}
