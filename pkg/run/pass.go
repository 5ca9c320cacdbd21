package run

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// maxInFlight is how many Pods may be in their binding cycles. kube-scheduler sets no limit; here the decisions that
// wait to be carried out should not grow old.
const maxInFlight = 200

// cutPoll is how often the end looks for waits that have begun since.
const cutPoll = 100 * time.Millisecond

// BeyondMax is the reason of Pods that are skipped because Options.Max does not let them in.
const BeyondMax = "--max does not let it in"

// pass takes some Pods from waiting to an end.
type pass struct {
	session *Session
	// ending ends the pass. Cycles run in a context of their own: what they have reserved is given back after the end.
	ending context.Context //nolint:containedctx // it is the pass's own
	reacts map[string]bool // the plugins for which a Pod more may open a node

	mu        sync.Mutex
	change    *sync.Cond
	items     map[types.UID]*item
	asked     []*item
	queue     []framework.QueuedEntityInfo
	urgent    []*corev1.Pod
	inFlight  int
	paused    int  // of the Pods that come back after a pause
	done      int  // of the Pods that have ended
	outage    bool // the API server is out of reach
	hadOutage bool
	err       error
}

func (s *Session) newPass(pods []*corev1.Pod) *pass {
	p := &pass{session: s, items: map[types.UID]*item{}, reacts: s.reactsToPods()}
	p.change = sync.NewCond(&p.mu)
	for _, pod := range pods {
		one := &item{pod: pod, out: report.NewBinding(pod.Namespace, pod.Name)}
		p.asked = append(p.asked, one)
		p.items[pod.UID] = one
	}
	return p
}

// Bind schedules the Pods and binds them. It returns what became of each, in the order in which they are given; the
// error tells why it stopped early, and then what is not reached is skipped.
//
// When the context ends, requests in flight are finished and no further ones are begun.
func (s *Session) Bind(ctx context.Context, pods []*corev1.Pod) ([]*report.Binding, error) {
	ctx = upstream.Quiet(ctx)
	p := s.newPass(pods)
	p.ending, s.pass = ctx, p
	s.sched.FailureHandler = p.failed
	unwatch := context.AfterFunc(ctx, p.broadcast)
	defer unwatch()
	p.refuse(ctx)
	for p.begin(ctx) {
		for entity := p.next(ctx); entity != nil; entity = p.next(ctx) {
			begun := podsOf(entity) // upstream takes Pods out of a group that it does not schedule
			s.schedule(context.WithoutCancel(ctx), entity)
			p.passedOver(begun)
		}
	}
	return p.results(ctx)
}

// begin queues the Pods that wait for a round, and tells whether there are any.
func (p *pass) begin(ctx context.Context) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ctx.Err() != nil || p.err != nil {
		return false
	}
	var pods []*corev1.Pod
	for _, one := range p.asked {
		if p.mayReopen(one) {
			p.reopen(one)
		}
		if one.stage == waiting {
			pods = append(pods, one.pod)
		}
	}
	p.queue, p.err = p.session.order(ctx, pods)
	return len(p.queue) > 0 && p.err == nil
}

// next returns what is to be scheduled next, and waits for binding cycles where that depends on them; nil at the end of
// a round.
func (p *pass) next(ctx context.Context) framework.QueuedEntityInfo {
	p.mu.Lock()
	defer p.mu.Unlock()
	for ctx.Err() == nil && p.err == nil {
		if p.outage {
			p.sitOut(ctx)
			continue
		}
		if pods := p.takeUrgent(); len(pods) > 0 {
			p.requeue(ctx, pods)
			continue
		}
		if p.mustWait() {
			if len(p.queue) == 0 && p.paused == 0 {
				p.session.rejectStuck(p.inFlight)
			}
			p.change.Wait()
			continue
		}
		if len(p.queue) == 0 {
			return nil
		}
		entity := p.queue[0]
		p.queue = p.queue[1:]
		if p.ready(ctx, entity) {
			return entity
		}
	}
	p.waitForBindings()
	return nil
}

// mustWait tells whether nothing can be scheduled before a binding cycle ends.
func (p *pass) mustWait() bool {
	if p.inFlight == 0 {
		return len(p.queue) == 0 && p.paused > 0
	}
	// In a plan one Pod comes to its end after the other, so that two runs decide the same.
	return p.session.static || len(p.queue) == 0 || p.inFlight >= maxInFlight || p.full(p.queue[0].Size())
}

// waitForBindings waits until no Pod is in its binding cycle. After the end, what such a cycle waits for is cut
// short, also for Pods that come to wait only then.
func (p *pass) waitForBindings() {
	for p.inFlight > 0 {
		if p.ending.Err() != nil || p.err != nil {
			p.cutWaits()
		}
		again := time.AfterFunc(cutPoll, p.broadcast)
		p.change.Wait()
		again.Stop()
	}
}

// cutWaits ends the waits of binding cycles: for other Pods, and for volumes and devices.
func (p *pass) cutWaits() {
	const reason = "the run was stopped"
	p.session.rejectWaiting(reason)
	for _, one := range p.asked {
		if one.stage == binding {
			p.session.cancelPreBind(one.pod, reason)
		}
	}
}

func (p *pass) broadcast() {
	p.mu.Lock() // or the word may come between a look and the wait
	defer p.mu.Unlock()
	p.change.Broadcast()
}

// ready tells whether the entity can be scheduled as it is. If not, its Pods are ended or queued anew.
func (p *pass) ready(ctx context.Context, entity framework.QueuedEntityInfo) bool {
	pods := podsOf(entity)
	if p.full(len(pods)) {
		for _, pod := range pods {
			p.end(p.items[pod.UID], report.ResultSkipped, BeyondMax)
		}
		return false
	}
	var left []*corev1.Pod
	changed := false
	for _, pod := range pods {
		current, err := p.session.waitingPod(pod)
		if err != nil {
			p.endFailed(p.items[pod.UID], err)
			changed = true
			continue
		}
		changed = changed || current.ResourceVersion != pod.ResourceVersion
		left = append(left, current)
	}
	if changed {
		p.requeue(ctx, left)
		return false
	}
	for _, pod := range pods {
		p.items[pod.UID].stage = deciding
	}
	return true
}

// requeue puts Pods at the head of the queue.
func (p *pass) requeue(ctx context.Context, pods []*corev1.Pod) {
	if len(pods) == 0 {
		return
	}
	entities, err := p.session.order(ctx, pods)
	if err != nil {
		p.err = err
		return
	}
	p.queue = append(entities, p.queue...)
}

// decided notes the answer of a scheduling cycle.
func (p *pass) decided(pod *corev1.Pod, result scheduler.ScheduleResult) {
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.items[pod.UID]
	if one.out.Decision == nil {
		one.out.Decision = &report.Cycle{}
	}
	decision := one.out.Decision
	decision.NodeName = result.SuggestedHost
	decision.EvaluatedNodes, decision.FeasibleNodes = result.EvaluatedNodes, result.FeasibleNodes
	decision.Attempts++
}

// binding notes that the Pod's binding cycle begins.
func (p *pass) binding(pod *corev1.Pod, node string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.items[pod.UID]
	one.stage, one.out.NodeName = binding, node
	p.inFlight++
}

// tried counts Binding requests.
func (p *pass) tried(pod *corev1.Pod, tries int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.items[pod.UID].out.Tries += tries
}

// bound notes that the Pod is bound.
func (p *pass) bound(pod *corev1.Pod, node string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.items[pod.UID]
	one.out.NodeName = node
	p.landed(one)
	p.session.bound++
	p.end(one, report.ResultBound, "")
}

// passedOver ends the Pods that upstream has left out of their cycle without a word.
func (p *pass) passedOver(pods []*corev1.Pod) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, pod := range pods {
		if one := p.items[pod.UID]; one.stage == deciding {
			p.end(one, report.ResultFailed, "kube-scheduler's code passed it over")
		}
	}
}

// results ends what was not reached and returns what became of all.
func (p *pass) results(ctx context.Context) ([]*report.Binding, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waitForBindings()
	if p.err == nil && ctx.Err() != nil {
		p.err = context.Cause(ctx)
	}
	out := make([]*report.Binding, 0, len(p.asked))
	for _, one := range p.asked {
		switch {
		case one.stage == ended:
		case p.err != nil:
			p.end(one, report.ResultSkipped, "not reached before the run was stopped")
		default: // a Pod group that went away: upstream's queue gives its Pods to nobody
			p.end(one, report.ResultFailed, "kube-scheduler's queue does not give it out")
		}
		out = append(out, one.out)
	}
	return out, p.err
}
