package run

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// refuse ends the Pods that cannot be bound, and those that are somebody else's.
func (p *pass) refuse(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, one := range p.asked {
		switch reason := unfit(one.pod); {
		case reason != "":
			p.end(one, report.ResultRefused, reason)
		case !p.session.Serves(one.pod.Spec.SchedulerName):
			p.end(one, report.ResultSkipped, fmt.Sprintf("it is for scheduler %s; --scheduler-name schedules it all the same",
				one.pod.Spec.SchedulerName))
		default:
			one.out.Profile = p.session.profileOf(one.pod)
			if reason := p.session.gated(ctx, one.pod); reason != "" {
				p.end(one, report.ResultRefused, reason)
			}
		}
	}
	p.refuseParts()
}

// unfit says why a Pod needs no node; empty when it waits for one.
func unfit(pod *corev1.Pod) string {
	switch {
	case upstream.Finished(pod):
		return fmt.Sprintf("it has finished (%s)", pod.Status.Phase)
	case pod.Spec.NodeName != "":
		return fmt.Sprintf("it is on node %s already", pod.Spec.NodeName)
	case pod.DeletionTimestamp != nil:
		return "it is being deleted"
	}
	return ""
}

// gated says why PreEnqueue plugins keep the Pod out of the queue; empty when they do not.
func (s *Session) gated(ctx context.Context, pod *corev1.Pod) string {
	pod = s.own(pod)
	for _, plugin := range s.sched.Profiles[pod.Spec.SchedulerName].PreEnqueuePlugins() {
		if status := plugin.PreEnqueue(ctx, pod); !status.IsSuccess() {
			return fmt.Sprintf("it is gated: %s", status.Message())
		}
	}
	return ""
}

// refuseParts ends the Pods of groups of which not all waiting Pods are there: a group is bound whole or not at all.
func (p *pass) refuseParts() {
	groups := map[string][]*item{}
	for _, one := range p.asked {
		if one.stage == waiting && inGroup(one.pod) {
			key := groupOf(one.pod)
			groups[key] = append(groups[key], one)
		}
	}
	if len(groups) == 0 {
		return
	}
	missing := p.missingMembers(groups)
	for key, members := range groups {
		reason := partOf(key, missing[key])
		for _, one := range members {
			if reason != "" {
				p.end(one, report.ResultRefused, reason)
			}
		}
	}
}

// partOf says why the Pods of a group cannot be bound, missing being one that is not to be; empty when they can.
func partOf(group, missing string) string {
	_, name, _ := strings.Cut(group, "/")
	switch {
	case !upstream.ReadsPodGroups():
		return fmt.Sprintf("it is one of Pod group %s, which is bound whole: use --feature-gates GenericWorkload=true",
			name)
	case missing != "":
		return fmt.Sprintf("Pod group %s is bound whole or not at all, and pod/%s of it is gated, or not among these",
			name, missing)
	}
	return ""
}

// missingMembers names, for each group, one Pod that waits for a node and is not to be bound, the first by name.
func (p *pass) missingMembers(groups map[string][]*item) map[string]string {
	pods, err := p.session.pods.List(labels.Everything())
	if err != nil {
		p.err = fmt.Errorf("listing Pods: %w", err)
		return nil
	}
	missing := map[string]string{}
	for _, pod := range pods {
		if !inGroup(pod) || unfit(pod) != "" {
			continue
		}
		key := groupOf(pod)
		if one := p.items[pod.UID]; groups[key] == nil || one != nil && one.stage == waiting {
			continue
		}
		if known := missing[key]; known == "" || pod.Name < known {
			missing[key] = pod.Name
		}
	}
	return missing
}

// groupOf names the Pod's group, which it must have.
func groupOf(pod *corev1.Pod) string {
	name := ""
	if pod.Spec.SchedulingGroup.PodGroupName != nil {
		name = *pod.Spec.SchedulingGroup.PodGroupName
	}
	return types.NamespacedName{Namespace: pod.Namespace, Name: name}.String()
}

// waitingPod returns the Pod as it is now, as the Session schedules it, or why it must not be scheduled any more.
func (s *Session) waitingPod(pod *corev1.Pod) (*corev1.Pod, error) {
	current, err := s.pods.Pods(pod.Namespace).Get(pod.Name)
	switch {
	case apierrors.IsNotFound(err):
		return nil, &bind.GoneError{}
	case err != nil:
		return nil, fmt.Errorf("looking for pod %s/%s: %w", pod.Namespace, pod.Name, err)
	case current.UID != pod.UID:
		return nil, &bind.GoneError{Replaced: true}
	case current.Spec.NodeName != "":
		return nil, &bind.BoundElsewhereError{NodeName: current.Spec.NodeName}
	case current.DeletionTimestamp != nil:
		return nil, &bind.GoneError{Terminating: true}
	}
	return current, nil // no informer holds a Pod that has finished
}
