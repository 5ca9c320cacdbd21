package run

import (
	"context"
	"maps"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// evictors are Pods for which upstream evicts others, which it does in the background and on its own: neither the end
// of a cycle nor that of the context waits for it. The zero value has none.
type evictors struct {
	mu sync.Mutex
	of map[types.UID]*corev1.Pod
}

// noteEvictor notes a Pod for which upstream has begun to evict others.
func (l *Loop) noteEvictor(pod *corev1.Pod) {
	l.evictors.mu.Lock()
	defer l.evictors.mu.Unlock()
	l.dropEvictors()
	if l.evictors.of == nil {
		l.evictors.of = map[types.UID]*corev1.Pod{}
	}
	l.evictors.of[pod.UID] = pod
}

// evicting tells whether upstream is still evicting Pods.
func (l *Loop) evicting() bool {
	l.evictors.mu.Lock()
	defer l.evictors.mu.Unlock()
	l.dropEvictors()
	return len(l.evictors.of) > 0
}

// dropEvictors drops the Pods for which all evictions are sent.
func (l *Loop) dropEvictors() {
	maps.DeleteFunc(l.evictors.of, func(_ types.UID, pod *corev1.Pod) bool { return !l.evicts(pod) })
}

// evicts asks the plugin that keeps a Pod out of the queue for as long as it evicts others for it.
func (l *Loop) evicts(pod *corev1.Pod) bool {
	for _, plugin := range l.sched.Profiles[pod.Spec.SchedulerName].PreEnqueuePlugins() {
		if plugin.Name() == names.DefaultPreemption {
			return !plugin.PreEnqueue(context.Background(), pod).IsSuccess()
		}
	}
	return false
}
