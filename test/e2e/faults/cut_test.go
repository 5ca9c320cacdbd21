package faults_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/kubectl-sched/kubectl-sched/test/e2e/faults"
)

// What is cut ends, and what is not goes on until the client has enough of it.
func TestCutsEndWhatTheyAreFor(t *testing.T) {
	const watch, list = "/api/v1/pods?watch=true", "/api/v1/pods"
	for sentence, test := range map[string]struct {
		path string
		cut  func(*faults.Proxy)
		ends bool
	}{
		"a watch is cut":                        {watch, (*faults.Proxy).CutWatches, true},
		"watches are cut, and a list goes on":   {list, (*faults.Proxy).CutWatches, false},
		"all connections are cut":               {list, (*faults.Proxy).Cut, true},
		"what is blocked from now on goes on":   {list, func(p *faults.Proxy) { p.Block(faults.Any) }, false},
		"a watch that is blocked and cut, ends": {watch, func(p *faults.Proxy) { p.Block(faults.Any); p.CutWatches() }, true},
	} {
		t.Run(sentence, func(t *testing.T) {
			proxy := endlessProxy(t)
			answer, err := begin(t, proxy, test.path)
			if err != nil {
				t.Fatal(err)
			}
			test.cut(proxy)
			_, err = io.ReadAll(answer)
			if ended := !errors.Is(err, context.DeadlineExceeded); ended != test.ends || err == nil {
				t.Errorf("the answer ended with %v, want it cut: %t", err, test.ends)
			}
		})
	}
}

// Nothing gets through that is blocked, until it is not any more.
func TestBlock(t *testing.T) {
	proxy := endlessProxy(t)
	proxy.Block(func(r *http.Request) bool { return r.URL.Path == "/blocked" })
	if _, err := begin(t, proxy, "/blocked"); err == nil {
		t.Error("a blocked request was answered")
	}
	if _, err := begin(t, proxy, "/other"); err != nil {
		t.Errorf("another request was not answered: %v", err)
	}
	proxy.Block(nil)
	if _, err := begin(t, proxy, "/blocked"); err != nil {
		t.Errorf("a request was not answered when nothing was blocked any more: %v", err)
	}
}

// endlessProxy starts a proxy before a server whose answers begin and do not end.
func endlessProxy(t *testing.T) *faults.Proxy {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "begun")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	proxy, err := faults.Start(faults.Options{
		Target: &rest.Config{Host: server.URL, TLSClientConfig: rest.TLSClientConfig{Insecure: true}},
		Hits:   faults.IsBinding,
		Deck:   faults.NewDeck(1, nil),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)
	return proxy
}

// begin sends a GET and reads the beginning of the answer. The client waits for half a second.
func begin(t *testing.T, proxy *faults.Proxy, path string) (io.Reader, error) {
	t.Helper()
	client, err := rest.HTTPClientFor(proxy.Config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, proxy.Config.Host+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	_, err = io.ReadFull(response.Body, make([]byte, len("begun")))
	return response.Body, err
}
