package cmd

import (
	"fmt"
	"net/http"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
)

// wire returns the way to the API server as kube-scheduler uses it, with the limits of its requests.
func (r *runner) wire() *rest.Config {
	config := rest.CopyConfig(r.config)
	config.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	config.ContentType = runtime.ContentTypeProtobuf
	config.DisableCompression = true
	return config
}

// client returns a client for events, with limits of its own, which are the scheduler's. It is not guarded: what was
// done is told even when the Lease is lost by then.
func (r *runner) client() (kubernetes.Interface, error) { return newClient(r.refused.watch(r.wire())) }

// guard returns the configuration of clients that write only while the Lease is held, if there is one.
func (r *runner) guard(config *rest.Config) *rest.Config {
	return guarded(config, func() error {
		if held := r.held.Load(); held != nil {
			return held.Valid()
		}
		return nil
	})
}

// guarded returns the configuration of clients that write only what is allowed.
func guarded(config *rest.Config, allowed func() error) *rest.Config {
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return bind.GuardWrites(next, allowed) })
	return config
}

// clientBeside returns a client for what does not schedule: the Lease, and the reviews of who reads the endpoints. Its
// limits are those of kube-scheduler's reviews.
func (r *runner) clientBeside() (kubernetes.Interface, error) {
	config := r.wire()
	config.QPS, config.Burst = 200, 400
	return newClient(config)
}

func newClient(config *rest.Config) (kubernetes.Interface, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("connecting to the API server: %w", err)
	}
	return client, nil
}
