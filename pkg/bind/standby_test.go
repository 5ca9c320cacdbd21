package bind_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
)

// replica is how kube-scheduler's replicas hold a Lease by default.
func replica(identity string) bind.LockOptions {
	return bind.LockOptions{
		Identity: identity, Wait: bind.Forever,
		LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
	}
}

// longestLook is how long it takes until a replica looks again.
const longestLook = 4400 * time.Millisecond

// candidacy is an Acquire that is under way.
type candidacy struct {
	held *bind.Held
	err  error
	at   time.Time
	done chan struct{}
}

func stand(ctx context.Context, server *leaseServer, options bind.LockOptions) *candidacy {
	c := &candidacy{done: make(chan struct{})}
	go func() {
		defer close(c.done)
		c.held, c.err = bind.Acquire(ctx, server, options)
		c.at = time.Now()
	}()
	return c
}

func (c *candidacy) isOver() bool {
	synctest.Wait()
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// won returns the Lease once it is acquired.
func (c *candidacy) won(t *testing.T) *bind.Held {
	t.Helper()
	<-c.done
	if c.err != nil {
		t.Fatal(c.err)
	}
	return c.held
}

func TestStandbyWaitsForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leaders := newLeaseServer()
		leader := acquire(t, leaders, replica("leader"))
		server := leaders.reachedOtherwise()
		standby := stand(t.Context(), server, replica("standby"))
		for _, answer := range []error{nil, errors.New("connection refused"), nil} {
			server.on(answer, "get", "create", "update")
			<-clock.RealClock{}.After(time.Hour)
			if standby.isOver() {
				t.Fatalf("the standby waits no more: %v", standby.err)
			}
		}
		start := time.Now()
		release(t, leader)
		held := standby.won(t)
		if took := standby.at.Sub(start); took > longestLook {
			t.Errorf("it took over after %s, though the Lease was released", took)
		}
		release(t, held)
	})
}

func TestStandbyEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newLeaseServer()
		leader := acquire(t, server, replica("leader"))
		ctx, cancel := context.WithCancelCause(t.Context())
		standby := stand(ctx, server, replica("standby"))
		<-clock.RealClock{}.After(time.Hour)
		errStop := errors.New("interrupted")
		cancel(errStop)
		if !standby.isOver() || !errors.Is(standby.err, errStop) {
			t.Errorf("got %v, want that it ends at once with the cause", standby.err)
		}
		release(t, leader)
	})
}

func TestStandbyIsRefused(t *testing.T) {
	forbidden := apierrors.NewForbidden(leases, bind.LeaseName, errors.New("no role"))
	for sentence, test := range map[string]struct {
		outage time.Duration
		// after is when it gives up.
		after time.Duration
	}{
		"at once when it lost its permission":                           {after: 0},
		"some time after an outage, since servers may just be starting": {outage: time.Hour, after: 10 * time.Second},
	} {
		t.Run(sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				leaders := newLeaseServer()
				leader := acquire(t, leaders, replica("leader"))
				server := leaders.reachedOtherwise()
				standby := stand(t.Context(), server, replica("standby"))
				if test.outage > 0 {
					server.on(errors.New("connection refused"), "get")
					<-clock.RealClock{}.After(test.outage)
				}
				if standby.isOver() {
					t.Fatalf("it waits no more: %v", standby.err)
				}
				start := time.Now()
				server.on(forbidden, "get")
				<-standby.done
				if took := standby.at.Sub(start); took < test.after-longestLook || took > test.after+longestLook {
					t.Errorf("it took %s, want about %s", took, test.after)
				}
				if !errors.Is(standby.err, forbidden) {
					t.Errorf("got the error %v", standby.err)
				}
				release(t, leader)
			})
		})
	}
}

func TestStandbyIsToldOfEveryHolder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newLeaseServer(leaseOf("a", 0))
		ctx, cancel := context.WithCancel(t.Context())
		var told []string
		options := replica("own")
		options.Waiting = func(holder string, renewed time.Time) {
			told = append(told, holder+" at "+renewed.UTC().Format(time.TimeOnly))
		}
		standby := stand(ctx, server, options)
		for _, holder := range []string{"a", "b", "b", "a"} {
			<-clock.RealClock{}.After(10 * time.Second)
			server.store(t, leaseOf(holder, 0))
		}
		<-clock.RealClock{}.After(10 * time.Second)
		cancel()
		<-standby.done
		if diff := cmp.Diff([]string{"a at 00:00:00", "b at 00:00:20", "a at 00:00:40"}, told); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
	})
}

// The holder and all its writes have stopped before another one takes the Lease, wherever in its life it is cut off,
// and however slowly its last renewals were answered.
func TestStandbyTakesOverAfterTheLastWrite(t *testing.T) {
	tight := replica("leader")
	tight.RenewDeadline, tight.RetryPeriod = 14*time.Second, 3*time.Second
	for sentence, test := range map[string]struct {
		options bind.LockOptions
		// within is how long nobody may hold the Lease: its duration, and two looks.
		within time.Duration
	}{
		"as kube-scheduler":                       {options: replica("leader"), within: 24 * time.Second},
		"with next to no time for the last write": {options: tight, within: 29 * time.Second},
		"by default":                              {options: bind.LockOptions{Identity: "leader"}, within: 49 * time.Second},
	} {
		t.Run(sentence, func(t *testing.T) {
			for seed := range uint64(20) {
				synctest.Test(t, func(t *testing.T) {
					lastWrite, start, end := cutOffLeader(t, test.options, rand.New(rand.NewPCG(seed, 0)))
					if end.Before(lastWrite) {
						t.Errorf("the last write may end %s after another one took the Lease", lastWrite.Sub(end))
					}
					if took := end.Sub(start); took > test.within {
						t.Errorf("nobody held the Lease for %s", took)
					}
				})
			}
		})
	}
}

// cutOffLeader cuts a leader off at some time and returns when its last write may end, when it was cut off, and when
// another one took the Lease.
func cutOffLeader(t *testing.T, options bind.LockOptions, random *rand.Rand) (lastWrite, start, end time.Time) {
	leaders := newLeaseServer()
	leader := acquire(t, leaders, options)
	options.Identity, options.Wait = "standby", bind.Forever
	standby := stand(t.Context(), leaders.reachedOtherwise(), options)
	leaders.latency.Store(random.Int64N(int64(5 * time.Second)))
	<-clock.RealClock{}.After(time.Minute + time.Duration(random.Int64N(int64(time.Minute))))
	start = time.Now()
	leaders.on(errors.New("connection refused"), "get", "update")
	<-leader.Lost()
	lastWrite = time.Now().Add(options.FinishTimeout())
	held := standby.won(t)
	release(t, held)
	leaders.on(nil)
	release(t, leader)
	return lastWrite, start, standby.at
}
