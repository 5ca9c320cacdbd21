package bind

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/utils/clock"
)

// The Lease that keeps two runs apart, unless LockOptions name another one.
const (
	LeaseNamespace = "kube-system"
	LeaseName      = "kubectl-sched-bind"
)

// Forever is the Wait of a standby: nothing but the end of its context, or a request that is refused for good, ends it.
const Forever time.Duration = math.MaxInt64

// An API server that restarts must not cost the Lease, and takes some ten seconds.
const (
	leaseDuration = 40 * time.Second
	renewDeadline = 20 * time.Second
	retryPeriod   = 2 * time.Second
)

// leaseTimeout is how long one request for a Lease may take at most.
const leaseTimeout = 5 * time.Second

// LockOptions say which Lease is acquired, and how.
type LockOptions struct {
	// Identity is the name of the holder; no two runs may share one.
	Identity string
	// Namespace and Name stand for LeaseNamespace and LeaseName when they are empty.
	Namespace string
	Name      string
	// LeaseDuration is how long others leave a Lease alone that nobody renews; the API keeps whole seconds, and a
	// fraction is cut off. RenewDeadline is how long its holder tries to renew it before it counts as lost. RetryPeriod is
	// the pause between two renewals; others look every 1 to 2.2 such periods. 0 stands for 40 s, 20 s and 2 s.
	LeaseDuration time.Duration
	RenewDeadline time.Duration
	RetryPeriod   time.Duration
	// Wait is how long somebody else is waited for, and that much longer which it takes to look once more; 0 stands for
	// not at all. An API server that is away is waited for as long, and for RenewDeadline at least.
	Wait time.Duration
	// Waiting is called when somebody else is waited for, and again whenever that is another one, with what the Lease
	// says; nil stands for nobody who wants to know. The candidacy rests while it runs.
	Waiting func(holder string, renewed time.Time)
	// Clock tells how long was waited, and how old a renewal is; nil stands for the real one. client-go's elector has its
	// own.
	Clock clock.PassiveClock
}

// Validate finds durations that do not go together. They are kube-scheduler's rules: LeaseDuration > RenewDeadline >
// 1.2 * RetryPeriod, as ValidateLeaderElectionConfiguration and NewLeaderElector have them.
func (o LockOptions) Validate() error {
	o = o.withDefaults()
	switch longest := time.Duration(leaderelection.JitterFactor * float64(o.RetryPeriod)); {
	case o.LeaseDuration < time.Second:
		return fmt.Errorf("the lease duration %s is too short: use 1s or more", o.LeaseDuration)
	case o.RenewDeadline < 0:
		return fmt.Errorf("the renew deadline %s is negative", o.RenewDeadline)
	case o.RetryPeriod < 0:
		return fmt.Errorf("the retry period %s is negative", o.RetryPeriod)
	case o.LeaseDuration <= o.RenewDeadline:
		return fmt.Errorf("the lease duration %s must be longer than the renew deadline, which is %s", o.LeaseDuration,
			o.RenewDeadline)
	case o.RenewDeadline <= longest:
		return fmt.Errorf("the renew deadline %s must be longer than 1.2 times the retry period, which is %s",
			o.RenewDeadline, o.RetryPeriod)
	}
	return nil
}

// FinishTimeout is how long a write that is under way when the Lease is lost may take, so that it has ended before
// another may follow. The holder counts from when it sent the renewal that went through last; another one counts
// LeaseDuration from when it saw that, which is later. After RetryPeriod the holder tries again, for RenewDeadline, and
// the rest is for the writes:
//
//	by default       2 s + 20 s + 18 s = 40 s
//	kube-scheduler   2 s + 10 s +  3 s = 15 s
//
// A Binding and a write of FinishWrites take 10 s by themselves, so that only shorter Leases need more than that.
func (o LockOptions) FinishTimeout() time.Duration {
	o = o.withDefaults()
	return o.LeaseDuration - o.term()
}

// term is how long after a renewal was sent the Lease counts as held. A retry period that leaves next to nothing for
// the writes is cut short.
func (o LockOptions) term() time.Duration {
	return min(o.RetryPeriod+o.RenewDeadline, (o.LeaseDuration+o.RenewDeadline)/2)
}

// requestTimeout is how long one request may take: as kube-scheduler, two of them fit into the renew deadline.
func (o LockOptions) requestTimeout() time.Duration { return min(leaseTimeout, o.RenewDeadline/2) }

// withDefaults fills in what may be left out.
func (o LockOptions) withDefaults() LockOptions {
	o.Namespace = cmp.Or(o.Namespace, LeaseNamespace)
	o.Name = cmp.Or(o.Name, LeaseName)
	o.LeaseDuration = cmp.Or(o.LeaseDuration, leaseDuration)
	if o.LeaseDuration > time.Second {
		o.LeaseDuration = o.LeaseDuration.Truncate(time.Second)
	}
	o.RenewDeadline = cmp.Or(o.RenewDeadline, renewDeadline)
	o.RetryPeriod = cmp.Or(o.RetryPeriod, retryPeriod)
	if o.Waiting == nil {
		o.Waiting = func(string, time.Time) {}
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	return o
}
