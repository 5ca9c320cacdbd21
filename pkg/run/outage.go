package run

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
)

// How long an API server may be out of reach before a pass stops, and how often it is asked.
const (
	outageLimit = time.Minute
	outagePoll  = 250 * time.Millisecond
)

// sitOut waits until the API server answers again; nothing is decided meanwhile. The pass stops when it does not.
func (p *pass) sitOut(ctx context.Context) {
	p.mu.Unlock()
	err := p.session.waitForServer(ctx)
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
