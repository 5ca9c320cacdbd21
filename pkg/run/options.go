package run

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
)

// Options are the inputs of a Session beside the cluster.
type Options struct {
	// Config is the scheduler configuration; nil for kube-scheduler's defaults.
	Config *upstream.Config
	// Plugins are scheduling plugins linked in beside kube-scheduler's own. The configuration enables them.
	Plugins upstream.Registry
	// Profile, when set, schedules every Pod, whatever its schedulerName says.
	Profile string
	// Node, when set, is the only node that is looked at. Force then skips every filter but those of volumes and
	// devices, whose claims are bound for the node.
	Node  string
	Force bool
	// Nodes are the only nodes that are looked at for single Pods, by UID.
	Nodes map[types.UID]string
	// Sample looks, above 100 nodes, at as many as the configuration says, as kube-scheduler does: it finds a node
	// sooner, though not always the best. Without it every node is looked at.
	Sample bool
	// Max is how many Pods are bound at most; 0 sets no limit.
	Max int
	// VolumeTimeout is how long a Pod's volumes may take to be provisioned and bound; 0 leaves it to the configuration.
	VolumeTimeout time.Duration
	// Binder carries out what is decided; nil carries out nothing.
	Binder Binder
	// Events gets upstream's events; nil drops them.
	Events events.EventRecorderLogger
	// Progress, when set, is called with the number of Pods that are done, by one goroutine at a time.
	Progress func(done, total int)
}

// Binder binds Pods to nodes.
type Binder interface {
	// Bind returns the number of requests that it sent. check tells whether the Target still is what to do.
	Bind(ctx context.Context, target bind.Target, check bind.Check) (tries int, err error)
}
