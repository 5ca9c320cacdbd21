package cmd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/kubectl-sched/kubectl-sched/pkg/serve"
)

// leaseGrace is how long a Lease may be over before the holder counts as unhealthy, as in kube-scheduler.
const leaseGrace = 20 * time.Second

// endpointFlags say where the endpoints of a running scheduler are.
type endpointFlags struct {
	address string
	cert    string
	key     string
}

// endpointOptions are those of the endpoints.
type endpointOptions struct {
	serve.Options
	// asked tells that the address was given on the command line.
	asked bool
}

func (f *endpointFlags) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&f.address, "bind-address", "127.0.0.1:10261",
		"with --watch: IP or IP:PORT of /healthz, /livez, /readyz and /metrics, or empty for none; plain HTTP on loopback, "+
			"otherwise HTTPS for those whom the API server lets read them")
	flags.StringVar(&f.cert, "tls-cert-file", "",
		"certificate of the endpoints when they are not on loopback; one signed by itself when not given")
	flags.StringVar(&f.key, "tls-private-key-file", "", "private key of --tls-cert-file")
}

// toOptions returns nil when there are to be no endpoints.
func (f *endpointFlags) toOptions(flags *pflag.FlagSet, watch bool) (*endpointOptions, error) {
	if (f.cert == "") != (f.key == "") {
		return nil, errors.New("--tls-cert-file and --tls-private-key-file: give both or none")
	}
	asked := flags.Changed("bind-address")
	if asked && !watch {
		return nil, errors.New("--bind-address is for --watch: a single pass is over before anybody asks")
	}
	if f.address == "" || !watch {
		return nil, nil
	}
	address, err := serve.ParseAddress(f.address)
	if err != nil {
		return nil, fmt.Errorf("--bind-address %q: %w", f.address, err)
	}
	if host, _, err := net.SplitHostPort(address); err == nil && f.cert != "" && net.ParseIP(host).IsLoopback() {
		return nil, fmt.Errorf("--tls-cert-file: on loopback (%s) the endpoints are plain HTTP; give --bind-address "+
			"another address, or leave the certificate out", host)
	}
	return &endpointOptions{
		Options: serve.Options{Address: address, CertFile: f.cert, KeyFile: f.key}, asked: asked,
	}, nil
}

// serve starts the endpoints and returns what ends them. An address that was not asked for and is taken is done
// without.
func (r *runner) serve(ctx context.Context) (stop func(), err error) {
	if r.endpoints == nil {
		return func() {}, nil
	}
	options := r.endpoints.Options
	if options.Client, err = r.clientBeside(); err != nil {
		return nil, err
	}
	options.Metrics = r.metrics.Handler()
	options.Health = []serve.Check{{Name: "leaderElection", Check: func(*http.Request) error { return r.leaseHealth() }}}
	options.Ready = slices.Concat(options.Health, []serve.Check{
		{Name: "sched-handler-sync", Check: func(*http.Request) error { return r.synced() }},
		{Name: "shutdown", Check: func(*http.Request) error { return ctx.Err() }},
	})
	server, err := serve.Listen(ctx, options)
	if err != nil && r.endpoints.asked {
		return nil, fmt.Errorf("--bind-address: %w", err)
	}
	if err != nil {
		newWarner(r.env.ErrOut).tell(fmt.Sprintf("no health checks and metrics: %v; choose another --bind-address", err))
		return func() {}, nil
	}
	serving, end := context.WithCancel(context.WithoutCancel(ctx)) // until bindings in flight are finished
	done := make(chan error, 1)
	go func() { done <- server.Serve(serving) }()
	return func() {
		end()
		if err := <-done; err != nil {
			newWarner(r.env.ErrOut).tell(fmt.Sprintf("the endpoints of --bind-address: %v", err))
		}
	}, nil
}

// leaseHealth tells of a Lease that should have been renewed long ago.
func (r *runner) leaseHealth() error {
	if held := r.held.Load(); held != nil {
		return held.Healthy(leaseGrace)
	}
	return nil
}

// synced tells whether all of the cluster has been read.
func (r *runner) synced() error {
	if r.loop.Load() == nil {
		return errors.New("the cluster has not been read yet")
	}
	return nil
}
