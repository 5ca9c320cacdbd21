//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	retrywatch "k8s.io/client-go/tools/watch"
)

// ledger keeps account of the CPU that the Pods of each node request, change by change, in the order in which the API
// server stored them: a node that has too much for a moment only is in it too.
type ledger struct {
	mu sync.Mutex
	// room is how many thousandths of a CPU a node has, and used how many its Pods request.
	room, used map[string]int64
	// worst is how far the nodes that ever were overcommitted were so at most: 1.5 is half as much again as they have.
	worst map[string]float64
	// pods are those that exist, by UID, and bound are all that ever had a node.
	pods  map[types.UID]*corev1.Pod
	bound map[types.UID]boundPod
	twice []string
}

// boundPod is a Pod that had a node.
type boundPod struct{ name, scheduler, node string }

// openLedger keeps account until the test ends. The API server must not be started again before.
func openLedger(ctx context.Context, t *testing.T) *ledger {
	t.Helper()
	list, err := env.Client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	l := &ledger{
		room: map[string]int64{}, used: map[string]int64{}, worst: map[string]float64{},
		pods: map[types.UID]*corev1.Pod{}, bound: map[types.UID]boundPod{},
	}
	for i := range list.Items {
		l.enter(&list.Items[i])
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	changes, err := retrywatch.NewRetryWatcherWithContext(ctx, list.ResourceVersion, podWatcher{})
	if err != nil {
		stop()
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.follow(ctx, t, changes.ResultChan())
	}()
	t.Cleanup(func() {
		stop()
		<-done
	})
	return l
}

// podWatcher begins watches of all Pods.
type podWatcher struct{}

func (podWatcher) WatchWithContext(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	return env.Client.CoreV1().Pods("").Watch(ctx, options)
}

// follow enters what happens.
func (l *ledger) follow(ctx context.Context, t *testing.T, changes <-chan watch.Event) {
	for change := range changes {
		pod, ok := change.Object.(*corev1.Pod)
		switch {
		case ok && change.Type == watch.Deleted:
			l.strike(pod)
		case ok:
			l.enter(pod)
		case ctx.Err() == nil:
			t.Errorf("the watch of Pods ended: %v", change.Object)
		}
	}
}

// catchUp waits until all is entered that has happened to the Pods that exist.
func (l *ledger) catchUp(ctx context.Context, t *testing.T) {
	t.Helper()
	list, err := env.Client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	err = wait.PollUntilContextTimeout(ctx, pollInterval, decisionTimeout, true, func(context.Context) (bool, error) {
		l.mu.Lock()
		defer l.mu.Unlock()
		return !slices.ContainsFunc(list.Items, func(pod corev1.Pod) bool {
			entered := l.pods[pod.UID]
			return entered == nil || entered.Spec.NodeName != pod.Spec.NodeName
		}), nil
	})
	if err != nil {
		t.Fatalf("waiting for the watch of Pods to catch up: %v", err)
	}
}

// grow sets the room of a node, which is said before the API server is told.
func (l *ledger) grow(node *corev1.Node) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.room[node.Name] = max(l.room[node.Name], node.Status.Allocatable.Cpu().MilliValue())
}

// enter takes down a Pod as it is now.
func (l *ledger) enter(pod *corev1.Pod) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := l.pods[pod.UID]
	l.pods[pod.UID] = pod
	node := pod.Spec.NodeName
	switch {
	case before != nil && before.Spec.NodeName != "":
		if before.Spec.NodeName != node {
			l.twice = append(l.twice, fmt.Sprintf("Pod %s was on %q, then on %q", pod.Name, before.Spec.NodeName, node))
		}
		return
	case node == "":
		return
	}
	l.bound[pod.UID] = boundPod{name: pod.Name, scheduler: pod.Spec.SchedulerName, node: node}
	l.used[node] += cpuOf(pod)
	if used, room := l.used[node], l.room[node]; used > room {
		l.worst[node] = max(l.worst[node], float64(used)/float64(room))
	}
}

// cpuOf is how many thousandths of a CPU a Pod takes.
func cpuOf(pod *corev1.Pod) int64 {
	list := takes(pod)
	return list.Cpu().MilliValue()
}

// strike takes down that a Pod is gone.
func (l *ledger) strike(pod *corev1.Pod) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.pods, pod.UID)
	if node := pod.Spec.NodeName; node != "" {
		l.used[node] -= cpuOf(pod)
	}
}

// overcommitted returns how far the nodes that ever were overcommitted were so at most.
func (l *ledger) overcommitted() map[string]float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return maps.Clone(l.worst)
}

// complaints tells of Pods that were bound twice.
func (l *ledger) complaints() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.twice)
}

// boundBy returns the nodes of all Pods of a scheduler that ever had one, by their names, which are used once.
func (l *ledger) boundBy(scheduler string) map[string]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	nodes := map[string]string{}
	for pod := range maps.Values(l.bound) {
		if pod.scheduler == scheduler {
			nodes[pod.name] = pod.node
		}
	}
	return nodes
}
