package controlplane

import (
	"context"
	"fmt"
	"net"
	"path/filepath"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// Options say where the programs are and where their data goes.
type Options struct {
	// Binaries is the folder with etcd, kube-apiserver and kube-scheduler.
	Binaries string
	// Dir is an existing folder for data, certificates, the kubeconfig and the logs.
	Dir string
}

// ControlPlane is an etcd and a kube-apiserver that run. A kube-scheduler is started on demand.
type ControlPlane struct {
	// Config is an administrator's, without a rate limit.
	Config *rest.Config
	// Client is a client of Config.
	Client kubernetes.Interface
	// Kubeconfig is the path of a kubeconfig with the same credentials.
	Kubeconfig string

	options   Options
	etcd      *etcd
	apiServer *apiServer
	standIns  *standIns
}

// Start starts etcd, kube-apiserver and the stand-ins, and returns when the API server is ready. After an error nothing
// is left running.
func Start(ctx context.Context, options Options) (*ControlPlane, error) {
	c := &ControlPlane{options: options}
	if err := c.start(ctx); err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

func (c *ControlPlane) start(ctx context.Context) error {
	ports, err := freePorts(3)
	if err != nil {
		return err
	}
	etcdClient, etcdPeer, secure := ports[0], ports[1], ports[2]
	c.etcd = &etcd{flags: etcdFlags(c.options.Dir, etcdClient, etcdPeer)}
	if err := c.startEtcd(); err != nil {
		return err
	}
	access, err := newAccess(c.options.Dir, secure)
	if err != nil {
		return err
	}
	c.Config, c.Kubeconfig = access.config, access.kubeconfig
	if c.Client, err = kubernetes.NewForConfig(c.Config); err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	c.apiServer = &apiServer{flags: apiServerFlags(c.options.Dir, access, etcdClient)}
	if err := c.startAPIServer(ctx); err != nil {
		return err
	}
	c.standIns = startStandIns(ctx, c.Client)
	return nil
}

// Stop ends everything that was started; it may be called more than once.
func (c *ControlPlane) Stop() {
	if c.standIns != nil {
		c.standIns.stop()
	}
	if c.apiServer != nil {
		c.apiServer.kill()
	}
	if c.etcd != nil {
		c.etcd.kill()
	}
}

// StartScheduler starts a kube-scheduler with the default configuration and the flags that are added. It takes up Pods
// as soon as it has read the whole cluster, so that whatever exists by now is known to it from its first decision on.
func (c *ControlPlane) StartScheduler(flags ...string) (*Process, error) {
	return c.run("kube-scheduler", append([]string{
		"--kubeconfig=" + c.Kubeconfig,
		"--leader-elect=false",
		"--secure-port=0",
		"--v=2",
	}, flags...)...)
}

func (c *ControlPlane) run(name string, args ...string) (*Process, error) {
	return startProcess(c.options.Dir, filepath.Join(c.options.Binaries, name), args...)
}

// freePorts returns n ports that nobody listens on.
func freePorts(n int) ([]int, error) {
	if n == 0 {
		return nil, nil
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("looking for a free port: %w", err)
	}
	defer listener.Close() // only when the others are found, so that none is found twice
	others, err := freePorts(n - 1)
	return append(others, listener.Addr().(*net.TCPAddr).Port), err
}
