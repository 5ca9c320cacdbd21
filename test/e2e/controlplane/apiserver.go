package controlplane

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	startTimeout = 2 * time.Minute
	pollInterval = 50 * time.Millisecond
)

// apiServer is the kube-apiserver, which may be another process after a restart.
type apiServer struct {
	flags   []string
	process *Process // nil before the first start
}

func (a *apiServer) kill() {
	if a.process != nil {
		a.process.Kill()
	}
}

// KillAPIServer ends the kube-apiserver at once, as a crash would: what is in flight gets no answer.
func (c *ControlPlane) KillAPIServer() {
	c.apiServer.kill()
}

// RestartAPIServer kills the kube-apiserver, starts it again over the same data, port and credentials, and returns when
// it is ready. The flags are added to the usual ones until the next restart.
func (c *ControlPlane) RestartAPIServer(ctx context.Context, flags ...string) error {
	c.KillAPIServer()
	return c.startAPIServer(ctx, flags...)
}

func (c *ControlPlane) startAPIServer(ctx context.Context, flags ...string) (err error) {
	if c.apiServer.process, err = c.run("kube-apiserver", slices.Concat(c.apiServer.flags, flags)...); err != nil {
		return err
	}
	return c.waitReady(ctx)
}

// waitReady returns when the kube-apiserver says that it is ready, which it is not without etcd.
func (c *ControlPlane) waitReady(ctx context.Context) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, pollInterval, startTimeout, true, func(ctx context.Context) (bool, error) {
		if err := errors.Join(c.etcd.process.Exited(), c.apiServer.process.Exited()); err != nil {
			return false, err
		}
		last = c.Client.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("waiting for kube-apiserver to be ready: %w", errors.Join(err, last))
	}
	return nil
}
