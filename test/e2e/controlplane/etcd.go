package controlplane

import "context"

// etcd is the etcd, which may be another process after a restart.
type etcd struct {
	flags   []string
	process *Process // nil before the first start
}

func (e *etcd) kill() {
	if e.process != nil {
		e.process.Kill()
	}
}

// KillEtcd ends etcd at once, as a crash would: the kube-apiserver lives on and can neither read nor write.
func (c *ControlPlane) KillEtcd() {
	c.etcd.kill()
}

// RestartEtcd kills etcd, starts it again over the same data and ports, and returns when the kube-apiserver is ready.
func (c *ControlPlane) RestartEtcd(ctx context.Context) error {
	c.KillEtcd()
	if err := c.startEtcd(); err != nil {
		return err
	}
	return c.waitReady(ctx)
}

func (c *ControlPlane) startEtcd() (err error) {
	c.etcd.process, err = c.run("etcd", c.etcd.flags...)
	return err
}
