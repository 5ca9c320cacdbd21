package bind

import (
	"cmp"
	"context"
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
	// OutcomeTimeout is how long the outcome of a Binding that nobody answered is asked for; 0 stands for 1 min.
	OutcomeTimeout time.Duration
}

// Binder posts Bindings. It is safe for concurrent use.
type Binder struct {
	api     rest.Interface
	options Options
}

// New returns a Binder that talks to the client's API server. It keeps to the client's rate limit.
func New(client kubernetes.Interface, options Options) *Binder {
	if options.Clock == nil {
		options.Clock = clock.RealClock{}
	}
	options.TryTimeout = cmp.Or(options.TryTimeout, 10*time.Second)
	options.OutcomeTimeout = cmp.Or(options.OutcomeTimeout, time.Minute)
	return &Binder{api: client.CoreV1().RESTClient(), options: options}
}

// Check tells, as an error, that a Target must not be bound any more.
type Check func(context.Context) error

// Bind binds a Pod to a node and returns how many Binding requests it sent, at most 10. check runs just before every
// one of them; its error ends the attempt and is returned as it is. A Pod that is on the node already is fine.
//
// Other errors are of the types of this package. When the context ends, a request in flight is finished and its outcome
// learned, which can take as long as both time-outs; no further one is sent, and the error is a StoppedError unless the
// Pod is bound or will never be.
func (b *Binder) Bind(ctx context.Context, target Target, check Check) (tries int, err error) {
	a := attempt{Binder: b, target: target, retries: newRetries()}
	err = a.run(ctx, check)
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
	for {
		if err := a.ready(ctx, check); err != nil {
			return err
		}
		a.tries++
		failed := a.post(ctx)
		switch {
		case failed == nil:
			return nil
		case failed.kind == final:
			return failed.err
		}
		delay, again := a.retries.next(failed)
		retryAt := a.options.Clock.Now().Add(delay)
		if a.mustLook(failed) {
			if bound, err := a.learn(ctx, failed); bound || err != nil {
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
