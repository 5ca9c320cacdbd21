package run

import (
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// flight is what is known of a Pod between the time the scheduler takes it up and the time its outcome is known.
type flight struct {
	// number tells one flight of a Pod from the next.
	number int
	// taken is when the scheduler took it up, queued when it had come into the queue.
	taken, queued time.Time
	// scheduling is how long it took to choose a node.
	scheduling time.Duration
	result     scheduler.ScheduleResult
	score      *int64
	attempts   int
	tries      int
}

// flights are the Pods that are under way. The zero value has none.
type flights struct {
	mu       sync.Mutex
	of       map[types.UID]flight
	taken    time.Time
	takes    int  // how often something was taken up
	busy     bool // something was taken up, and it is not known yet what comes of it
	stopping bool
	idle     chan struct{}
}

// rest tells that all that was taken up has either failed or is being bound, and returns whether that was the last.
func (f *flights) rest() (last bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.busy = false
	f.signal()
	return f.stopping
}

// take tells that something is taken up now, and returns whether it may be.
func (f *flights) take(now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopping {
		return false
	}
	f.busy, f.taken = true, now
	f.takes++
	return true
}

// stop lets nothing be taken up any more, and returns whether something was just now: rest tells of its end.
func (f *flights) stop() (busy bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopping = true
	return f.busy
}

func (f *flights) stopped() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stopping
}

// decided notes the node that was chosen for a Pod.
func (f *flights) decided(info *framework.QueuedPodInfo, one flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.of == nil {
		f.of = map[types.UID]flight{}
	}
	one.number, one.taken, one.queued, one.attempts = f.takes, f.taken, info.Timestamp, info.Attempts
	f.of[info.Pod.UID] = one
}

// tried adds to the Binding requests that were sent for a Pod.
func (f *flights) tried(pod types.UID, tries int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	one := f.of[pod]
	one.tries += tries
	f.of[pod] = one
}

// get returns what is known of a Pod that is under way.
func (f *flights) get(pod *corev1.Pod) flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.of[pod.UID]
}

// land ends a flight of a Pod. The next one may have begun: a Pod is back in the queue before all is written about it.
func (f *flights) land(pod *corev1.Pod, one flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.of[pod.UID].number == one.number {
		delete(f.of, pod.UID)
	}
	f.signal()
}

// count is how many Pods are under way.
func (f *flights) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.of)
}

// begun is how often something was taken up so far.
func (f *flights) begun() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.takes
}

// signal wakes up whoever waits until nothing is under way.
func (f *flights) signal() {
	if f.idle != nil && !f.busy && len(f.of) == 0 {
		close(f.idle)
		f.idle = nil
	}
}

// landed returns a channel that is closed when nothing is under way.
func (f *flights) landed() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.idle == nil {
		f.idle = make(chan struct{})
	}
	idle := f.idle
	f.signal()
	return idle
}
