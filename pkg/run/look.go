package run

import (
	"context"
	"errors"
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

// seenTimeout is how long the watch may take to tell of the last Binding.
const seenTimeout = 10 * time.Second

// Look looks once more at the nodes of the Pods that a Bind has bound, when the watch has told of all of them: it
// notes where the Pods now request more than the node has, and which node is not there any more. Two schedulers can
// do that to a node, since the API server does not look at it.
func (s *Session) Look(ctx context.Context, bindings []*report.Binding) error {
	if s.static {
		return nil
	}
	bound := slices.DeleteFunc(slices.Clone(bindings), func(one *report.Binding) bool {
		return one.Result != report.ResultBound
	})
	if err := s.waitSeen(ctx, bound); err != nil {
		return err
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if err := s.sched.Cache.UpdateSnapshot(klog.FromContext(ctx), s.snapshot); err != nil {
		return fmt.Errorf("reading the scheduler's cache: %w", err)
	}
	for _, one := range bindings {
		s.correct(one)
	}
	for _, one := range bound {
		info, err := s.snapshot.Get(one.NodeName)
		if err != nil {
			one.Reason = fmt.Sprintf("node %s was removed meanwhile", one.NodeName)
			continue
		}
		pod, err := s.pods.Pods(one.Metadata.Namespace).Get(one.Metadata.Name)
		if err == nil {
			one.Overcommitted = overcommitted(info, pod)
		}
	}
	return nil
}

// correct looks for a Pod whose binding nobody could tell the outcome of.
func (s *Session) correct(one *report.Binding) {
	pod, err := s.pods.Pods(one.Metadata.Namespace).Get(one.Metadata.Name)
	switch {
	case one.Result != report.ResultFailed || err != nil || pod.Spec.NodeName == "":
	case pod.Spec.NodeName == one.NodeName:
		one.Result, one.Reason = report.ResultBound, ""
	default:
		one.Result, one.NodeName = report.ResultBoundElsewhere, pod.Spec.NodeName
		one.Reason = (&bind.BoundElsewhereError{NodeName: pod.Spec.NodeName}).Error()
	}
}

// waitSeen waits until the watch has told of the Bindings.
func (s *Session) waitSeen(ctx context.Context, bound []*report.Binding) error {
	left := slices.Clone(bound)
	err := wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, seenTimeout, true, func(context.Context) (bool, error) {
		left = slices.DeleteFunc(left, func(one *report.Binding) bool {
			pod, err := s.pods.Pods(one.Metadata.Namespace).Get(one.Metadata.Name)
			return err != nil || pod.Spec.NodeName != ""
		})
		return len(left) == 0, nil
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return errors.New("the watch of Pods lags behind: the nodes could not be looked at again")
	}
	return err
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
			note(name, requested.GetScalarResources()[name], allocatable.GetScalarResources()[name], decimal)
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
func (s *Session) State() (*cluster.State, error) {
	state := &cluster.State{
		Source: s.state.Source, ServerVersion: s.state.ServerVersion, Gaps: s.state.Gaps, Warnings: s.state.Warnings,
	}
	if s.static {
		copied := *s.state
		state = &copied
	}
	for _, kind := range s.kinds {
		informer, err := s.informer(kind)
		if err != nil {
			return nil, err
		}
		var objects []cluster.Object
		for _, object := range informer.GetStore().List() {
			objects = append(objects, object.(cluster.Object))
		}
		kind.AddObjects(state, objects)
	}
	state.Pods = slices.Clone(state.Pods)
	for i, pod := range state.Pods {
		assumed, err := s.sched.Cache.GetPod(pod)
		if pod.Spec.NodeName == "" && err == nil {
			placed := pod.DeepCopy()
			placed.Spec.NodeName = assumed.Spec.NodeName
			state.Pods[i] = placed
		}
	}
	return state, nil
}
