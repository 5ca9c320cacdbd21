package bind

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/util/retry"
)

// candidate is the lock of client-go's elector, which keeps to itself what it sees and what fails: it logs that, and
// tries on for ever. The candidate looks on and decides when there is no point any more. All but release runs in the
// elector's goroutine.
type candidate struct {
	resourcelock.Interface
	options LockOptions
	giveUp  context.CancelCauseFunc
	since   time.Time
	holding bool
	// met is the first record of somebody else; nil before.
	met *resourcelock.LeaderElectionRecord
	// problem is the last one.
	problem error
}

func newCandidate(client coordinationclient.LeasesGetter, options LockOptions, giveUp context.CancelCauseFunc,
) *candidate {
	return &candidate{
		Interface: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: options.Namespace, Name: options.Name},
			Client:     client,
			LockConfig: resourcelock.ResourceLockConfig{Identity: options.Identity},
		},
		options: options,
		giveUp:  giveUp,
		since:   options.Clock.Now(),
	}
}

// Get reads the Lease.
func (c *candidate) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, leaseTimeout)
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
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseTimeout)
	defer cancel()
	return c.written(c.Interface.Create(ctx, record))
}

// Update renews the Lease, or takes it over. It is finished once it was begun, as Create.
func (c *candidate) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseTimeout)
	defer cancel()
	err := c.Interface.Update(ctx, record)
	if apierrors.IsNotFound(err) {
		return err // deleted meanwhile: the elector creates it again
	}
	return c.written(err)
}

// written takes down how a request to write the Lease went.
func (c *candidate) written(err error) error {
	if err != nil {
		c.fail(err)
		return err
	}
	c.holding = true
	return nil
}

// meet decides what the holder of the Lease means.
func (c *candidate) meet(record *resourcelock.LeaderElectionRecord) {
	if record.HolderIdentity == "" || record.HolderIdentity == c.Identity() {
		return
	}
	first := c.met == nil
	if first {
		c.met = record
	}
	renewed := record.RenewTime.UTC().Format(time.RFC3339)
	other := fmt.Sprintf("is held by %q, renewed at %s", record.HolderIdentity, renewed)
	switch {
	case c.holding:
		c.giveUp(fmt.Errorf("lost the Lease %s: it %s", c.Describe(), other))
	case c.waited() >= c.options.Wait && !c.abandoned(record):
		c.giveUp(fmt.Errorf("the Lease %s %s; try again when it has ended, or raise --wait", c.Describe(), other))
	case first:
		c.options.Waiting(record.HolderIdentity, record.RenewTime.Time)
	}
}

// abandoned tells whether the Lease seems to have no living holder: its time is over, and nobody was seen renewing it.
// The elector then takes it, in the end.
func (c *candidate) abandoned(record *resourcelock.LeaderElectionRecord) bool {
	duration := time.Duration(record.LeaseDurationSeconds) * time.Second
	return record.RenewTime.Equal(&c.met.RenewTime) && c.options.Clock.Since(record.RenewTime.Time) > duration
}

// fail decides what the error of a request means.
func (c *candidate) fail(err error) {
	c.problem = bare(err, leaseTimeout)
	switch {
	case classify(err).kind == final:
		c.giveUp(c.failed())
	case !c.holding && c.waited() >= max(c.options.Wait, renewDeadline):
		c.giveUp(c.failed())
	}
}

// waited is how long the Lease was tried for.
func (c *candidate) waited() time.Duration { return c.options.Clock.Since(c.since) }

// failed says why requests fail, and what to do.
func (c *candidate) failed() error {
	what := "cannot take"
	if c.holding {
		what = "lost"
	}
	if lacksPermission(c.problem) {
		return fmt.Errorf("%s the Lease %s: %w; grant get, create and update on leases.coordination.k8s.io in namespace %s",
			what, c.Describe(), c.problem, c.options.Namespace)
	}
	return fmt.Errorf("%s the Lease %s: %w", what, c.Describe(), c.problem)
}

// tooLate says that the Lease was not renewed in time.
func (c *candidate) tooLate() error {
	return fmt.Errorf("lost the Lease %s, which could not be renewed for %s: %w", c.Describe(), renewDeadline, c.problem)
}

// release gives the Lease up if it is still held. The elector must have ended.
func (c *candidate) release(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(quiet(ctx), leaseTimeout)
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
		return fmt.Errorf("cannot release the Lease %s, which ends by itself in %s: %w", c.Describe(), leaseDuration,
			bare(err, leaseTimeout))
	}
	return nil
}
