package run

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/wait"
	resourcehelpers "k8s.io/component-helpers/resource"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// How long the watch may take to tell of the last Binding, and how often is looked.
const (
	seenTimeout = 10 * time.Second
	seenPoll    = 10 * time.Millisecond
)

// Look looks once more at the Pods that a Bind has decided about, at the same indexes, and at their nodes, when the
// watch has told of all Bindings. It finds out what became of a Pod whose binding nobody could tell the outcome of,
// and notes where the Pods request more than their node has, and which node is not there any more: two schedulers can
// do that to a node, since the API server does not look at it.
func (s *Session) Look(ctx context.Context, pods []*corev1.Pod, bindings []*report.Binding) error {
	if s.static {
		return nil
	}
	lagging := s.waitSeen(ctx, pods, bindings)
	s.lock.Lock()
	defer s.lock.Unlock()
	if err := s.sched.Cache.UpdateSnapshot(klog.FromContext(ctx), s.snapshot); err != nil {
		return fmt.Errorf("reading the scheduler's cache: %w", err)
	}
	for i, one := range bindings {
		current := s.current(pods[i])
		correct(one, current)
		if current != nil && one.Result == report.ResultBound {
			s.lookAtNode(one, current)
		}
	}
	return lagging
}

// current returns the Pod as the watch has told of it; nil when it is not there any more.
func (s *Session) current(pod *corev1.Pod) *corev1.Pod {
	current, err := s.pods.Pods(pod.Namespace).Get(pod.Name)
	if err != nil || current.UID != pod.UID {
		return nil
	}
	return current
}

// correct tells of a Pod that was given up, or that nobody bound, what the watch has told of it since; pod is nil
// when it is not there any more.
func correct(one *report.Binding, pod *corev1.Pod) {
	switch one.Result {
	case report.ResultFailed, report.ResultUnschedulable, report.ResultSkipped:
	case report.ResultBound:
		if pod != nil && pod.Spec.NodeName == "" && one.Tries == 0 { // an extender's word, waited for in vain
			one.Result, one.Reason = report.ResultFailed, "an extender says that it has bound it, and it has no node"
		}
		return
	default:
		return
	}
	switch {
	case pod == nil:
		one.Result, one.NodeName, one.Reason = report.ResultGone, "", (&bind.GoneError{}).Error()
	case pod.Spec.NodeName == "":
	case one.Tries > 0 && one.Decision != nil && pod.Spec.NodeName == one.Decision.NodeName:
		one.Result, one.NodeName, one.Reason = report.ResultBound, pod.Spec.NodeName, ""
	default:
		one.Result, one.NodeName = report.ResultBoundElsewhere, pod.Spec.NodeName
		one.Reason = (&bind.BoundElsewhereError{NodeName: pod.Spec.NodeName}).Error()
	}
}

func (s *Session) lookAtNode(one *report.Binding, pod *corev1.Pod) {
	info, err := s.snapshot.Get(one.NodeName)
	if err != nil {
		one.Reason = fmt.Sprintf("node %s was removed meanwhile", one.NodeName)
		return
	}
	one.Overcommitted = overcommitted(info, pod)
}

// waitSeen waits until the watch has told of the Bindings.
func (s *Session) waitSeen(ctx context.Context, pods []*corev1.Pod, bindings []*report.Binding) error {
	var left []*corev1.Pod
	for i, one := range bindings {
		if one.Result == report.ResultBound {
			left = append(left, pods[i])
		}
	}
	err := wait.PollUntilContextTimeout(ctx, seenPoll, seenTimeout, true, func(context.Context) (bool, error) {
		left = slices.DeleteFunc(left, func(pod *corev1.Pod) bool {
			current := s.current(pod)
			return current == nil || current.Spec.NodeName != ""
		})
		return len(left) == 0, nil
	})
	if err != nil {
		return fmt.Errorf("the watch of Pods lags behind: the nodes of %d Pods could not be looked at again", len(left))
	}
	return nil
}

// overcommitted returns the resources that the Pod requests and that the Pods of the node request too much of.
func overcommitted(node fwk.NodeInfo, pod *corev1.Pod) []report.Overcommitment {
	var over []report.Overcommitment
	note := func(name corev1.ResourceName, requested, allocatable int64, quantity func(int64) *resource.Quantity) {
		if requested <= allocatable {
			return
		}
		over = append(over, report.Overcommitment{
			Resource:    string(name),
			Requested:   quantity(requested).String(),
			Allocatable: quantity(allocatable).String(),
			Over:        quantity(requested - allocatable).String(),
		})
	}
	requested, allocatable := node.GetRequested(), node.GetAllocatable()
	note(corev1.ResourcePods, int64(len(node.GetPods())), int64(allocatable.GetAllowedPodNumber()), decimal)
	for name := range resourcehelpers.PodRequests(pod, resourcehelpers.PodResourcesOptions{}) {
		switch name {
		case corev1.ResourceCPU:
			note(name, requested.GetMilliCPU(), allocatable.GetMilliCPU(), milli)
		case corev1.ResourceMemory:
			note(name, requested.GetMemory(), allocatable.GetMemory(), binary)
		case corev1.ResourceEphemeralStorage:
			note(name, requested.GetEphemeralStorage(), allocatable.GetEphemeralStorage(), binary)
		default:
			// What a node does not list is not counted there: devices and extenders give it.
			if has, listed := allocatable.GetScalarResources()[name]; listed {
				note(name, requested.GetScalarResources()[name], has, decimal)
			}
		}
	}
	slices.SortFunc(over, func(a, b report.Overcommitment) int { return strings.Compare(a.Resource, b.Resource) })
	return over
}

func milli(value int64) *resource.Quantity {
	return resource.NewMilliQuantity(value, resource.DecimalSI)
}
func binary(value int64) *resource.Quantity  { return resource.NewQuantity(value, resource.BinarySI) }
func decimal(value int64) *resource.Quantity { return resource.NewQuantity(value, resource.DecimalSI) }

// State returns the cluster as the Session knows it, with the Pods that are assumed on their nodes there.
func (s *Session) State() (*cluster.State, error) { return s.objects(s.sched.Cache) }
