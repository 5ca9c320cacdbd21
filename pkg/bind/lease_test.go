package bind_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
)

var leases = schema.GroupResource{Group: "coordination.k8s.io", Resource: "leases"}

// The tests run in bubbles of testing/synctest, in which time passes at once: client-go's elector has no clock to be
// handed in. Every bubble begins at midnight of 2000-01-01 (UTC).

// leaseServer is an API server with one Lease at most, and the client that asks it.
type leaseServer struct {
	coordinationclient.LeaseInterface
	hook atomic.Pointer[func(ctx context.Context, verb string) error]
	// latency is how long the answer to an update takes after it is stored.
	latency atomic.Int64
}

func newLeaseServer(objects ...runtime.Object) *leaseServer {
	client := fake.NewSimpleClientset(objects...)
	s := &leaseServer{LeaseInterface: client.CoordinationV1().Leases(bind.LeaseNamespace)}
	s.on(nil)
	return s
}

// reachedOtherwise returns the same server as another client sees it.
func (s *leaseServer) reachedOtherwise() *leaseServer {
	other := &leaseServer{LeaseInterface: s.LeaseInterface}
	other.on(nil)
	return other
}

// before calls a hook before every request from now on; its error is the answer.
func (s *leaseServer) before(hook func(ctx context.Context, verb string) error) { s.hook.Store(&hook) }

// on lets every request of one of the verbs fail from now on.
func (s *leaseServer) on(err error, verbs ...string) {
	s.before(func(_ context.Context, verb string) error {
		if slices.Contains(verbs, verb) {
			return err
		}
		return nil
	})
}

func (s *leaseServer) Leases(string) coordinationclient.LeaseInterface { return leaseClient{s} }

// leaseClient does not get the answer of a request whose context has ended; the server does what it was asked for.
type leaseClient struct{ *leaseServer }

func (c leaseClient) Get(ctx context.Context, name string, options metav1.GetOptions) (*coordinationv1.Lease, error) {
	if err := (*c.hook.Load())(ctx, "get"); err != nil {
		return nil, err
	}
	return heard(ctx)(c.LeaseInterface.Get(ctx, name, options))
}

func (c leaseClient) Create(ctx context.Context, lease *coordinationv1.Lease, options metav1.CreateOptions,
) (*coordinationv1.Lease, error) {
	if err := (*c.hook.Load())(ctx, "create"); err != nil {
		return nil, err
	}
	return heard(ctx)(c.LeaseInterface.Create(ctx, lease, options))
}

func (c leaseClient) Update(ctx context.Context, lease *coordinationv1.Lease, options metav1.UpdateOptions,
) (*coordinationv1.Lease, error) {
	if err := (*c.hook.Load())(ctx, "update"); err != nil {
		return nil, err
	}
	updated, err := c.LeaseInterface.Update(ctx, lease, options)
	select {
	case <-clock.RealClock{}.After(time.Duration(c.latency.Load())):
	case <-ctx.Done():
	}
	return heard(ctx)(updated, err)
}

// heard passes an answer on to whoever still waits for it.
func heard(ctx context.Context) func(*coordinationv1.Lease, error) (*coordinationv1.Lease, error) {
	return func(lease *coordinationv1.Lease, err error) (*coordinationv1.Lease, error) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return lease, err
	}
}

// store changes the Lease behind the holder's back.
func (s *leaseServer) store(t *testing.T, lease *coordinationv1.Lease) {
	t.Helper()
	if _, err := s.Update(t.Context(), lease, metav1.UpdateOptions{}); err != nil {
		t.Error(err)
	}
}

// holder returns who holds the Lease; empty when nobody does.
func (s *leaseServer) holder(t *testing.T) string {
	t.Helper()
	lease, err := s.Get(t.Context(), bind.LeaseName, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return *lease.Spec.HolderIdentity
}

// leaseOf is the Lease as somebody renewed it some time ago.
func leaseOf(holder string, ago time.Duration) *coordinationv1.Lease {
	renewed := metav1.NewMicroTime(time.Now().Add(-ago))
	return &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Namespace: bind.LeaseNamespace, Name: bind.LeaseName},
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity: &holder, LeaseDurationSeconds: new(int32(30)), AcquireTime: &renewed, RenewTime: &renewed,
		},
	}
}

func acquire(t *testing.T, server *leaseServer, options bind.LockOptions) *bind.Held {
	t.Helper()
	held, err := bind.Acquire(t.Context(), server, options)
	if err != nil {
		t.Fatal(err)
	}
	return held
}

func release(t *testing.T, held *bind.Held) {
	t.Helper()
	if err := held.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

// lostWithin tells whether the Lease is lost before the time is over.
func lostWithin(held *bind.Held, limit time.Duration) bool {
	select {
	case <-held.Lost():
	case <-clock.RealClock{}.After(limit):
	}
	return held.Err() != nil // not by which channel came first: both may have
}

func TestLeaseIsFreeAndGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newLeaseServer()
		first := acquire(t, server, bind.LockOptions{Identity: "first"})
		if got := server.holder(t); got != "first" {
			t.Errorf("the Lease is held by %q", got)
		}
		if lostWithin(first, time.Hour) {
			t.Errorf("lost: %v", first.Err())
		}
		release(t, first)
		if got := server.holder(t); got != "" {
			t.Errorf("the Lease is held by %q after it was released", got)
		}
		if !lostWithin(first, time.Second) {
			t.Error("a Lease that was released counts as held")
		}
		start := time.Now()
		release(t, acquire(t, server, bind.LockOptions{Identity: "second"}))
		if took := time.Since(start); took > 0 {
			t.Errorf("the next one waited for %s", took)
		}
	})
}

func TestLeaseIsRefused(t *testing.T) {
	forbidden := apierrors.NewForbidden(leases, bind.LeaseName, errors.New("no role"))
	for sentence, test := range map[string]struct {
		// held tells how long ago somebody else renewed the Lease; 0 stands for a Lease that is not there.
		held  time.Duration
		fail  error
		verbs []string
		wait  time.Duration
		err   string
		after time.Duration
	}{
		"held by another run": {
			held: 29 * time.Second,
			err:  `the Lease kube-system/kubectl-sched-bind is held by "other\n", renewed at 1999-12-31T23:59:31Z`,
		},
		"no permission to read it": {
			fail: forbidden, verbs: []string{"get"},
			err: `cannot take the Lease kube-system/kubectl-sched-bind: leases.coordination.k8s.io "kubectl-sched-bind" is ` +
				`forbidden: no role; grant get, create and update on leases.coordination.k8s.io in namespace kube-system`,
		},
		"no permission to create it, by somebody who would wait for ever": {
			fail: forbidden, verbs: []string{"create"}, wait: bind.Forever,
			err: `cannot take the Lease kube-system/kubectl-sched-bind: leases.coordination.k8s.io "kubectl-sched-bind" is ` +
				`forbidden: no role; grant get, create and update on leases.coordination.k8s.io in namespace kube-system`,
		},
		"no permission to update one whose holder was killed": {
			held: time.Hour, fail: forbidden, verbs: []string{"update"}, after: 30 * time.Second,
			err: `cannot take the Lease kube-system/kubectl-sched-bind: leases.coordination.k8s.io "kubectl-sched-bind" is ` +
				`forbidden: no role; grant get, create and update on leases.coordination.k8s.io in namespace kube-system`,
		},
		"no namespace to create it in": {
			fail: apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "kube-system"), verbs: []string{"create"},
			err: `cannot take the Lease kube-system/kubectl-sched-bind: namespaces "kube-system" not found`,
		},
		"no API server": {
			fail: errors.New("connection refused"), verbs: []string{"get"}, after: 20 * time.Second,
			err: `cannot take the Lease kube-system/kubectl-sched-bind: connection refused`,
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := newLeaseServer()
				if test.held > 0 {
					server = newLeaseServer(leaseOf("other\n", test.held))
				}
				server.on(test.fail, test.verbs...)
				start := time.Now()
				_, err := bind.Acquire(t.Context(), server, bind.LockOptions{Identity: "own", Wait: test.wait})
				if diff := cmp.Diff(test.err, errorText(err)); diff != "" {
					t.Errorf("error (-want +got):\n%s", diff)
				}
				checkTook(t, start, test.after)
			})
		})
	}
}

// otherRun is another run, which renews the Lease every two seconds, a number of times, and then gives it up.
type otherRun struct {
	renewals int
	// slow is how far its clock is behind.
	slow time.Duration
}

func (o otherRun) hold(t *testing.T, server *leaseServer) {
	for range o.renewals {
		<-clock.RealClock{}.After(2 * time.Second)
		server.store(t, leaseOf("other", o.slow))
	}
	server.store(t, leaseOf("", 0))
}

func TestLeaseIsWaitedFor(t *testing.T) {
	for sentence, test := range map[string]struct {
		// ago is when the other run renewed the Lease last, wait how long it is waited for.
		ago, wait time.Duration
		// other is nil when the other run was killed.
		other   *otherRun
		told    string
		refused bool
		after   time.Duration
	}{
		"a run that ends": {
			wait: time.Minute, other: &otherRun{renewals: 20}, told: "other at 00:00:00", after: 40 * time.Second,
		},
		"a run that takes longer": {
			wait: 15 * time.Second, other: &otherRun{renewals: 20}, told: "other at 00:00:00",
			after: 15 * time.Second, refused: true,
		},
		"a run that was killed a moment ago": {
			ago: 10 * time.Second, wait: 25 * time.Second, told: "other at 23:59:50", after: 30 * time.Second,
		},
		"a run that was killed long ago, by somebody who does not want to wait": {
			ago: time.Hour, told: "other at 23:00:00", after: 30 * time.Second,
		},
		"a run whose clock is slow, by somebody who does not want to wait": {
			ago: time.Hour, other: &otherRun{renewals: 20, slow: time.Hour}, told: "other at 23:00:00", refused: true,
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, start := newLeaseServer(leaseOf("other", test.ago)), time.Now()
				if test.other != nil {
					var other sync.WaitGroup
					defer other.Wait()
					other.Go(func() { test.other.hold(t, server) })
				}
				var told []string
				held, err := bind.Acquire(t.Context(), server, bind.LockOptions{
					Identity: "own", Wait: test.wait,
					Waiting: func(holder string, renewed time.Time) {
						told = append(told, holder+" at "+renewed.UTC().Format(time.TimeOnly))
					},
				})
				if diff := cmp.Diff([]string{test.told}, told); diff != "" {
					t.Errorf("told (-want +got):\n%s", diff)
				}
				checkTook(t, start, test.after)
				switch {
				case test.refused && !errors.As(err, new(*bind.HeldError)):
					t.Errorf("got the error %v, want that the Lease is held", err)
				case !test.refused && err != nil:
					t.Error(err)
				case !test.refused:
					release(t, held)
				}
			})
		})
	}
}

// checkTook checks that something took as long as it should, and not longer than until the elector looks again (every 2
// to 4.4 seconds) and the last request has ended (5 seconds, should nobody answer).
func checkTook(t *testing.T, start time.Time, want time.Duration) {
	t.Helper()
	if took := time.Since(start); took < want || took > want+7*time.Second {
		t.Errorf("it took %s, want about %s", took, want)
	}
}

func TestLeaseIsLost(t *testing.T) {
	for sentence, test := range map[string]struct {
		fault func(*testing.T, *leaseServer)
		after time.Duration
		err   string
	}{
		"to a server that is gone": {
			fault: func(_ *testing.T, server *leaseServer) {
				server.on(errors.New("connection refused"), "get", "update")
			},
			after: 20 * time.Second,
			err: "lost the Lease kube-system/kubectl-sched-bind, which could not be renewed for 20s: " +
				"connection refused",
		},
		"to a server that does not answer": {
			fault: func(_ *testing.T, server *leaseServer) {
				server.before(func(ctx context.Context, _ string) error {
					<-ctx.Done()
					return ctx.Err()
				})
			},
			after: 20 * time.Second,
			err: "lost the Lease kube-system/kubectl-sched-bind, which could not be renewed for 20s: " +
				"no answer within 5s",
		},
		"to another run": {
			fault: func(t *testing.T, server *leaseServer) {
				server.store(t, leaseOf("other", 0))
				server.on(apierrors.NewConflict(leases, bind.LeaseName, errors.New("modified")), "update")
			},
			err: `lost the Lease kube-system/kubectl-sched-bind: it is held by "other", renewed at 2000-01-01T00:00:59Z`,
		},
		"to a role that was taken away": {
			fault: func(_ *testing.T, server *leaseServer) {
				server.on(apierrors.NewForbidden(leases, bind.LeaseName, errors.New("no role")), "update")
			},
			err: `lost the Lease kube-system/kubectl-sched-bind: leases.coordination.k8s.io "kubectl-sched-bind" is ` +
				`forbidden: no role; grant get, create and update on leases.coordination.k8s.io in namespace kube-system`,
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := newLeaseServer()
				held := acquire(t, server, bind.LockOptions{Identity: "own"})
				<-clock.RealClock{}.After(59 * time.Second) // between two renewals
				start := time.Now()
				test.fault(t, server)
				if !lostWithin(held, time.Hour) {
					t.Fatal("it is not lost")
				}
				checkTook(t, start, test.after)
				if diff := cmp.Diff(test.err, errorText(held.Err())); diff != "" {
					t.Errorf("error (-want +got):\n%s", diff)
				}
				server.on(nil)
				release(t, held) // ends what is under way
			})
		})
	}
}

func TestLeaseIsKept(t *testing.T) {
	for sentence, fault := range map[string]func(*testing.T, *leaseServer){
		"through a restart of the API server": func(_ *testing.T, server *leaseServer) {
			server.on(errors.New("connection refused"), "get", "update")
			<-clock.RealClock{}.After(15 * time.Second)
			server.on(nil)
		},
		"through a restart after which everything is refused at first": func(_ *testing.T, server *leaseServer) {
			server.on(errors.New("connection refused"), "get", "update")
			<-clock.RealClock{}.After(10 * time.Second)
			server.on(apierrors.NewForbidden(leases, bind.LeaseName, errors.New("no role yet")), "get", "update")
			<-clock.RealClock{}.After(5 * time.Second)
			server.on(nil)
		},
		"when somebody deletes it": func(t *testing.T, server *leaseServer) {
			if err := server.Delete(t.Context(), bind.LeaseName, metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := newLeaseServer()
				held := acquire(t, server, bind.LockOptions{Identity: "own"})
				synctest.Wait() // until the elector sleeps
				fault(t, server)
				if lostWithin(held, time.Hour) {
					t.Errorf("lost: %v", held.Err())
				}
				if got := server.holder(t); got != "own" {
					t.Errorf("the Lease is held by %q", got)
				}
				release(t, held)
			})
		})
	}
}

func TestLeaseOfAnotherRunIsNotReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newLeaseServer()
		held := acquire(t, server, bind.LockOptions{Identity: "own"})
		synctest.Wait() // until the elector sleeps
		server.store(t, leaseOf("other", 0))
		release(t, held)
		if got := server.holder(t); got != "other" {
			t.Errorf("the Lease is held by %q, want the other run", got)
		}
	})
}

func TestLeaseThatCannotBeReleased(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newLeaseServer()
		held := acquire(t, server, bind.LockOptions{Identity: "own"})
		synctest.Wait() // until the elector sleeps
		server.on(errors.New("connection refused"), "update")
		want := "cannot release the Lease kube-system/kubectl-sched-bind, which ends by itself in 40s: connection refused"
		if got := errorText(held.Release(t.Context())); got != want {
			t.Errorf("got the error %q, want %q", got, want)
		}
	})
}

// A request to take the Lease that is under way when the waiting ends goes through, and what it took is given back.
func TestLeaseIsNotKeptAfterAnInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newLeaseServer()
		ctx, cancel := context.WithCancelCause(t.Context())
		server.before(func(_ context.Context, verb string) error {
			if verb == "create" {
				cancel(errors.New("interrupted"))
				synctest.Wait()
			}
			return nil
		})
		_, err := bind.Acquire(ctx, server, bind.LockOptions{Identity: "own"})
		if want := "waiting for the Lease kube-system/kubectl-sched-bind: interrupted"; errorText(err) != want {
			t.Errorf("got the error %v, want %s", err, want)
		}
		if got := server.holder(t); got != "" {
			t.Errorf("the Lease is held by %q", got)
		}
	})
}

func TestLeaseOutlivesTheContextOfItsWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newLeaseServer()
		ctx, cancel := context.WithCancel(t.Context())
		held, err := bind.Acquire(ctx, server, bind.LockOptions{Identity: "own"})
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if lostWithin(held, time.Hour) {
			t.Errorf("lost: %v", held.Err())
		}
		release(t, held)
	})
}

func TestLeaseNeedsAnIdentity(t *testing.T) {
	_, err := bind.Acquire(t.Context(), newLeaseServer(), bind.LockOptions{})
	if want := "preparing the Lease kube-system/kubectl-sched-bind: Lock identity is empty"; errorText(err) != want {
		t.Errorf("got the error %v, want %s", err, want)
	}
}

func TestLeaseIsNotLogged(t *testing.T) {
	logged := ""
	klog.SetLogger(funcr.New(func(_, line string) { logged += line + "\n" }, funcr.Options{Verbosity: 9}))
	t.Cleanup(klog.ClearLogger)
	synctest.Test(t, func(t *testing.T) {
		server := newLeaseServer()
		held := acquire(t, server, bind.LockOptions{Identity: "own"})
		server.on(errors.New("connection refused"), "update")
		<-held.Lost()
		server.on(nil)
		release(t, held)
	})
	if logged != "" {
		t.Errorf("logged:\n%s", logged)
	}
}
