package bind

import (
	"context"
	"errors"
	"fmt"
	"time"

	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/tools/leaderelection"
)

// Held is a Lease that is held, and renewed until it is released or lost.
type Held struct {
	candidate *candidate
	stop      context.CancelCauseFunc // ends the elector
	stopped   <-chan struct{}
	why       func() error
	ended     chan struct{} // closed when the elector has returned
}

// Acquire takes the Lease, and waits for it as LockOptions say. The context bounds the waiting only: whoever finishes a
// request after ctrl-C needs the Lease for that still.
//
// A Lease whose time is over, since its holder was killed, is taken even when Wait is 0, but only after nobody was seen
// renewing it for its LeaseDuration: the times in it are those of another host's clock, and prove nothing.
//
// The error is a HeldError when somebody else holds the Lease. A request that is refused for good, as for want of a
// permission, is an error at once, unless the API server was away within the last RenewDeadline.
func Acquire(ctx context.Context, client coordinationclient.LeasesGetter, options LockOptions) (*Held, error) {
	options = options.withDefaults()
	if err := options.Validate(); err != nil {
		return nil, fmt.Errorf("preparing the Lease %s/%s: %w", options.Namespace, options.Name, err)
	}
	running, stop := context.WithCancelCause(quiet(context.WithoutCancel(ctx)))
	candidate := newCandidate(client, options, stop)
	acquired := make(chan struct{})
	elector, err := newElector(candidate, acquired)
	if err != nil {
		candidate.expiry.Stop()
		stop(err)
		return nil, err
	}
	held := &Held{
		candidate: candidate,
		stop:      stop,
		stopped:   running.Done(),
		why:       func() error { return context.Cause(running) },
		ended:     make(chan struct{}),
	}
	go func() {
		defer close(held.ended)
		elector.Run(running)
		candidate.expiry.Stop()
		stop(candidate.tooLate()) // without effect when it was stopped before
	}()
	select {
	case <-acquired:
		return held, nil
	case <-ctx.Done():
		stop(fmt.Errorf("waiting for the Lease %s: %w", candidate.Describe(), context.Cause(ctx)))
	case <-running.Done():
	}
	<-held.ended
	if elector.IsLeader() { // since the very moment in which the waiting ended
		_ = held.Release(context.WithoutCancel(ctx)) // or else it ends by itself
	}
	return nil, held.Err()
}

// newElector returns client-go's elector, which acquires and renews the Lease. It does not release it: it would do so
// before it tells that the Lease is lost, and without looking whether somebody else has it by then.
func newElector(lock *candidate, acquired chan<- struct{}) (*leaderelection.LeaderElector, error) {
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock:          lock,
		Name:          lock.options.Name, // in its metrics
		LeaseDuration: lock.options.LeaseDuration,
		RenewDeadline: lock.options.RenewDeadline,
		RetryPeriod:   lock.options.RetryPeriod,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { close(acquired) },
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("preparing the Lease %s: %w", lock.Describe(), err)
	}
	return elector, nil
}

// Lost is closed when the Lease is not held any more: somebody else has it, it could not be renewed in time, or it was
// released. Err then says which. Nothing that the Lease protects may be begun after it, and what is under way has to
// end within the FinishTimeout of the LockOptions.
func (h *Held) Lost() <-chan struct{} { return h.stopped }

// Err says why the Lease is not held any more; nil while it is, context.Canceled after Release.
func (h *Held) Err() error { return h.why() }

// Valid returns an error when the Lease is not held, by the time that has passed since its last renewal: a process that
// was paused learns it here before the elector, which was paused too, can tell. A Lease that was released counts as
// held: whoever did so had ended what it protects.
func (h *Held) Valid() error {
	if err := h.Err(); err != nil {
		if errors.Is(err, context.Canceled) {
			return nil
		}
		return err
	}
	return h.candidate.valid()
}

// Healthy returns an error when the Lease was not renewed for longer than its duration and a grace time: the process
// should have ended by then. It is for /healthz, as client-go's LeaderElector.Check; a Lease that somebody else has
// counts too, and one that was released does not.
func (h *Held) Healthy(grace time.Duration) error {
	if errors.Is(h.Err(), context.Canceled) {
		return nil
	}
	return h.candidate.healthy(grace)
}

// Release gives the Lease up, so that the next one takes it when it looks. When that fails, the Lease ends by itself.
// What the Lease protects must have ended. It is to be called after a loss too, and returns when nothing is under way
// any more.
func (h *Held) Release(ctx context.Context) error {
	h.stop(nil)
	<-h.ended // no later than the request that is under way
	return h.candidate.release(ctx)
}
