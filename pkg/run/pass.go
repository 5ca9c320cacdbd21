package run

import (
	"context"
	"slices"
	"sync"

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

// BeyondMax is the reason of Pods that are skipped because as many as Options.Max allows are bound.
const BeyondMax = "as many Pods as --max allows are bound"

// stage is how far a Pod is.
type stage int

const (
	waiting stage = iota
	deciding
	binding
	ended
)

// item is one Pod of a pass.
type item struct {
	pod   *corev1.Pod
	stage stage
	out   *report.Binding
	// reschedules counts the cycles that were begun because an earlier decision could not be carried out.
	reschedules int
	// hopes tells that the Pod, ended as unschedulable, may fit once more Pods are bound than boundBefore; again that
	// it is worth another cycle in any case.
	hopes, again bool
	boundBefore  int
}

// pass takes some Pods from waiting to an end.
type pass struct {
	session *Session
	reacts  map[string]bool // the plugins for which a Pod more may open a node
	max     int

	mu        sync.Mutex
	change    *sync.Cond
	items     map[types.UID]*item
	asked     []*item
	queue     []framework.QueuedEntityInfo
	urgent    []*corev1.Pod
	inFlight  int
	count     int  // of the Pods that are bound
	done      int  // of the Pods that have ended
	outage    bool // the API server is out of reach
	hadOutage bool
	err       error
}

func (s *Session) newPass(pods []*corev1.Pod) *pass {
	p := &pass{session: s, items: map[types.UID]*item{}, reacts: s.reactsToPods(), max: s.options.Max}
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
	s.pass = p
	s.sched.FailureHandler = p.failed
	wake := context.AfterFunc(ctx, func() { p.change.Broadcast() })
	defer wake()
	p.refuse(ctx)
	for p.begin(ctx) {
		for entity := p.next(ctx); entity != nil; entity = p.next(ctx) {
			s.schedule(ctx, entity)
			p.passedOver(entity)
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
		if one.stage == ended && (one.again || one.hopes && one.boundBefore < p.count) {
			p.reopen(one)
		}
		if one.stage == waiting {
			pods = append(pods, one.pod)
		}
	}
	p.queue, p.err = p.session.order(ctx, pods)
	return len(p.queue) > 0 && p.err == nil
}

// next returns what is to be scheduled next, and waits for binding cycles where that depends on them; nil at the end
// of a round.
func (p *pass) next(ctx context.Context) framework.QueuedEntityInfo {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		for p.mustWait(ctx) {
			p.change.Wait()
		}
		switch {
		case ctx.Err() != nil || p.err != nil:
			p.waitForBindings()
			return nil
		case p.outage:
			p.sitOut(ctx)
			continue
		case len(p.urgent) > 0:
			pod := p.urgent[0]
			p.urgent = p.urgent[1:]
			p.requeue(ctx, []*corev1.Pod{pod})
			continue
		case len(p.queue) == 0:
			return nil
		}
		entity := p.queue[0]
		p.queue = p.queue[1:]
		if p.ready(ctx, entity) {
			return entity
		}
	}
}

// mustWait tells whether nothing can be scheduled before a binding cycle ends.
func (p *pass) mustWait(ctx context.Context) bool {
	if ctx.Err() != nil || p.err != nil || p.inFlight == 0 {
		return false
	}
	empty := len(p.urgent) == 0 && len(p.queue) == 0
	return !p.outage && empty || p.inFlight >= maxInFlight || p.max > 0 && p.count+p.inFlight >= p.max
}

// waitForBindings waits until no Pod is in its binding cycle.
func (p *pass) waitForBindings() {
	for p.inFlight > 0 {
		p.change.Wait()
	}
}

// ready tells whether the entity can be scheduled as it is. If not, its Pods are ended or queued anew.
func (p *pass) ready(ctx context.Context, entity framework.QueuedEntityInfo) bool {
	pods := podsOf(entity)
	if p.max > 0 && p.count+p.inFlight+len(pods) > p.max {
		p.endAll(pods, report.ResultSkipped, BeyondMax)
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
	one.out.Profile = pod.Spec.SchedulerName
	if one.out.Decision == nil {
		one.out.Decision = &report.Decision{}
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
	p.count++
	p.end(one, report.ResultBound, "")
}

// passedOver ends the Pods of an entity that upstream has left out of its cycle without a word.
func (p *pass) passedOver(entity framework.QueuedEntityInfo) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, pod := range podsOf(entity) {
		if one := p.items[pod.UID]; one.stage == deciding {
			p.end(one, report.ResultFailed, "kube-scheduler's code passed it over")
		}
	}
}

// landed takes the Pod out of the count of binding cycles.
func (p *pass) landed(one *item) {
	if one.stage == binding {
		p.inFlight--
		p.change.Broadcast()
	}
}

func (p *pass) endAll(pods []*corev1.Pod, result report.Result, reason string) {
	for _, pod := range pods {
		p.end(p.items[pod.UID], result, reason)
	}
}

// end ends a Pod's way.
func (p *pass) end(one *item, result report.Result, reason string) {
	one.stage, one.out.Result, one.out.Reason = ended, result, reason
	p.done++
	if p.session.options.Progress != nil {
		p.session.options.Progress(p.done, len(p.asked))
	}
	p.change.Broadcast()
}

// reopen makes a Pod wait again.
func (p *pass) reopen(one *item) {
	one.stage, one.hopes, one.again = waiting, false, false
	p.done--
}

// results ends what was not reached and returns what became of all.
func (p *pass) results(ctx context.Context) ([]*report.Binding, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waitForBindings()
	out := make([]*report.Binding, 0, len(p.asked))
	for _, one := range p.asked {
		if one.stage != ended {
			p.end(one, report.ResultSkipped, "not reached before the run was stopped")
		}
		out = append(out, one.out)
	}
	if p.err == nil {
		p.err = context.Cause(ctx)
	}
	return slices.Clip(out), p.err
}
