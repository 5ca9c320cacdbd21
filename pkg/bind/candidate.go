package bind

import (
	"context"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/util/retry"
)

// candidate is the lock of client-go's elector, which keeps to itself what it sees and what fails: it logs that, and
// tries on for ever. The candidate looks on and decides when there is no point any more. What neither mentions the
// mutex nor comes after the end of the elector runs in its goroutine.
type candidate struct {
	resourcelock.Interface
	options LockOptions
	giveUp  context.CancelCauseFunc
	since   time.Time
	holding bool
	// met is the first record of the one who holds the Lease now, or did last; nil before it was anybody else.
	met *resourcelock.LeaderElectionRecord
	// away is when the API server was last seen to be away.
	away time.Time
	// expiry gives up when no renewal has gone through for too long.
	expiry *time.Timer

	mutex   sync.Mutex
	renewed time.Time // when the last renewal that went through was sent
	problem error     // the last one since
}

func newCandidate(client coordinationclient.LeasesGetter, options LockOptions, giveUp context.CancelCauseFunc,
) *candidate {
	c := &candidate{
		Interface: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: options.Namespace, Name: options.Name},
			Client:     client,
			LockConfig: resourcelock.ResourceLockConfig{Identity: options.Identity},
		},
		options: options,
		giveUp:  giveUp,
		since:   options.Clock.Now(),
	}
	c.expiry = time.AfterFunc(Forever, func() { giveUp(c.tooLate()) })
	return c
}

// Get reads the Lease.
func (c *candidate) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, c.options.requestTimeout())
	defer cancel()
	record, raw, err := c.Interface.Get(ctx)
	switch {
	case err == nil:
		c.meet(record)
	case !apierrors.IsNotFound(err):
		c.fail(err)
	}
	return record, raw, err
}

// Create creates the Lease. It is finished once it was begun, or the Lease might be there and nobody would know.
func (c *candidate) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.options.requestTimeout())
	defer cancel()
	sent := c.options.Clock.Now()
	return c.written(sent, c.Interface.Create(ctx, record))
}

// Update renews the Lease, or takes it over. It is finished once it was begun, as Create.
func (c *candidate) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.options.requestTimeout())
	defer cancel()
	sent := c.options.Clock.Now()
	err := c.Interface.Update(ctx, record)
	if apierrors.IsNotFound(err) {
		return err // deleted meanwhile: the elector creates it again
	}
	return c.written(sent, err)
}

// written takes down how a request to write the Lease went, and for how long the Lease counts as held.
func (c *candidate) written(sent time.Time, err error) error {
	if err != nil {
		c.fail(err)
		return err
	}
	c.holding = true
	c.expiry.Reset(c.options.term() - c.options.Clock.Since(sent))
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.renewed, c.problem = sent, nil
	return nil
}

// valid is the Held's Valid.
func (c *candidate) valid() error {
	c.mutex.Lock()
	renewed := c.renewed
	c.mutex.Unlock()
	// A machine that sleeps stops the monotonic clock, and somebody may set the other one.
	if old := max(c.options.Clock.Since(renewed), c.options.Clock.Since(renewed.Round(0))); old < c.options.term() {
		return nil
	}
	err := c.tooLate()
	c.giveUp(err)
	return err
}

// healthy is the Held's Healthy.
func (c *candidate) healthy(grace time.Duration) error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if old := c.options.Clock.Since(c.renewed); old > c.options.LeaseDuration+grace {
		return fmt.Errorf("the Lease %s was not renewed for %s", c.Describe(), old.Round(time.Second))
	}
	return nil
}

// release gives the Lease up if it is still held. The elector must have ended.
func (c *candidate) release(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(quiet(ctx), c.options.requestTimeout())
	defer cancel()
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		record, _, err := c.Interface.Get(ctx)
		switch {
		case apierrors.IsNotFound(err):
			return nil
		case err != nil:
			return err
		case record.HolderIdentity != c.Identity():
			return nil
		}
		now := metav1.NewTime(c.options.Clock.Now())
		return c.Interface.Update(ctx, resourcelock.LeaderElectionRecord{
			LeaseDurationSeconds: 1, // as the elector's own release: the API wants one
			AcquireTime:          now,
			RenewTime:            now,
			LeaderTransitions:    record.LeaderTransitions,
		})
	})
	if err != nil {
		return fmt.Errorf("cannot release the Lease %s, which ends by itself in %s: %w", c.Describe(),
			c.options.LeaseDuration, bare(err, c.options.requestTimeout()))
	}
	return nil
}
