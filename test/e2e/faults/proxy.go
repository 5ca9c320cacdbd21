package faults

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
)

// Options say what a Proxy does.
type Options struct {
	// Target is the API server, with the client that the answers are asked as.
	Target *rest.Config
	// Hits tells the requests that cards are dealt for; the others pass.
	Hits func(*http.Request) bool
	Deck *Deck
	// Delay is how long a late request waits.
	Delay time.Duration
	// HTTP1 keeps clients from HTTP/2, so that a broken connection is one of TCP rather than one stream.
	HTTP1 bool
}

// IsBinding tells a POST of a Pod's Binding.
func IsBinding(r *http.Request) bool {
	return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/binding")
}

// Proxy is a server in front of an API server.
type Proxy struct {
	// Config is a client's that goes through the Proxy.
	Config *rest.Config

	options Options
	cuts    cuts
	forward *httputil.ReverseProxy
	server  *httptest.Server
}

// Start starts a Proxy that listens until Close.
func Start(options Options) (*Proxy, error) {
	target, err := url.Parse(options.Target.Host)
	if err != nil {
		return nil, fmt.Errorf("starting a proxy: %w", err)
	}
	transport, err := rest.TransportFor(options.Target)
	if err != nil {
		return nil, fmt.Errorf("starting a proxy: %w", err)
	}
	silent := log.New(io.Discard, "", 0) // connections that break are what it is for
	p := &Proxy{options: options, forward: &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:     transport,
		FlushInterval: -1, // watches
		ErrorLog:      silent,
	}}
	p.server = httptest.NewUnstartedServer(p)
	p.server.Config.ErrorLog = silent
	p.server.EnableHTTP2 = !options.HTTP1
	p.server.StartTLS()
	p.Config = &rest.Config{
		Host:            p.server.URL,
		BearerToken:     options.Target.BearerToken,
		TLSClientConfig: rest.TLSClientConfig{Insecure: true}, // the server makes its own certificate
	}
	return p, nil
}

// Close breaks all connections.
func (p *Proxy) Close() {
	p.server.CloseClientConnections()
	p.server.Close()
}

// ServeHTTP implements http.Handler.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r, done := p.cuts.admit(r)
	if r == nil {
		breakConnection()
	}
	defer done()
	fault := None
	if p.options.Hits(r) {
		fault = p.options.Deck.deal()
	}
	switch fault {
	case Lost:
		breakConnection()
	case AnswerLost:
		p.forwardOnly(r)
		breakConnection()
	case NeverAnswered:
		p.forwardOnly(r)
		<-r.Context().Done()
	case Late:
		select {
		case <-clock.RealClock{}.After(p.options.Delay):
			p.forward.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	case ServerErrorAfter:
		p.forwardOnly(r)
		refuse(w, ServerError)
	case Conflict, TooManyRequests, ServerError:
		refuse(w, fault)
	default:
		p.forward.ServeHTTP(w, r)
	}
	if r.Context().Err() != nil { // the API server may have ended its answer in time to make the cut one look whole
		breakConnection()
	}
}

// forwardOnly lets the API server do what was asked and keeps its answer back.
func (p *Proxy) forwardOnly(r *http.Request) {
	p.forward.ServeHTTP(httptest.NewRecorder(), r)
}

// breakConnection ends the connection without an answer, or the stream of an HTTP/2 connection.
func breakConnection() {
	panic(http.ErrAbortHandler)
}
