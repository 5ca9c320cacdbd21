//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
)

// The pools of the churn: one of each scheduler's own, and one that both share.
const (
	ownPool, defaultPool, sharedPool = "own", "default", "shared"

	nodesPerPool = 8
	podInterval  = 120 * time.Millisecond // of each scheduler
	nodeInterval = 300 * time.Millisecond
)

// poolOf is the pool of a scheduler's own.
var poolOf = map[string]string{ownScheduler: ownPool, corev1.DefaultSchedulerName: defaultPool}

// churn is what goes on in the cluster.
type churn struct {
	t      *testing.T
	ledger *ledger
	nodes  []*churnNode
	wait   sync.WaitGroup
}

// begin lets Pods and nodes come and go until the context ends; the wait group is done when all have stopped.
func (c *churn) begin(ctx context.Context, seed uint64) {
	random := func(stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }
	c.wait.Go(func() { c.churnNodes(ctx, random(1)) })
	c.wait.Go(func() { c.churnPods(ctx, ownScheduler, random(2)) })
	c.wait.Go(func() { c.churnPods(ctx, corev1.DefaultSchedulerName, random(3)) })
}

// every calls do at intervals until the context ends, with the number of the call.
func every(ctx context.Context, interval time.Duration, do func(i int)) {
	ticker := clock.RealClock{}.NewTicker(interval)
	defer ticker.Stop()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C():
			do(i)
		}
	}
}

// check tells the test of an error, unless the churn is over or somebody else was faster to remove the object.
func (c *churn) check(ctx context.Context, doing string, err error) {
	if err != nil && ctx.Err() == nil && !apierrors.IsNotFound(err) {
		c.t.Errorf("%s: %v", doing, err)
	}
}

// churnPods creates Pods of a scheduler, which go some time later.
func (c *churn) churnPods(ctx context.Context, scheduler string, random *rand.Rand) {
	every(ctx, podInterval, func(i int) {
		pod := pod(fmt.Sprintf("%s-%05d", scheduler, i), append(kindOfPod(scheduler, random), schedulerName(scheduler))...)
		life, grace := lifeOfPod(random)
		c.wait.Go(func() {
			pods := env.Client.CoreV1().Pods(namespace)
			_, err := pods.Create(ctx, pod, metav1.CreateOptions{})
			c.check(ctx, "creating Pod "+pod.Name, err)
			select {
			case <-ctx.Done():
				return
			case <-clock.RealClock{}.After(life):
			}
			c.check(ctx, "deleting Pod "+pod.Name, pods.Delete(ctx, pod.Name, *metav1.NewDeleteOptions(grace)))
		})
	})
}

// kindOfPod says what a Pod needs: most need a little room, some wait for a label of a node, or for much room.
func kindOfPod(scheduler string, random *rand.Rand) []podEdit {
	pool := poolOf[scheduler]
	switch dice := random.IntN(100); {
	case dice < 40:
		return []podEdit{nodeSelector("pool", pool), requests("cpu", "500m")}
	case dice < 80:
		return []podEdit{nodeSelector("pool", sharedPool), requests("cpu", "500m")}
	case dice < 96:
		return []podEdit{nodeSelector("pool", pool, "disk", "ssd"), requests("cpu", "250m")}
	default:
		return []podEdit{nodeSelector("pool", pool), podLabels("big", "true"), requests("cpu", "3")}
	}
}

// lifeOfPod says how long a Pod lives, and how many seconds it may take to end. Some are gone while they are bound.
func lifeOfPod(random *rand.Rand) (life time.Duration, grace int64) {
	grace = 30 * random.Int64N(2)
	if random.IntN(8) == 0 {
		return time.Duration(random.Int64N(int64(30 * time.Millisecond))), grace
	}
	return 5*time.Second + time.Duration(random.Int64N(int64(20*time.Second))), grace
}

// churnNode is a node and what was done to it.
type churnNode struct {
	*corev1.Node
	pool             string
	cpus             int
	cordoned, ssd    bool
	tainted, removed bool
}

// newPool makes the nodes of a pool.
func newPool(pool string) []*churnNode {
	return several(nodesPerPool, func(i int) *churnNode {
		name := fmt.Sprintf("%s-%d", pool, i)
		return &churnNode{Node: node(name, nodeLabels("pool", pool), allocatable("cpu", "6")), pool: pool, cpus: 6}
	})
}

// mostDisturbed is how many nodes at a time take no Pods because of the churn. With more of them most Pods wait, and
// are tried again so often that events pile up in both schedulers.
const mostDisturbed = 6

// churnNodes changes one node after the other.
func (c *churn) churnNodes(ctx context.Context, random *rand.Rand) {
	changing := context.WithoutCancel(ctx) // what was begun is finished
	var disturbed []*churnNode
	every(ctx, nodeInterval, func(int) {
		if len(disturbed) == mostDisturbed {
			c.restore(changing, disturbed[0])
			disturbed = disturbed[1:]
			return
		}
		n := c.nodes[random.IntN(len(c.nodes))]
		if slices.Contains(disturbed, n) {
			return
		}
		c.change(changing, n, random)
		if n.removed || n.cordoned || n.tainted {
			disturbed = append(disturbed, n)
		}
	})
}

// change does something to a node.
func (c *churn) change(ctx context.Context, n *churnNode, random *rand.Rand) {
	switch random.IntN(5) {
	case 0:
		n.cordoned = true
		c.patch(ctx, n, "", map[string]any{"spec": map[string]any{"unschedulable": true}})
	case 1:
		n.tainted = true
		taints := []corev1.Taint{{Key: "churn", Effect: corev1.TaintEffectNoSchedule}}
		c.patch(ctx, n, "", map[string]any{"spec": map[string]any{"taints": taints}})
	case 2:
		c.removeNode(ctx, n)
	case 3:
		n.ssd = !n.ssd
		c.patch(ctx, n, "", map[string]any{"metadata": map[string]any{"labels": n.labels()}})
	default:
		n.cpus = n.nextCPUs(random)
		c.resize(ctx, n)
	}
}

// restore makes a node take Pods again.
func (c *churn) restore(ctx context.Context, n *churnNode) {
	if n.removed {
		c.addNode(ctx, n)
	}
	n.cordoned, n.tainted = false, false
	c.patch(ctx, n, "", map[string]any{"spec": map[string]any{"unschedulable": false, "taints": nil}})
}

// nextCPUs says how many CPUs a node has from now on. In a pool of one scheduler they never get less: whatever is too
// much then is that scheduler's fault.
func (n *churnNode) nextCPUs(random *rand.Rand) int {
	if n.pool == sharedPool {
		return 4 + random.IntN(5)
	}
	return min(n.cpus+1, 8)
}

func (n *churnNode) labels() map[string]any {
	if !n.ssd {
		return map[string]any{"disk": nil}
	}
	return map[string]any{"disk": "ssd"}
}

func (c *churn) patch(ctx context.Context, n *churnNode, subresource string, change map[string]any) {
	body, err := json.Marshal(change)
	if err != nil {
		panic(err) // unreachable: maps of strings
	}
	var subresources []string
	if subresource != "" {
		subresources = append(subresources, subresource)
	}
	_, err = env.Client.CoreV1().Nodes().Patch(ctx, n.Name, types.MergePatchType, body, metav1.PatchOptions{},
		subresources...)
	c.check(ctx, "changing node "+n.Name, err)
}

func (c *churn) resize(ctx context.Context, n *churnNode) {
	room := quantities("cpu", fmt.Sprint(n.cpus))
	n.Status.Allocatable["cpu"] = room["cpu"]
	c.ledger.grow(n.Node)
	c.patch(ctx, n, "status", map[string]any{"status": map[string]any{"allocatable": room, "capacity": room}})
}

// removeNode removes a node, and its Pods as the garbage collector does.
func (c *churn) removeNode(ctx context.Context, n *churnNode) {
	n.removed = true
	now := *metav1.NewDeleteOptions(0)
	c.check(ctx, "removing node "+n.Name, env.Client.CoreV1().Nodes().Delete(ctx, n.Name, now))
	its := metav1.ListOptions{FieldSelector: "spec.nodeName=" + n.Name}
	c.check(ctx, "removing the Pods of node "+n.Name, env.Client.CoreV1().Pods(namespace).DeleteCollection(ctx, now, its))
}

// addNode creates a node, as new as on the first day but for its room.
func (c *churn) addNode(ctx context.Context, n *churnNode) {
	n.removed, n.cordoned, n.tainted, n.ssd = false, false, false, false
	c.ledger.grow(n.Node)
	_, err := env.Client.CoreV1().Nodes().Create(ctx, n.Node, metav1.CreateOptions{})
	c.check(ctx, "adding node "+n.Name, err)
}
