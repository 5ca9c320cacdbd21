package bind_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
)

// A write whose caller gives up is finished, and answered; a read is not.
func TestFinishWrites(t *testing.T) {
	for method, wantAnswer := range map[string]bool{
		http.MethodPost: true, http.MethodPatch: true, http.MethodPut: true, http.MethodDelete: true, http.MethodGet: false,
	} {
		t.Run(method, func(t *testing.T) {
			arrived, goOn := make(chan struct{}), make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				close(arrived)
				<-goOn
				_, _ = io.WriteString(w, "done")
			}))
			defer server.Close()
			ctx, stop := context.WithCancel(t.Context())
			request, err := http.NewRequestWithContext(ctx, method, server.URL, strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				<-arrived
				stop()
				if wantAnswer {
					close(goOn)
				}
			}()
			response, err := bind.FinishWrites(http.DefaultTransport).RoundTrip(request)
			if !wantAnswer {
				close(goOn)
				if !errors.Is(err, context.Canceled) {
					t.Errorf("got %v, want that the read ends with its context", err)
				}
				return
			}
			if err != nil {
				t.Fatalf("the write was not finished: %v", err)
			}
			defer response.Body.Close()
			if body, err := io.ReadAll(response.Body); err != nil || string(body) != "done" {
				t.Errorf("got the answer %q, %v", body, err)
			}
		})
	}
}

// What is not allowed is not written, and read all the same.
func TestGuardWrites(t *testing.T) {
	arrived := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { arrived[r.Method]++ }))
	defer server.Close()
	lost := errors.New("lost the Lease")
	var allowed error
	transport := bind.GuardWrites(http.DefaultTransport, func() error { return allowed })
	for _, allowed = range []error{nil, lost} {
		for _, method := range []string{http.MethodPost, http.MethodDelete, http.MethodGet} {
			request, err := http.NewRequestWithContext(t.Context(), method, server.URL, strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			response, err := transport.RoundTrip(request)
			if err == nil {
				_ = response.Body.Close()
			}
			if want := allowed; method != http.MethodGet && !errors.Is(err, want) {
				t.Errorf("%s: got the error %v, want %v", method, err, want)
			}
		}
	}
	want := map[string]int{http.MethodPost: 1, http.MethodDelete: 1, http.MethodGet: 2}
	if diff := cmp.Diff(want, arrived); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}
