package run

import (
	"context"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
)

// NewLive builds a Session over a running cluster and returns when it has read all of it. What it decides is written by
// upstream's plugins (volumes, devices) and by the Binder.
//
// A kind that the API server does not serve counts as one without objects. One that may not be read is an error: what
// is not seen could be bound against.
func NewLive(ctx context.Context, live Live, options Options) (*Session, error) {
	feed, err := openFeed(ctx, live, bind.FinishWrites)
	if err != nil {
		return nil, err
	}
	s := &Session{options: options, feed: *feed}
	// What is started lives until Close, not until an interrupt: requests in flight are finished then.
	lasting, end := context.WithCancel(upstream.Quiet(context.WithoutCancel(ctx)))
	s.stop = end
	if err := s.build(lasting); err != nil {
		s.stop()
		return nil, err
	}
	if err := s.start(ctx, lasting, s.sched); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}
