package bind_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
)

var errInterrupt = errors.New("interrupt")

const stopped = "stopped before the pod was bound: interrupt"

func TestBindFinishesWhatIsInFlightWhenTheContextEnds(t *testing.T) {
	tests := map[string]struct {
		first, gets []behavior
		want        result
	}{
		"and the request goes through": {
			first: []behavior{well},
			want:  result{Tries: 1, Stored: 1},
		},
		"and the request goes through unanswered": {
			first: []behavior{stores(drop)},
			want:  result{Tries: 1, Stored: 1},
		},
		"and the outcome takes a while to learn": {
			first: []behavior{stores(drop)}, gets: append(times(10, drop), times(10, nil)...),
			want: result{Tries: 1, Stored: 1},
		},
		"and the outcome cannot be learned": {
			first: []behavior{stores(drop)}, gets: times(100, drop),
			want: result{Tries: 1, Stored: 1, Err: "the pod may be bound or not, the API server could not tell: EOF"},
		},
		"and the request does not go through": {
			first: []behavior{drop},
			want:  result{Tries: 1, Err: stopped},
		},
		"and the server has an error": {
			first: []behavior{page(503)},
			want:  result{Tries: 1, Err: stopped},
		},
		"and the server is busy": {
			first: []behavior{tooMany(60)},
			want:  result{Tries: 1, Err: stopped},
		},
		"and the pod is gone": {
			first: []behavior{after(deleted, well)},
			want:  result{Tries: 1, Err: "the pod was deleted"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithCancelCause(t.Context())
			s := newAPIServer(t)
			s.posts, s.gets = []behavior{after(func(*apiServer) { stop(errInterrupt) }, test.first[0])}, test.gets

			tries, err := s.binder(bind.Options{}).Bind(ctx, target, noCheck)

			if diff := cmp.Diff(test.want, resultOf(s, tries, err)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if test.want.Err == stopped && (!errors.Is(err, context.Canceled) || !errors.Is(err, errInterrupt)) {
				t.Errorf("%v is neither the error of the context nor its cause", err)
			}
		})
	}
}

// What a scheduler has to leave for its Bindings when it is told to end: FinishTimeout for the requests that are under
// way, and OutcomeTimeout for what became of them.
func TestBindEndsInTimeWhenTheContextEnds(t *testing.T) {
	const outcome = 15 * time.Second
	interrupting := func(stop context.CancelCauseFunc, first behavior) []behavior {
		return []behavior{after(func(*apiServer) { stop(errInterrupt) }, first)}
	}
	// These run on the clock that the waits go by; requests take no time.
	for name, first := range map[string]behavior{
		"when nobody answers":            drop,
		"when the server has an error":   page(503),
		"when the server has a conflict": page(409),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithCancelCause(t.Context())
			s := newAPIServer(t)
			s.posts, s.gets = interrupting(stop, first), times(1000, drop)
			_, err := s.binder(bind.Options{OutcomeTimeout: outcome}).Bind(ctx, target, noCheck)
			if !isUnknown(err) {
				t.Errorf("got the error %v, want that the outcome is unknown", err)
			}
			if took := s.clock.Since(startTime); took > outcome || took < outcome-3*time.Second {
				t.Errorf("it took %s, want about %s", took, outcome)
			}
		})
	}
	// These run in real time, of which a request would have 10 s by itself.
	for name, test := range map[string]struct {
		posts, gets []behavior
		want        result
	}{
		"when a request hangs that went through": {
			posts: []behavior{stores(hang)},
			want:  result{Tries: 1, Stored: 1},
		},
		"when a request hangs that did not go through": {
			posts: []behavior{hang},
			want:  result{Tries: 1, Err: stopped},
		},
		"when the last request hangs": {
			posts: append(times(4, drop), hang),
			want: result{Tries: 5, Err: "the API server did not bind the pod in 5 tries: " +
				"no answer within 50ms after the run was stopped"},
		},
		"when the outcome hangs": {
			posts: []behavior{drop}, gets: times(1000, hang),
			want: result{Tries: 1, Err: "the pod may be bound or not, the API server could not tell: no answer within 100ms"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, stop := context.WithCancelCause(t.Context())
			s := newAPIServer(t)
			last := len(test.posts) - 1
			s.posts = slices.Concat(test.posts[:last], interrupting(stop, test.posts[last]))
			s.gets = test.gets
			start := time.Now()
			options := bind.Options{FinishTimeout: 50 * time.Millisecond, OutcomeTimeout: 200 * time.Millisecond}
			tries, err := s.binder(options).Bind(ctx, target, noCheck)
			if diff := cmp.Diff(test.want, resultOf(s, tries, err)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// A request that is under way when the context ends has FinishTimeout left, and no less.
func TestBindLetsARequestFinishWhenTheContextEnds(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	s := newAPIServer(t)
	answered := make(chan struct{})
	slow := func(s *apiServer, w http.ResponseWriter, r *http.Request) {
		stop(errInterrupt)
		select {
		case <-r.Context().Done():
			s.t.Error("the request was cut off")
		case <-answered:
		}
		well(s, w, r)
	}
	s.posts = []behavior{slow}
	time.AfterFunc(50*time.Millisecond, func() { close(answered) })
	tries, err := s.binder(bind.Options{FinishTimeout: 5 * time.Second}).Bind(ctx, target, noCheck)
	if diff := cmp.Diff(result{Tries: 1, Stored: 1}, resultOf(s, tries, err)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestBindEndsAWaitAtOnceWhenTheContextEnds(t *testing.T) {
	for name, first := range map[string]behavior{
		"for a server that is busy":         tooMany(60),
		"for a server that does not answer": drop,
	} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancelCause(t.Context())
			s := newAPIServer(t)
			s.posts = []behavior{first}
			s.clock.onWait = func(time.Duration) { stop(errInterrupt) } // and time stands still
			tries, err := s.binder(bind.Options{}).Bind(ctx, target, noCheck)
			if diff := cmp.Diff(result{Tries: 1, Err: stopped}, resultOf(s, tries, err)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestBindSendsNothingOnceTheContextHasEnded(t *testing.T) {
	want := result{Tries: 0, Err: stopped}
	t.Run("before it starts", func(t *testing.T) {
		ctx, stop := context.WithCancelCause(t.Context())
		stop(errInterrupt)
		s := newAPIServer(t)
		check := func(context.Context) error {
			t.Error("the check ran")
			return nil
		}
		tries, err := s.binder(bind.Options{}).Bind(ctx, target, check)
		if diff := cmp.Diff(want, resultOf(s, tries, err)); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
	t.Run("during the check", func(t *testing.T) {
		ctx, stop := context.WithCancelCause(t.Context())
		s := newAPIServer(t)
		check := func(context.Context) error {
			stop(errInterrupt)
			return nil
		}
		tries, err := s.binder(bind.Options{}).Bind(ctx, target, check)
		if diff := cmp.Diff(want, resultOf(s, tries, err)); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
	t.Run("while it waits for the client's rate limit", func(t *testing.T) {
		ctx, stop := context.WithCancelCause(t.Context())
		s := newAPIServer(t)
		config := &rest.Config{Host: s.url, RateLimiter: limiter{onWait: func() { stop(errInterrupt) }}}
		check := func(context.Context) error {
			t.Error("the check ran")
			return nil
		}
		tries, err := s.binderOf(config, bind.Options{}).Bind(ctx, target, check)
		if diff := cmp.Diff(want, resultOf(s, tries, err)); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	})
}

// limiter is a rate limit that lets nobody pass.
type limiter struct {
	flowcontrol.RateLimiter
	onWait func()
}

func (l limiter) Wait(ctx context.Context) error {
	l.onWait()
	<-ctx.Done()
	return ctx.Err()
}

func TestBindWaitsOnceForTheRateLimitOfEachRequest(t *testing.T) {
	s := newAPIServer(t)
	s.posts = times(2, tooMany(1))
	counting := &counter{RateLimiter: flowcontrol.NewFakeAlwaysRateLimiter()}
	config := &rest.Config{Host: s.url, RateLimiter: counting}
	tries, err := s.binderOf(config, bind.Options{}).Bind(t.Context(), target, noCheck)
	if diff := cmp.Diff(result{Tries: 3, Stored: 1}, resultOf(s, tries, err)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if counting.waits != 3 {
		t.Errorf("waited %d times", counting.waits)
	}
}

// counter counts how often a rate limit is waited for.
type counter struct {
	flowcontrol.RateLimiter
	waits int
}

func (c *counter) Wait(ctx context.Context) error {
	c.waits++
	return c.RateLimiter.Wait(ctx)
}

func TestBindChecksBeforeEveryRequest(t *testing.T) {
	errNode := errors.New("the node is gone")
	for name, test := range map[string]struct {
		good int // checks
		want result
	}{
		"no more at the start":    {good: 0, want: result{Tries: 0, Err: errNode.Error()}},
		"no more after two tries": {good: 2, want: result{Tries: 2, Err: errNode.Error()}},
		"good to the end":         {good: 4, want: result{Tries: 4, Stored: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newAPIServer(t)
			s.posts = []behavior{drop, tooMany(1), page(500)}
			checks := 0
			check := func(context.Context) error {
				checks++
				if checks > test.good {
					return errNode
				}
				return nil
			}
			tries, err := s.binder(bind.Options{}).Bind(t.Context(), target, check)
			if diff := cmp.Diff(test.want, resultOf(s, tries, err)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if err != nil && err != errNode { //nolint:errorlint // it must be the very error
				t.Errorf("the error of the check was wrapped: %v", err)
			}
		})
	}
}
