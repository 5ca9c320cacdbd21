package bind

import (
	"context"
	"io"
	"net/http"
	"time"
)

// writeTimeout is how long a write may take, so that none comes after the Lease of a run that was stopped has ended.
const writeTimeout = 10 * time.Second

// FinishWrites wraps a transport so that a write which is on its way is finished even when its context ends: half a
// write, of a volume or a claim, is worse than a late end.
func FinishWrites(transport http.RoundTripper) http.RoundTripper {
	return finishing{transport}
}

type finishing struct{ http.RoundTripper }

func (f finishing) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method == http.MethodGet || request.Method == http.MethodHead {
		return f.RoundTripper.RoundTrip(request)
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(request.Context()), writeTimeout)
	response, err := f.RoundTripper.RoundTrip(request.WithContext(ctx))
	if err != nil {
		stop()
		return nil, err
	}
	response.Body = &closing{response.Body, stop}
	return response, nil
}

// GuardWrites wraps a transport so that a write is sent only if allowed returns no error just before, such as that of a
// Held's Valid.
func GuardWrites(transport http.RoundTripper, allowed func() error) http.RoundTripper {
	return guarding{transport, allowed}
}

type guarding struct {
	http.RoundTripper
	allowed func() error
}

func (g guarding) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method != http.MethodGet && request.Method != http.MethodHead {
		if err := g.allowed(); err != nil {
			if request.Body != nil {
				_ = request.Body.Close() // nothing of it is needed
			}
			return nil, err
		}
	}
	return g.RoundTripper.RoundTrip(request)
}

// closing is a body that ends its request's context when it is closed.
type closing struct {
	io.ReadCloser
	stop context.CancelFunc
}

func (c *closing) Close() error {
	defer c.stop()
	return c.ReadCloser.Close()
}
