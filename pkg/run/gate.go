package run

import (
	"errors"
	"net/http"
	"sync/atomic"
)

// errLost refuses a write that comes too late.
var errLost = errors.New("the Lease is lost: nothing is written any more")

// writeGate lets writes through until the Lease is lost. Upstream evicts Pods in the background, with a context of
// its own, and takes back nominations when all else has ended: these are another's business then.
type writeGate struct {
	// lost is closed when the Lease is lost; nil before a Loop runs.
	lost atomic.Pointer[<-chan struct{}]
}

func (g *writeGate) closed() bool {
	lost := g.lost.Load()
	if lost == nil {
		return false
	}
	select {
	case <-*lost:
		return true
	default:
		return false
	}
}

// guard wraps a transport so that its writes go through the gate.
func (g *writeGate) guard(next http.RoundTripper) http.RoundTripper { return guarded{next, g} }

type guarded struct {
	http.RoundTripper
	gate *writeGate
}

func (g guarded) RoundTrip(request *http.Request) (*http.Response, error) {
	if g.gate.closed() && request.Method != http.MethodGet && request.Method != http.MethodHead {
		if request.Body != nil {
			_ = request.Body.Close() // nothing of it is needed
		}
		return nil, errLost
	}
	return g.RoundTripper.RoundTrip(request)
}
