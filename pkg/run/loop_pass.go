package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// passPoll is how often a Pass looks whether its queue is empty, when nothing is under way.
const passPoll = 20 * time.Millisecond

// backlog is what a Pass takes up: the Pods that wait when it begins. Its methods do on nil what suits a Loop that
// takes up all that comes.
type backlog struct {
	mu   sync.Mutex
	left map[types.UID]*pending
}

// pending is a Pod of a backlog, with the last decision about it.
type pending struct {
	pod      *corev1.Pod
	decision *report.Decision
}

// Pass schedules every Pod that waits for a node now, and returns when no further decision about them is due, or as Run
// does when the context ends. The last decision about each is returned, in no order; that of a Pod that is gated is
// Refused. Pods that are to be tried again, since something failed or has changed meanwhile, are tried maxReschedules
// more times; Pods for which others are evicted are not waited for.
func (l *Loop) Pass(ctx context.Context) ([]*report.Decision, error) {
	if err := l.collect(); err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(ctx)
	go func() {
		defer stop()
		l.waitDone(running)
	}()
	err := l.Run(running, nil)
	if ctx.Err() != nil && err == nil {
		err = context.Cause(ctx)
	}
	return l.results(), err
}

// collect finds the Pods that wait.
func (l *Loop) collect() error {
	pods, err := l.factory.Core().V1().Pods().Lister().List(labels.Everything())
	if err != nil {
		return fmt.Errorf("listing Pods: %w", err)
	}
	left := map[types.UID]*pending{}
	for _, pod := range pods {
		if unfit(pod) == "" && l.sched.Profiles.HandlesSchedulerName(pod.Spec.SchedulerName) {
			left[pod.UID] = &pending{pod: pod}
		}
	}
	l.backlog = &backlog{left: left}
	return nil
}

// waitDone returns when no decision is due any more, or the context has ended.
func (l *Loop) waitDone(ctx context.Context) {
	ticker := l.clock.NewTicker(passPoll)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C():
		}
		if !l.isDue() {
			return
		}
	}
}

// isDue tells whether something is under way, or a Pod in the queues is to be tried.
func (l *Loop) isDue() bool {
	begun := l.flights.begun()
	select {
	case <-l.flights.landed():
	default:
		return true
	}
	// Pods move in this order, so that none is missed on its way: what leaves the queue just now is in flight for it,
	// and then, or when it is over already, taken up.
	queue := l.sched.SchedulingQueue
	for _, list := range []func() []*corev1.Pod{queue.PodsInBackoffQ, queue.PodsInActiveQ, queue.InFlightPods} {
		if slices.ContainsFunc(list(), l.backlog.wants) {
			return true
		}
	}
	return l.flights.begun() != begun
}

// results returns the last decision about every Pod.
func (l *Loop) results() []*report.Decision {
	var silent []*corev1.Pod
	for _, one := range l.backlog.all() {
		if one.decision == nil {
			silent = append(silent, one.pod)
		}
	}
	for _, pod := range silent {
		l.tell(l.untouched(pod), pod)
	}
	var decisions []*report.Decision
	for _, one := range l.backlog.all() {
		decisions = append(decisions, one.decision)
	}
	return decisions
}

// all returns the Pods with the last decisions about them, in no order.
func (b *backlog) all() []pending {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := make([]pending, 0, len(b.left))
	for _, one := range b.left {
		all = append(all, *one)
	}
	return all
}

// untouched says of a Pod that was not decided about why it was not.
func (l *Loop) untouched(pod *corev1.Pod) *report.Decision {
	profile := pod.Spec.SchedulerName
	decision := l.decision(profile, pod, flight{})
	decision.QueuedMilliseconds, decision.LatencyMilliseconds = 0, 0
	l.judge(decision, pod, fwk.AsStatus(errors.New(stoppedMessage)))
	if decision.Result == report.ResultGone || decision.Result == report.ResultBoundElsewhere {
		return decision
	}
	decision.Result, decision.Message = report.ResultSkipped, stoppedMessage
	for _, plugin := range l.sched.Profiles[profile].PreEnqueuePlugins() {
		if status := plugin.PreEnqueue(context.Background(), pod); !status.IsSuccess() {
			decision.Result, decision.Message = report.ResultRefused, "it is gated: "+status.Message()
			break
		}
	}
	return decision
}

// takes tells whether to take up what has come out of the queue.
func (b *backlog) takes(entity framework.QueuedEntityInfo) bool {
	if b == nil {
		return true
	}
	taken := false
	entity.ForEachPodInfo(func(info *framework.QueuedPodInfo) bool {
		taken = b.wants(info.Pod)
		return !taken
	})
	return taken
}

// wants tells whether the Pod is to be tried, or tried again.
func (b *backlog) wants(pod *corev1.Pod) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	one := b.left[pod.UID]
	return one != nil && (one.decision == nil || one.decision.Attempts <= maxReschedules)
}

// decided keeps the decision.
func (b *backlog) decided(decision *report.Decision, pod *corev1.Pod) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if one := b.left[pod.UID]; one != nil {
		one.decision = decision
	}
}
