package bind_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
)

// A client that neither gets an answer nor ends does not keep a Lease, and old problems are not blamed for it.
func TestLeaseIsLostWhileTheClientIsStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newLeaseServer()
		held := acquire(t, server, replica("own"))
		server.on(errors.New("connection refused"), "get", "update")
		<-clock.RealClock{}.After(5 * time.Second)
		server.on(nil)
		<-clock.RealClock{}.After(5 * time.Second)
		server.before(func(context.Context, string) error {
			<-clock.RealClock{}.After(time.Minute)
			return errors.New("at last")
		})
		start := time.Now()
		<-held.Lost()
		if took := time.Since(start); took > 12*time.Second {
			t.Errorf("it took %s", took)
		}
		want := "lost the Lease kube-system/kubectl-sched-bind, which could not be renewed for 10s"
		if got := errorText(held.Err()); got != want {
			t.Errorf("got the error %q, want %q", got, want)
		}
		server.on(nil)
		release(t, held)
	})
}

// One request that nobody answers does not cost the Lease.
func TestLeaseIsRenewedTwiceWithinTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newLeaseServer()
		held := acquire(t, server, bind.LockOptions{
			Identity: "own", LeaseDuration: 5 * time.Second, RenewDeadline: 3 * time.Second, RetryPeriod: time.Second,
		})
		hung := false
		server.before(func(ctx context.Context, verb string) error {
			if hung || verb != "update" {
				return nil
			}
			hung = true
			<-ctx.Done()
			return ctx.Err()
		})
		if lostWithin(held, time.Hour) {
			t.Errorf("lost: %v", held.Err())
		}
		release(t, held)
	})
}

func TestHeldIsHealthy(t *testing.T) {
	const grace = 20 * time.Second
	type report struct {
		At  time.Duration
		Err string
	}
	for sentence, test := range map[string]struct {
		change func(*testing.T, *leaseServer, *bind.Held)
		want   []report
	}{
		"while it is renewed": {
			change: func(*testing.T, *leaseServer, *bind.Held) {},
			want:   []report{{At: 30 * time.Second}, {At: 40 * time.Second}, {At: time.Hour}},
		},
		"until it should have ended for long when it could not be renewed": {
			change: func(_ *testing.T, server *leaseServer, _ *bind.Held) {
				server.on(errors.New("connection refused"), "get", "update")
			},
			want: []report{{At: 30 * time.Second}, {
				At: 40 * time.Second, Err: "the Lease kube-system/kubectl-sched-bind was not renewed for 40s",
			}},
		},
		"until it should have ended for long when another one has it": {
			change: func(t *testing.T, server *leaseServer, _ *bind.Held) {
				server.store(t, leaseOf("other", 0))
				server.on(apierrors.NewConflict(leases, bind.LeaseName, errors.New("modified")), "update")
			},
			want: []report{{At: 30 * time.Second}, {
				At: time.Hour, Err: "the Lease kube-system/kubectl-sched-bind was not renewed for 1h0m0s",
			}},
		},
		"when it was released": {
			change: func(t *testing.T, _ *leaseServer, held *bind.Held) { release(t, held) },
			want:   []report{{At: 30 * time.Second}, {At: time.Hour}},
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := newLeaseServer()
				held := acquire(t, server, replica("own"))
				synctest.Wait() // until the elector sleeps
				start := time.Now()
				test.change(t, server, held)
				for _, want := range test.want {
					<-clock.RealClock{}.After(want.At - time.Since(start))
					got := report{At: want.At, Err: errorText(held.Healthy(grace))}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("(-want +got):\n%s", diff)
					}
				}
				server.on(nil)
				release(t, held)
			})
		})
	}
}

// A process that was paused knows that its Lease is over before its elector does.
func TestHeldIsValid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		paused := clocktesting.NewFakePassiveClock(time.Now())
		options := replica("own")
		options.Clock = paused
		held := acquire(t, newLeaseServer(), options)
		paused.SetTime(paused.Now().Add(11 * time.Second))
		if err := held.Valid(); err != nil {
			t.Errorf("after 11 s of 12: %v", err)
		}
		paused.SetTime(paused.Now().Add(time.Second))
		want := "lost the Lease kube-system/kubectl-sched-bind, which could not be renewed for 10s"
		if got := errorText(held.Valid()); got != want {
			t.Errorf("got the error %q, want %q", got, want)
		}
		if !lostWithin(held, 0) || errorText(held.Err()) != want {
			t.Errorf("it is not lost: %v", held.Err())
		}
		release(t, held)
	})
}

func TestHeldIsValidWhenReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held := acquire(t, newLeaseServer(), replica("own"))
		release(t, held)
		if err := held.Valid(); err != nil {
			t.Error(err)
		}
	})
}
