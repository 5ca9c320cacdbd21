package cmd

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// wire returns the way to the API server as kube-scheduler uses it, with the limits of its requests.
func (r *runner) wire() *rest.Config {
	config := rest.CopyConfig(r.config)
	config.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	config.ContentType = runtime.ContentTypeProtobuf
	config.DisableCompression = true
	return config
}

// client returns a client with limits of its own, which are the scheduler's.
func (r *runner) client() (kubernetes.Interface, error) { return newClient(r.refused.watch(r.wire())) }

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
