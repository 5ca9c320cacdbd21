package run

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
)

// How long an API server may be out of reach before a pass stops, how long the watches may take to come back then
// (client-go's reflectors pause for up to a minute), and how often is asked.
const (
	outageLimit  = time.Minute
	watchesLimit = 90 * time.Second
	outagePoll   = 250 * time.Millisecond
)

// sitOut waits until the API server answers and is watched again; nothing is decided meanwhile. The pass stops when the
// server does not come back.
func (p *pass) sitOut(ctx context.Context) {
	p.mu.Unlock()
	err := p.session.waitForServer(ctx)
	if err == nil {
		err = p.session.waitForWatches(ctx)
	}
	p.mu.Lock()
	p.outage = false
	if err != nil && ctx.Err() == nil {
		p.err = err
	}
}

// waitForServer returns when the API server says that it is ready. One that does not tell (the path may be forbidden)
// counts as ready after some time.
func (s *Session) waitForServer(ctx context.Context) error {
	var last error
	refused := 0
	err := wait.PollUntilContextTimeout(ctx, outagePoll, outageLimit, true, func(ctx context.Context) (bool, error) {
		_, last = s.client.Discovery().RESTClient().Get().AbsPath("/readyz").MaxRetries(0).DoRaw(ctx)
		if apierrors.IsForbidden(last) || apierrors.IsUnauthorized(last) {
			refused++
		}
		return last == nil || refused > 20, nil
	})
	if err != nil {
		return fmt.Errorf("the API server has not answered for %s: %w", outageLimit, last)
	}
	return nil
}

// waitForWatches returns when Nodes and Pods are watched: until then nobody tells what others do.
func (s *Session) waitForWatches(ctx context.Context) error {
	err := wait.PollUntilContextTimeout(ctx, outagePoll, watchesLimit, true, func(context.Context) (bool, error) {
		return s.watches.open("/api/v1/nodes") && s.watches.open("/api/v1/pods"), nil
	})
	if err != nil {
		return fmt.Errorf("the watches of Nodes and Pods have not come back for %s", watchesLimit)
	}
	return nil
}
