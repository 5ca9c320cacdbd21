package faults

import (
	"context"
	"net/http"
	"strconv"
	"sync"
)

// IsWatch tells a request that lasts, and is answered with what changes.
func IsWatch(r *http.Request) bool {
	watch, _ := strconv.ParseBool(r.URL.Query().Get("watch"))
	return r.Method == http.MethodGet && watch
}

// Any tells every request.
func Any(*http.Request) bool { return true }

// Cut breaks all connections. Clients may connect again at once.
func (p *Proxy) Cut() { p.server.CloseClientConnections() }

// CutWatches breaks the watches that are under way, and no other request.
func (p *Proxy) CutWatches() { p.cuts.cutWatches() }

// Block breaks the connections of the requests that it is told of, from now on; nil ends that. The API server does not
// get them.
func (p *Proxy) Block(hits func(*http.Request) bool) {
	p.cuts.mu.Lock()
	defer p.cuts.mu.Unlock()
	p.cuts.blocked = hits
}

// cuts are what goes wrong with requests whenever somebody says so. The zero value is nothing.
type cuts struct {
	mu      sync.Mutex
	blocked func(*http.Request) bool
	watches map[*http.Request]context.CancelFunc
}

// admit returns the request as it is to be served until done is called; it is nil when the request is blocked.
func (c *cuts) admit(r *http.Request) (admitted *http.Request, done func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.blocked != nil && c.blocked(r):
		return nil, nil
	case !IsWatch(r):
		return r, func() {}
	}
	if c.watches == nil {
		c.watches = map[*http.Request]context.CancelFunc{}
	}
	ctx, cut := context.WithCancel(r.Context())
	c.watches[r] = cut
	return r.WithContext(ctx), func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		cut()
		delete(c.watches, r)
	}
}

func (c *cuts) cutWatches() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cut := range c.watches {
		cut()
	}
}
