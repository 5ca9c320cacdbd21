package faults_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"

	"github.com/kubectl-sched/kubectl-sched/test/e2e/faults"
)

// answer is what a client learns of one request.
type answer struct {
	Code       int // 0 when the connection broke or the client gave up
	RetryAfter string
	Body       string
}

func post(t *testing.T, proxy *faults.Proxy, path string) answer {
	t.Helper()
	client, err := rest.HTTPClientFor(proxy.Config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, proxy.Config.Host+path, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		return answer{}
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusCreated {
		body = nil // a Status, which clients read by its code
	}
	return answer{Code: response.StatusCode, RetryAfter: response.Header.Get("Retry-After"), Body: string(body)}
}

func TestProxy(t *testing.T) {
	const binding = "/api/v1/namespaces/shop/pods/web-0/binding"
	created := answer{Code: http.StatusCreated, Body: "done"}
	for sentence, test := range map[string]struct {
		fault   faults.Fault
		path    string
		want    answer
		reaches int32 // requests that the API server gets
	}{
		"a request passes":             {fault: faults.None, want: created, reaches: 1},
		"another request is not hit":   {fault: faults.Lost, path: "/api/v1/namespaces/shop/pods", want: created, reaches: 1},
		"a request is lost":            {fault: faults.Lost},
		"an answer is lost":            {fault: faults.AnswerLost, reaches: 1},
		"an answer never comes":        {fault: faults.NeverAnswered, reaches: 1},
		"a request is late":            {fault: faults.Late, want: created, reaches: 1},
		"a conflict":                   {fault: faults.Conflict, want: answer{Code: http.StatusConflict}},
		"a limit of requests":          {fault: faults.TooManyRequests, want: answer{Code: http.StatusTooManyRequests, RetryAfter: "1"}},
		"an error before anything":     {fault: faults.ServerError, want: answer{Code: http.StatusInternalServerError}},
		"an error after all went well": {fault: faults.ServerErrorAfter, want: answer{Code: http.StatusInternalServerError}, reaches: 1},
	} {
		for protocol, http1 := range map[string]bool{"HTTP/1.1": true, "HTTP/2": false} {
			t.Run(sentence+" over "+protocol, func(t *testing.T) {
				var reached atomic.Int32
				server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					reached.Add(1)
					w.WriteHeader(http.StatusCreated)
					_, _ = io.WriteString(w, "done")
				}))
				defer server.Close()
				proxy, err := faults.Start(faults.Options{
					Target: &rest.Config{Host: server.URL, TLSClientConfig: rest.TLSClientConfig{Insecure: true}},
					Hits:   faults.IsBinding,
					Deck:   faults.NewDeck(1, map[faults.Fault]int{test.fault: 1}),
					Delay:  time.Millisecond,
					HTTP1:  http1,
				})
				if err != nil {
					t.Fatal(err)
				}
				defer proxy.Close()
				path := binding
				if test.path != "" {
					path = test.path
				}
				if diff := cmp.Diff(test.want, post(t, proxy, path)); diff != "" {
					t.Errorf("answer (-want +got)\n%s", diff)
				}
				if got := reached.Load(); got != test.reaches {
					t.Errorf("the API server got %d requests, want %d", got, test.reaches)
				}
			})
		}
	}
}

func TestDeck(t *testing.T) {
	counts := map[faults.Fault]int{faults.None: 2, faults.Lost: 1, faults.Conflict: 3}
	deck := faults.NewDeck(7, counts)
	proxy, err := faults.Start(faults.Options{
		Target: &rest.Config{Host: "https://127.0.0.1:1"}, // nobody there: 502
		Hits:   func(*http.Request) bool { return true },
		Deck:   deck,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Close()
	for range 8 {
		post(t, proxy, "/")
	}
	// The six cards, and two requests more that pass.
	want := map[faults.Fault]int{faults.None: 4, faults.Lost: 1, faults.Conflict: 3}
	if diff := cmp.Diff(want, deck.Dealt()); diff != "" {
		t.Errorf("dealt (-want +got)\n%s", diff)
	}
}
