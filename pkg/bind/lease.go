package bind

import (
	"context"
	"fmt"
	"time"

	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/utils/clock"
)

// The Lease that keeps two runs apart, unless LockOptions name another one.
const (
	LeaseNamespace = "kube-system"
	LeaseName      = "kubectl-sched-bind"
)

// An API server that restarts must not cost the Lease, and takes some ten seconds: the holder tries to renew it for
// renewDeadline. It has stopped, with the last write, before another may follow after leaseDuration: 2 + 20 + 5 + 10
// < 40.
const (
	leaseDuration = 40 * time.Second
	renewDeadline = 20 * time.Second
	retryPeriod   = 2 * time.Second
	leaseTimeout  = 5 * time.Second
)

// LockOptions say which Lease is acquired, and how.
type LockOptions struct {
	// Identity is the name of the holder; no two runs may share one.
	Identity string
	// Namespace and Name stand for LeaseNamespace and LeaseName when they are empty.
	Namespace string
	Name      string
	// Wait is how long somebody else is waited for; 0 stands for not at all. The elector looks every 2 to 4.4
	// seconds, and that much longer it may take.
	Wait time.Duration
	// Waiting is called once, when somebody else is waited for, with what the Lease says; nil stands for nobody who
	// wants to know.
	Waiting func(holder string, renewed time.Time)
	// Clock tells how long was waited; nil stands for the real one. client-go's elector has its own.
	Clock clock.PassiveClock
}

// withDefaults fills in what may be left out.
func (o LockOptions) withDefaults() LockOptions {
	if o.Namespace == "" {
		o.Namespace = LeaseNamespace
	}
	if o.Name == "" {
		o.Name = LeaseName
	}
	if o.Waiting == nil {
		o.Waiting = func(string, time.Time) {}
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	return o
}

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
// renewing it for its 40 seconds: the times in it are those of another host's clock, and prove nothing.
func Acquire(ctx context.Context, client coordinationclient.LeasesGetter, options LockOptions) (*Held, error) {
	running, stop := context.WithCancelCause(quiet(context.WithoutCancel(ctx)))
	candidate := newCandidate(client, options.withDefaults(), stop)
	acquired := make(chan struct{})
	elector, err := newElector(candidate, acquired)
	if err != nil {
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
func newElector(lock resourcelock.Interface, acquired chan<- struct{}) (*leaderelection.LeaderElector, error) {
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock:          lock,
		LeaseDuration: leaseDuration,
		RenewDeadline: renewDeadline,
		RetryPeriod:   retryPeriod,
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
// released. Err then says which. Nothing that the Lease protects may be begun after it.
func (h *Held) Lost() <-chan struct{} { return h.stopped }

// Err says why the Lease is not held any more; nil while it is, context.Canceled after Release.
func (h *Held) Err() error { return h.why() }

// Release gives the Lease up, so that the next one gets it at once. When that fails, the Lease ends by itself.
func (h *Held) Release(ctx context.Context) error {
	h.stop(nil)
	<-h.ended // no later than the request that is under way
	return h.candidate.release(ctx)
}
