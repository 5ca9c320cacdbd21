package serve

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

// Options say where the endpoints are and what they answer.
type Options struct {
	// Address is host:port, as ParseAddress returns it.
	Address string
	// CertFile and KeyFile are PEM files, read again when they change. Without them a certificate is made that nobody
	// has signed. A loopback address needs none.
	CertFile, KeyFile string
	// Client asks who may read the endpoints; only a loopback address needs none. Its rate limit should be its own:
	// strangers use it up.
	Client kubernetes.Interface
	// Health is asked by /healthz and /livez, Ready by /readyz; nil stands for one that is always well.
	Health, Ready []Check
	// Metrics answers /metrics; nil stands for no such path.
	Metrics http.Handler
	// Grace is how long requests under way may take to end when Serve is to end; 0 stands for 5 s.
	Grace time.Duration
	// Clock tells how old answers of the API server are; nil stands for the real one.
	Clock clock.Clock
}

// Check is one thing that must be well.
type Check struct {
	// Name is one segment of a path: /readyz/NAME.
	Name string
	// Check says what is wrong. It is called by several goroutines at a time, and must end with the request's context.
	Check func(*http.Request) error
}

// Server listens, and serves the endpoints once Serve is called.
type Server struct {
	listener    net.Listener
	http        *http.Server
	grace       time.Duration
	connections sync.WaitGroup
	// handlers is held by requests for reading, and by Serve when it returns.
	handlers sync.RWMutex
}

// Listen listens on the address, so that one that is taken is an error at once. The context bounds no more than that;
// its logger gets what goes wrong while Serve runs.
func Listen(ctx context.Context, options Options) (*Server, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", options.Address)
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w", options.Address, withoutAddress(err))
	}
	server, err := newServer(ctx, listener, options)
	if err != nil {
		listener.Close()
		return nil, err
	}
	return server, nil
}

// withoutAddress returns what was wrong with an address, without the address.
func withoutAddress(err error) error {
	if failed := (*net.OpError)(nil); errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

func newServer(ctx context.Context, listener net.Listener, options Options) (*Server, error) {
	ip := listener.Addr().(*net.TCPAddr).IP
	s := &Server{listener: listener, grace: cmp.Or(options.Grace, 5*time.Second)}
	s.http = &http.Server{
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      time.Minute,
		IdleTimeout:       90 * time.Second,
		MaxHeaderBytes:    64 << 10,
		ConnState:         s.track,
		// Of handshakes and requests that make no sense, which anybody can send.
		ErrorLog: slog.NewLogLogger(logr.ToSlogHandler(klog.FromContext(ctx).V(2)), slog.LevelInfo),
	}
	if ip.IsLoopback() { // what the host's name stands for does not matter, only who can connect
		s.http.Handler = s.joined(withHeaders(localOnly(newMux(options, open))))
		return s, nil
	}
	if options.Client == nil {
		return nil, fmt.Errorf("serving on %s: there is no API server to ask who may read the endpoints", listener.Addr())
	}
	certificate, err := newCertificate(ctx, ip, options)
	if err != nil {
		return nil, fmt.Errorf("serving on %s: %w", listener.Addr(), err)
	}
	s.http.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: certificate}
	s.http.Handler = s.joined(withHeaders(newMux(options, newAccess(options).protect)))
	return s, nil
}

// Addr is the address that is listened on, with the port that was chosen when it was to be any.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Serve answers requests until the context ends. It lets those under way end, cuts them off when that takes longer than
// Options.Grace, and leaves no goroutine behind.
func (s *Server) Serve(ctx context.Context) error {
	defer s.join()
	requests := context.WithoutCancel(ctx) // each ends with its connection
	s.http.BaseContext = func(net.Listener) context.Context { return requests }
	served := make(chan error, 1)
	go func() { served <- s.serve() }()
	var err error
	select {
	case err = <-served:
		_ = s.http.Close() // there is nothing left to do about an error
	case <-ctx.Done():
		s.end(requests)
		err = <-served
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serving on %s: %w", s.Addr(), err)
}

func (s *Server) serve() error {
	if s.http.TLSConfig != nil {
		return s.http.ServeTLS(s.listener, "", "")
	}
	return s.http.Serve(s.listener)
}

// end lets requests under way end, and closes all connections.
func (s *Server) end(ctx context.Context) {
	ctx, stop := context.WithTimeout(ctx, s.grace)
	defer stop()
	if s.http.Shutdown(ctx) != nil {
		_ = s.http.Close()
	}
}

// join waits for the goroutines of closed connections and of their requests.
func (s *Server) join() {
	s.connections.Wait()
	s.handlers.Lock() // for good
}

// track counts connections, each of which has a goroutine of its own. A new one is told of before serve returns.
func (s *Server) track(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.connections.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.connections.Done()
	}
}

// joined lets Serve wait for requests: those of HTTP/2 have goroutines that outlive their connection.
func (s *Server) joined(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.handlers.TryRLock() {
			return // cut off before it began
		}
		defer s.handlers.RUnlock()
		next.ServeHTTP(w, r)
	})
}
