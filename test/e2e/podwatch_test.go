//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// podWatch remembers every node that a Pod was seen on while it watches.
type podWatch struct {
	mu   sync.Mutex
	pods map[types.UID]*sighting
	// bound are the Pods that got a node while it watched, in the order of their bindings.
	bound []types.UID
}

// sighting is what was seen of one Pod.
type sighting struct {
	nodes []string // in the order in which it was on them
	at    time.Time
}

// watchPods watches the Pods of all namespaces until the test ends.
func watchPods(ctx context.Context, t *testing.T) *podWatch {
	t.Helper()
	config := rest.CopyConfig(env.Config)
	config.ContentType = runtime.ContentTypeProtobuf // light, for it runs beside what is measured
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	factory := informers.NewSharedInformerFactory(client, 0)
	t.Cleanup(func() {
		cancel()
		factory.Shutdown()
	})
	w := &podWatch{pods: map[types.UID]*sighting{}}
	handlers, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { w.see(object.(*corev1.Pod)) },
		UpdateFunc: func(_, object any) { w.see(object.(*corev1.Pod)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	factory.StartWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), handlers.HasSynced) {
		t.Fatal("the watch of Pods did not start")
	}
	return w
}

func (w *podWatch) see(pod *corev1.Pod) {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen, known := w.pods[pod.UID]
	if !known {
		seen = &sighting{}
		w.pods[pod.UID] = seen
	}
	node := pod.Spec.NodeName
	if len(seen.nodes) > 0 && seen.nodes[len(seen.nodes)-1] == node {
		return
	}
	switch {
	case node == "" && len(seen.nodes) == 0:
		return
	case known && len(seen.nodes) == 0:
		seen.at = time.Now()
		w.bound = append(w.bound, pod.UID)
	}
	seen.nodes = append(seen.nodes, node)
}

// nodesOf returns the nodes that the Pod was seen on, in order; "" stands for having none again.
func (w *podWatch) nodesOf(uid types.UID) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if seen := w.pods[uid]; seen != nil {
		return slices.Clone(seen.nodes)
	}
	return nil
}

// order returns the Pods that got a node while it watched, in the order of their bindings.
func (w *podWatch) order() []types.UID {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.bound)
}

// duration is the time from the first to the last binding.
func (w *podWatch) duration() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.bound) == 0 {
		return 0
	}
	return w.pods[w.bound[len(w.bound)-1]].at.Sub(w.pods[w.bound[0]].at)
}

// boundAt is when the Pod got its node.
func (w *podWatch) boundAt(pod *corev1.Pod) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pods[pod.UID].at
}

// sortByBinding sorts Pods by when they got their nodes.
func (w *podWatch) sortByBinding(pods []*corev1.Pod) []*corev1.Pod {
	order := map[types.UID]int{}
	for i, uid := range w.order() {
		order[uid] = i
	}
	return slices.SortedFunc(slices.Values(pods), func(a, b *corev1.Pod) int { return order[a.UID] - order[b.UID] })
}

// waitBound waits until as many Pods have got a node while it watched.
func (w *podWatch) waitBound(ctx context.Context, t *testing.T, count int) {
	t.Helper()
	w.waitFor(ctx, t, fmt.Sprintf("%d Pods to be bound", count), func() bool { return len(w.order()) >= count })
}

func (w *podWatch) waitFor(ctx context.Context, t *testing.T, what string, done func() bool) {
	t.Helper()
	const often = 5 * time.Millisecond // to catch a run in its middle
	err := wait.PollUntilContextTimeout(ctx, often, decisionTimeout, true,
		func(context.Context) (bool, error) { return done(), nil })
	if err != nil {
		t.Fatalf("waiting for %s: %v; %d were bound", what, err, len(w.order()))
	}
}

// catchUp waits until the watch has seen all Pods of the aftermath on their nodes.
func (w *podWatch) catchUp(ctx context.Context, t *testing.T, after *aftermath) {
	t.Helper()
	w.waitFor(ctx, t, "the watch to see all Pods on their nodes", func() bool {
		return !slices.ContainsFunc(after.pods, func(pod corev1.Pod) bool {
			return pod.Spec.NodeName != "" && !slices.Contains(w.nodesOf(pod.UID), pod.Spec.NodeName)
		})
	})
}
