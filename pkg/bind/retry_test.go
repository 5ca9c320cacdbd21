package bind_test

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
)

func TestBindWaitsBeforeItTriesAgain(t *testing.T) {
	busy := apierrors.NewTooManyRequests("busy", 7)
	tests := map[string]struct {
		posts []behavior
		want  []time.Duration // no less, and up to a fifth more
	}{
		"for a server that does not answer": {
			posts: times(4, drop),
			want:  []time.Duration{100 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond, 800 * time.Millisecond},
		},
		"for a server that is down": {
			posts: times(4, nil),
			want:  []time.Duration{100 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond, 800 * time.Millisecond},
		},
		"for a server in trouble": {
			posts: times(5, page(503)),
			want:  []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second},
		},
		"as long as the server says in the header": {
			posts: []behavior{tooMany(30), tooMany(60), tooMany(1)},
			want:  []time.Duration{30 * time.Second, time.Minute, 4 * time.Second},
		},
		"as long as the server says in its Status": {
			posts: []behavior{refuses(busy), says(apierrors.NewServerTimeout(pods, "update", 2))},
			want:  []time.Duration{7 * time.Second, 2 * time.Second},
		},
		"as long as the server says in the header beside a Status": {
			posts: []behavior{func(s *apiServer, w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Retry-After", "9")
				says(apierrors.NewInternalError(errors.New("shutting down")))(s, w, r)
			}},
			want: []time.Duration{9 * time.Second},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAPIServer(t)
			s.posts = test.posts
			if _, err := s.binder(bind.Options{}).Bind(t.Context(), target, noCheck); err != nil {
				t.Fatal(err)
			}
			s.mutex.Lock()
			defer s.mutex.Unlock()
			if len(s.received) != len(test.want)+1 {
				t.Fatalf("%d tries, want %d", len(s.received), len(test.want)+1)
			}
			for i, want := range test.want {
				if got := s.received[i+1].at.Sub(s.received[i].at); got < want || got > want+want/5 {
					t.Errorf("%v before try %d, want %v", got, i+2, want)
				}
			}
		})
	}
}

func TestBindTellsWhyItTriesAgain(t *testing.T) {
	const forever = 100
	internal := says(apierrors.NewInternalError(errors.New("no")))
	for name, test := range map[string]struct {
		posts, gets []behavior
		want        []bind.Cause
	}{
		"not at all when it does not": {},
		"not when the outcome was good": {
			posts: []behavior{stores(drop)},
		},
		"not when there is nobody to tell the outcome": {
			posts: []behavior{stores(drop)}, gets: times(forever, drop),
		},
		"not when the server refuses": {
			posts: []behavior{says(apierrors.NewBadRequest("no"))},
		},
		"every kind of failure": {
			posts: []behavior{
				refuses(apierrors.NewConflict(bindings, "web-0", errors.New("try again"))), nil, drop, tooMany(1), internal,
			},
			want: []bind.Cause{
				bind.CauseConflict, bind.CauseUnreachable, bind.CauseUnanswered, bind.CauseOverloaded, bind.CauseServerError,
			},
		},
		"as often as it does": {
			posts: times(forever, tooMany(1)),
			want:  slices.Repeat([]bind.Cause{bind.CauseOverloaded}, 5),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newAPIServer(t)
			s.posts, s.gets = test.posts, test.gets
			var got []bind.Cause
			retrying := func(cause bind.Cause) { got = append(got, cause) }
			tries, _ := s.binder(bind.Options{Retrying: retrying}).Bind(t.Context(), target, noCheck)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if len(got) != tries-1 {
				t.Errorf("%d causes for %d tries", len(got), tries)
			}
		})
	}
}

func TestBindTellsOfNoRetryOnceItIsStopped(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	s := newAPIServer(t)
	s.posts = []behavior{after(func(*apiServer) { stop(errInterrupt) }, tooMany(60))}
	retrying := func(cause bind.Cause) { t.Errorf("it tells of %s", cause) }
	if _, err := s.binder(bind.Options{Retrying: retrying}).Bind(ctx, target, noCheck); !errors.Is(err, errInterrupt) {
		t.Errorf("got the error %v", err)
	}
}

func TestBindReadsBackForAsLongAsItWasTold(t *testing.T) {
	s := newAPIServer(t)
	s.posts, s.gets = []behavior{drop}, times(1000, drop)
	_, err := s.binder(bind.Options{OutcomeTimeout: 30 * time.Second}).Bind(t.Context(), target, noCheck)
	unavailable, ok := errors.AsType[*bind.UnavailableError](err)
	if !ok || !unavailable.Unknown || unavailable.Tries != 1 {
		t.Errorf("the error is %#v", err)
	}
	if took := s.clock.Since(startTime); took < 27*time.Second || took > 30*time.Second {
		t.Errorf("gave up after %v", took)
	}
	if reads := 1000 - s.getsLeft(); reads < 10 || reads > 30 {
		t.Errorf("read %d times", reads)
	}
}

// An API server goes on for a moment after the connection was cut.
func TestBindWaitsForARequestThatIsStillOnItsWay(t *testing.T) {
	s := newAPIServer(t)
	s.posts = times(5, drop)
	s.clock.onWait = func(d time.Duration) {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		if len(s.posts) == 0 && s.stored == 0 {
			stores(func(*apiServer, http.ResponseWriter, *http.Request) {})(s, nil, nil)
		}
		s.clock.Step(d)
	}
	tries, err := s.binder(bind.Options{}).Bind(t.Context(), target, noCheck)
	if diff := cmp.Diff(result{Tries: 5, Stored: 1}, resultOf(s, tries, err)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestBindTellsOverHTTP2WhetherARequestWasSent(t *testing.T) {
	s := newAPIServer(t)
	s.posts = []behavior{stores(func(s *apiServer, w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			s.t.Errorf("the request came over %s", r.Proto)
		}
		drop(s, w, r)
	})}
	server := httptest.NewUnstartedServer(s)
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	trusting := rest.TLSClientConfig{CAData: pemOf(server.Certificate())}

	t.Run("not sent to a server that nobody vouches for", func(t *testing.T) {
		_, err := s.binderOf(&rest.Config{Host: server.URL}, bind.Options{}).Bind(t.Context(), target, noCheck)
		want := "the API server did not bind the pod in 5 tries: " +
			"tls: failed to verify certificate: x509: certificate signed by unknown authority"
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	})
	t.Run("sent, and cut after it went through", func(t *testing.T) {
		config := &rest.Config{Host: server.URL, TLSClientConfig: trusting}
		tries, err := s.binderOf(config, bind.Options{}).Bind(t.Context(), target, noCheck)
		if diff := cmp.Diff(result{Tries: 1, Stored: 1}, resultOf(s, tries, err)); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}

// net/http tries another connection when the one that it kept is dead.
func TestBindTellsThatADeadConnectionTookNothing(t *testing.T) {
	s := newAPIServer(t)
	config := &rest.Config{Host: s.url, Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		trace := httptrace.ContextClientTrace(r.Context())
		trace.GetConn("")
		trace.GotConn(httptrace.GotConnInfo{Reused: true})
		trace.GetConn("")
		return nil, syscall.ECONNREFUSED
	})}
	_, err := s.binderOf(config, bind.Options{}).Bind(t.Context(), target, noCheck)
	want := &bind.UnavailableError{Tries: 5, Err: syscall.ECONNREFUSED}
	if diff := cmp.Diff(error(want), err); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func pemOf(certificate *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw})
}
