package bind

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// meet decides what the holder of the Lease means.
func (c *candidate) meet(record *resourcelock.LeaderElectionRecord) {
	if record.HolderIdentity == "" || record.HolderIdentity == c.Identity() {
		return
	}
	another := c.met == nil || c.met.HolderIdentity != record.HolderIdentity
	if another {
		c.met = record
	}
	held := &HeldError{Lease: c.Describe(), Holder: record.HolderIdentity, Renewed: record.RenewTime.Time}
	switch {
	case c.holding:
		c.giveUp(fmt.Errorf("lost the Lease %s: it %s", c.Describe(), held.by()))
	case c.waited() >= c.options.Wait && !c.abandoned(record):
		c.giveUp(held)
	case another:
		c.options.Waiting(held.Holder, held.Renewed)
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
	c.note(bare(err, c.options.requestTimeout()))
	kind := classify(err).kind
	if kind != final && kind != conflict {
		c.away = c.options.Clock.Now()
	}
	switch {
	case kind == final && !c.isStarting():
		c.giveUp(c.failed())
	case !c.holding && c.waited() >= max(c.options.Wait, c.options.RenewDeadline):
		c.giveUp(c.failed())
	}
}

// isStarting tells whether the API server may have just started: it refuses then what it does not know yet to be
// allowed.
func (c *candidate) isStarting() bool {
	return !c.away.IsZero() && c.options.Clock.Since(c.away) < c.options.RenewDeadline
}

// waited is how long the Lease was tried for.
func (c *candidate) waited() time.Duration { return c.options.Clock.Since(c.since) }

func (c *candidate) note(problem error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.problem = problem
}

func (c *candidate) lastProblem() error {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.problem
}

// failed says why requests fail, and what to do.
func (c *candidate) failed() error {
	what := "cannot take"
	if c.holding {
		what = "lost"
	}
	problem := c.lastProblem()
	if lacksPermission(problem) {
		return fmt.Errorf("%s the Lease %s: %w; grant get, create and update on leases.coordination.k8s.io in namespace %s",
			what, c.Describe(), problem, c.options.Namespace)
	}
	return fmt.Errorf("%s the Lease %s: %w", what, c.Describe(), problem)
}

// tooLate says that the Lease was not renewed in time.
func (c *candidate) tooLate() error {
	lost := fmt.Sprintf("lost the Lease %s, which could not be renewed for %s", c.Describe(), c.options.RenewDeadline)
	if problem := c.lastProblem(); problem != nil {
		return fmt.Errorf("%s: %w", lost, problem)
	}
	return errors.New(lost)
}
