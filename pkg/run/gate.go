package run

import (
	"errors"
	"net/http"
	"sync/atomic"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
)

// errLost refuses a write that comes too late.
var errLost = errors.New("the Lease is lost: nothing is written any more")

// writeGate lets writes through until the Lease is lost or released. Upstream evicts Pods in the background, with a
// context of its own, and takes back nominations when all else has ended: these are another's business then.
type writeGate struct {
	// lost is closed when the Lease is lost; nil before a Loop runs.
	lost atomic.Pointer[<-chan struct{}]
}

// pass returns an error when a write comes too late.
func (g *writeGate) pass() error {
	lost := g.lost.Load()
	if lost == nil {
		return nil
	}
	select {
	case <-*lost:
		return errLost
	default:
		return nil
	}
}

// guard wraps a transport so that its writes go through the gate.
func (g *writeGate) guard(next http.RoundTripper) http.RoundTripper {
	return bind.GuardWrites(next, g.pass)
}
