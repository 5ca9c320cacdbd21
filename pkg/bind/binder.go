package bind

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
)

// Target is a Pod and the node it is to be bound to. All fields are needed.
type Target struct {
	Namespace string
	Name      string
	UID       types.UID
	NodeName  string
}

// Options are the inputs of a Binder beside the client.
type Options struct {
	// Clock is slept by; nil stands for the real one.
	Clock clock.Clock
	// DryRun sends Bindings that the API server checks and does not store.
	DryRun bool
	// TryTimeout is how long one request may take; 0 stands for 10 s.
	TryTimeout time.Duration
	// FinishTimeout is how long a Binding that is under way may still take when the context ends; 0 stands for what is
	// left of its TryTimeout. Where the loss of a Lease ends the context, it is that of the LockOptions.
	FinishTimeout time.Duration
	// OutcomeTimeout is how long at most the outcome of a Binding that nobody answered is asked for; 0 stands for 1 min.
	OutcomeTimeout time.Duration
	// Retrying is called just before a Binding is sent again in the same call of Bind, with what became of the one before;
	// nil stands for nobody who wants to know. Several goroutines may call it at a time.
	Retrying func(Cause)
}

// Binder posts Bindings. It is safe for concurrent use.
type Binder struct {
	api     rest.Interface
	options Options
	// doubts are the UIDs of the Pods that may be bound, and nobody could tell.
	doubts sync.Map
}

// New returns a Binder that talks to the client's API server. It keeps to the client's rate limit.
func New(client kubernetes.Interface, options Options) *Binder {
	if options.Clock == nil {
		options.Clock = clock.RealClock{}
	}
	options.TryTimeout = cmp.Or(options.TryTimeout, 10*time.Second)
	options.FinishTimeout = cmp.Or(options.FinishTimeout, options.TryTimeout)
	options.OutcomeTimeout = cmp.Or(options.OutcomeTimeout, time.Minute)
	if options.Retrying == nil {
		options.Retrying = func(Cause) {}
	}
	return &Binder{api: client.CoreV1().RESTClient(), options: options}
}

// Check tells, as an error, that a Target must not be bound any more.
type Check func(context.Context) error

// Bind binds a Pod to a node and returns how many Binding requests it sent, at most 10. check runs just before every
// one of them; its error ends the attempt and is returned as it is. A Pod that is on the node already is fine.
//
// Other errors are of the types of this package. After an UnavailableError with Unknown, Bind may be called again: it
// finds out first what became of the Binding, and goes on from there. As long as nobody can tell, the error is the same
// one; nil means that the Pod is on the node.
//
// When the context ends, a request under way is finished and its outcome learned; no further one is sent, and the error
// is a StoppedError unless the Pod is bound or will never be. Beside what check takes, it takes no longer than
// FinishTimeout for the request and OutcomeTimeout for its outcome: by default 10 s and 1 min.
func (b *Binder) Bind(ctx context.Context, target Target, check Check) (tries int, err error) {
	a := attempt{Binder: b, target: target, retries: newRetries()}
	err = a.run(ctx, check)
	if unavailable, ok := errors.AsType[*UnavailableError](err); ok && unavailable.Unknown {
		b.doubts.Store(target.UID, nil)
	} else {
		b.doubts.Delete(target.UID)
	}
	return a.tries, err
}

// attempt is one call of Bind.
type attempt struct {
	*Binder
	target  Target
	retries retries
	tries   int
}

// run posts the Binding until the Pod is bound, will never be, or no retry is left. Before a Binding is posted again,
// the outcome of the one before is known.
func (a *attempt) run(ctx context.Context, check Check) error {
	if _, inDoubt := a.doubts.Load(a.target.UID); inDoubt {
		if bound, err := a.learn(ctx, 0); bound || err != nil {
			return err
		}
	}
	var failed *failure
	for {
		if err := a.ready(ctx, check); err != nil {
			return err
		}
		if failed != nil {
			a.options.Retrying(causes[failed.kind])
		}
		a.tries++
		failed = a.post(ctx)
		switch {
		case failed == nil:
			return nil
		case failed.kind == final:
			return failed.err
		}
		delay, again := a.retries.next(failed)
		retryAt := a.options.Clock.Now().Add(delay)
		if a.mustLook(failed) {
			if bound, err := a.learn(ctx, failed.settleTime()); bound || err != nil {
				return err
			}
		}
		if !again {
			return &UnavailableError{Tries: a.tries, Err: failed.err}
		}
		a.sleepUntil(ctx, retryAt)
	}
}

// ready waits for the client's rate limit and runs the check after it, so that no check is out of date when the request
// leaves.
func (a *attempt) ready(ctx context.Context, check Check) error {
	if err := stopped(ctx); err != nil {
		return err
	}
	if limiter := a.api.GetRateLimiter(); limiter != nil {
		if err := limiter.Wait(ctx); err != nil { // the context has ended, or would before its turn comes
			return &StoppedError{Err: err, Cause: cmp.Or(context.Cause(ctx), err)}
		}
	}
	if err := check(ctx); err != nil {
		return err
	}
	return stopped(ctx)
}

// sleepUntil waits for a moment, or for the end of the context.
func (a *attempt) sleepUntil(ctx context.Context, moment time.Time) {
	timer := a.options.Clock.NewTimer(moment.Sub(a.options.Clock.Now()))
	defer timer.Stop()
	select {
	case <-timer.C():
	case <-ctx.Done():
	}
}

// stopped returns an error when the context has ended.
func stopped(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return &StoppedError{Err: ctx.Err(), Cause: context.Cause(ctx)}
}
