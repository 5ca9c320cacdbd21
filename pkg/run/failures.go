package run

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// maxReschedules is how often a Pod is scheduled anew because a decision could not be carried out.
const maxReschedules = 3

// firstPause is the first pause after plugins failed; each is twice as long as the one before (kube-scheduler's
// podInitialBackoffSeconds).
const firstPause = time.Second

// failed is the pass's FailureHandler: upstream calls it for every Pod whose scheduling or binding cycle fails, after
// the Pod has been forgotten.
func (p *pass) failed(ctx context.Context, _ framework.Framework, info *framework.QueuedPodInfo, status *fwk.Status,
	_ *fwk.NominatingInfo, _ time.Time,
) {
	if p.isBinding(info.Pod) && !mayBeBound(status.AsError()) {
		p.session.clearNomination(ctx, info.Pod) // before the Pod counts as landed, and the run may end
	}
	p.fail(ctx, info.Pod, status)
}

func (p *pass) isBinding(pod *corev1.Pod) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.items[pod.UID].stage == binding
}

// fail ends the Pod or has it scheduled anew.
func (p *pass) fail(ctx context.Context, pod *corev1.Pod, status *fwk.Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.items[pod.UID]
	wasBinding := one.stage == binding
	p.landed(one)
	one.stage = deciding
	err := status.AsError()
	switch {
	case p.ending.Err() != nil && !mayBeBound(err) && (status.IsRejected() || !isAnswer(err)):
		p.end(one, report.ResultSkipped, "the run was stopped before it was bound")
	case status.IsRejected():
		p.endUnschedulable(one, status)
	case wasBinding && p.ending.Err() == nil && p.mayReschedule(one, err):
		p.reschedule(one, err)
	default:
		if _, now := p.session.waitingPod(pod); now != nil && !mayBeBound(err) {
			err = now // somebody else was faster, which upstream's cache does not say as plainly
		}
		p.endFailed(one, plain(err))
		p.keepRoom(ctx, pod, err)
	}
	p.change.Broadcast()
}

// isAnswer tells whether the error says what became of the Pod, rather than that the run has ended.
func isAnswer(err error) bool {
	return errors.As(err, new(*binderError)) && !errors.As(err, new(*bind.StoppedError))
}

// mayBeBound tells whether the Pod may have a node in spite of the error.
func mayBeBound(err error) bool {
	return errors.As(err, new(*bind.BoundElsewhereError)) || isUnknown(err)
}

// isUnknown tells whether nobody can tell if the Pod is bound.
func isUnknown(err error) bool {
	var unavailable *bind.UnavailableError
	return errors.As(err, &unavailable) && unavailable.Unknown
}

// plain takes off the error what upstream's framework puts around it, and says what a time-out means.
func plain(err error) error {
	var own *binderError
	switch inner := errors.Unwrap(err); {
	case errors.As(err, &own):
		return own.Err
	case errors.Is(err, context.DeadlineExceeded) && !isUnanswered(err):
		return errors.New("its volumes or devices were not ready in time (for volumes: --volume-timeout); its claims stay " +
			"with the node")
	case inner != nil:
		return inner
	}
	return err
}

// endUnschedulable ends a Pod that plugins reject.
func (p *pass) endUnschedulable(one *item, status *fwk.Status) {
	var fit *framework.FitError
	if errors.As(status.AsError(), &fit) {
		one.out.Decision.EvaluatedNodes = fit.NumAllNodes
		rejecting := fit.Diagnosis.UnschedulablePlugins.UnsortedList()
		one.hopes = slices.ContainsFunc(rejecting, func(name string) bool { return p.reacts[name] })
		// PostFilter may have given up an allocation of devices that nobody uses, once.
		one.again = slices.Contains(rejecting, names.DynamicResources) && one.out.Decision.Attempts == 1
	}
	one.boundBefore = p.session.bound
	p.end(one, report.ResultUnschedulable, strings.TrimRight(status.Message(), ", ")) // as that of a group ends
}

// mayReschedule tells whether another cycle may end better, and notes an outage of the API server.
func (p *pass) mayReschedule(one *item, err error) bool {
	return p.worthAnother(err) && one.reschedules < maxReschedules
}

func (p *pass) worthAnother(err error) bool {
	switch {
	case errors.As(err, new(*NodeGoneError)), errors.As(err, new(*NoLongerFitsError)):
		return true
	case !p.session.static && errors.As(err, new(*bind.UnavailableError)):
		p.outage, p.hadOutage = true, true
		return !mayBeBound(err)
	case p.session.static, mayBeBound(err), errors.As(err, new(*bind.GoneError)), errors.As(err, new(*bind.RejectedError)):
		return false
	case errors.As(err, new(*bind.ForbiddenError)):
		// An API server that has just started refuses what it does not know yet to be allowed.
		p.outage = p.hadOutage
		return p.hadOutage
	case isUnanswered(err):
		p.outage, p.hadOutage = true, true
		return true
	}
	// What is left are volumes and devices that could not be bound, as after a conflict with their controllers.
	return !errors.Is(err, context.DeadlineExceeded)
}

// reschedule has the Pod scheduled anew: at once when it was the node that changed, and as kube-scheduler after a pause
// when plugins could not bind what the Pod needs, since what they have seen of it may be old.
func (p *pass) reschedule(one *item, err error) {
	one.stage, one.out.NodeName = waiting, ""
	one.reschedules++
	var own *binderError
	if errors.As(err, &own) || p.outage {
		p.urgent = append(p.urgent, one.pod)
		return
	}
	p.paused++
	time.AfterFunc(firstPause<<(one.reschedules-1), func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.paused--
		p.urgent = append(p.urgent, one.pod)
		p.change.Broadcast()
	})
}

// isUnanswered tells whether no API server answered a request of a plugin.
func isUnanswered(err error) bool {
	var transport *url.Error
	return errors.As(err, &transport) || apierrors.IsServiceUnavailable(err) || apierrors.IsTimeout(err) ||
		apierrors.IsServerTimeout(err) || apierrors.IsTooManyRequests(err)
}

// endFailed ends a Pod by what kept it from being bound.
func (p *pass) endFailed(one *item, err error) {
	var elsewhere *bind.BoundElsewhereError
	var gone *bind.GoneError
	switch {
	case errors.As(err, &elsewhere):
		one.out.NodeName = elsewhere.NodeName
		p.end(one, report.ResultBoundElsewhere, elsewhere.Error())
	case errors.As(err, &gone):
		p.end(one, report.ResultGone, gone.Error())
	default:
		reason := err.Error()
		if one.reschedules > 0 {
			reason = fmt.Sprintf("%s; given up after %d decisions", reason, one.reschedules+1)
		}
		p.end(one, report.ResultFailed, strings.TrimSpace(reason))
	}
}

// keepRoom assumes the Pod on its node again when nobody knows whether it is bound: others must not get the room.
func (p *pass) keepRoom(ctx context.Context, pod *corev1.Pod, err error) {
	if pod.Spec.NodeName == "" || !isUnknown(err) {
		return
	}
	// It fails when the watch has told of the Pod meanwhile: then its room is taken.
	_ = p.session.sched.Cache.AssumePod(klog.FromContext(ctx), pod.DeepCopy())
}

// reactsToPods are the plugins that may let a Pod pass once another Pod has been placed.
func (s *Session) reactsToPods() map[string]bool {
	reacts := map[string]bool{}
	for _, fw := range s.sched.Profiles {
		for _, extension := range fw.EnqueueExtensions() {
			registered, err := extension.EventsToRegister(context.Background())
			for _, event := range registered {
				pod := event.Event.Resource == fwk.Pod || event.Event.Resource == fwk.AssignedPod
				if err != nil || pod && event.Event.ActionType&fwk.Add != 0 {
					reacts[extension.Name()] = true
				}
			}
		}
	}
	return reacts
}
