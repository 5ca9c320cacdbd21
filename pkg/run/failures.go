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

// failed is the pass's FailureHandler: upstream calls it for every Pod whose scheduling or binding cycle fails, after
// the Pod has been forgotten.
func (p *pass) failed(ctx context.Context, _ framework.Framework, info *framework.QueuedPodInfo, status *fwk.Status,
	_ *fwk.NominatingInfo, _ time.Time,
) {
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.items[info.Pod.UID]
	wasBinding := one.stage == binding
	p.landed(one)
	one.stage = deciding
	err := status.AsError()
	switch {
	case status.IsRejected():
		p.endUnschedulable(one, status)
	case ctx.Err() != nil:
		one.out.NodeName = ""
		p.end(one, report.ResultSkipped, "the run was stopped before it was bound")
	case wasBinding && p.mayReschedule(one, err):
		one.stage, one.out.NodeName = waiting, ""
		one.reschedules++
		p.urgent = append(p.urgent, one.pod)
	default:
		p.endFailed(one, plain(status.Plugin(), err))
		p.keepRoom(ctx, info.Pod, one, err)
	}
	p.change.Broadcast()
}

// plain takes off the error what upstream's framework puts around it.
func plain(plugin string, err error) error {
	var own *binderError
	switch inner := errors.Unwrap(err); {
	case errors.As(err, &own):
		return own.Err
	case plugin != "" && inner != nil:
		return fmt.Errorf("plugin %s failed: %w", plugin, inner)
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
	one.boundBefore = p.count
	one.out.NodeName = ""
	p.end(one, report.ResultUnschedulable, status.Message())
}

// mayReschedule tells whether another cycle may end better, and notes an outage of the API server.
func (p *pass) mayReschedule(one *item, err error) bool {
	var node *NodeGoneError
	var fits *NoLongerFitsError
	var unavailable *bind.UnavailableError
	var forbidden *bind.ForbiddenError
	var elsewhere *bind.BoundElsewhereError
	var gone *bind.GoneError
	var rejected *bind.RejectedError
	switch {
	case errors.As(err, &elsewhere), errors.As(err, &gone), errors.As(err, &rejected):
		return false
	case errors.As(err, &unavailable):
		p.outage, p.hadOutage = true, true
		return one.reschedules < maxReschedules && !unavailable.Unknown
	case errors.As(err, &forbidden):
		// An API server that has just started refuses what it does not know yet to be allowed.
		p.outage = p.hadOutage
		return p.hadOutage && one.reschedules < maxReschedules
	case errors.As(err, &node), errors.As(err, &fits):
		return one.reschedules < maxReschedules
	case isUnanswered(err):
		p.outage, p.hadOutage = true, true
		return one.reschedules < maxReschedules
	}
	// What is left are volumes and devices that could not be bound, as after a conflict with their controllers.
	return one.reschedules < maxReschedules && !errors.Is(err, context.DeadlineExceeded)
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
	var refused *refusedError
	switch {
	case errors.As(err, &elsewhere):
		one.out.NodeName = elsewhere.NodeName
		p.end(one, report.ResultBoundElsewhere, elsewhere.Error())
	case errors.As(err, &gone):
		one.out.NodeName = ""
		p.end(one, report.ResultGone, gone.Error())
	case errors.As(err, &refused):
		p.end(one, report.ResultRefused, refused.Error())
	default:
		reason := err.Error()
		if one.reschedules > 0 {
			reason = fmt.Sprintf("%s; given up after %d decisions", reason, one.reschedules+1)
		}
		p.end(one, report.ResultFailed, strings.TrimSpace(reason))
	}
}

// keepRoom assumes the Pod on its node again when nobody knows whether it is bound: others must not get the room.
func (p *pass) keepRoom(ctx context.Context, pod *corev1.Pod, one *item, err error) {
	var unavailable *bind.UnavailableError
	if !errors.As(err, &unavailable) || !unavailable.Unknown || pod.Spec.NodeName == "" {
		return
	}
	if err := p.session.sched.Cache.AssumePod(klog.FromContext(ctx), pod.DeepCopy()); err != nil {
		// The watch has told of the Pod meanwhile, so that its room is taken.
		one.out.Warnings = append(one.out.Warnings, err.Error())
	}
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
