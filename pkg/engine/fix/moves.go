package fix

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// maxMoves is how many Pods of one node are thought of being moved, one at a time.
const maxMoves = 2

// moveForRoom moves one Pod that is large enough off the node: the smallest of those.
func (p *planner) moveForRoom(lacks []report.InsufficientResource, node *corev1.Node) []change {
	type room struct {
		pod  *corev1.Pod
		size float64
	}
	var rooms []room
	for _, pod := range p.PodsOn(node.Name) {
		if size, enough := frees(pod, lacks); enough && p.movable(pod) {
			rooms = append(rooms, room{pod, size})
		}
	}
	slices.SortFunc(rooms, func(a, b room) int {
		return cmp.Or(cmp.Compare(a.size, b.size), strings.Compare(a.pod.Namespace, b.pod.Namespace),
			strings.Compare(a.pod.Name, b.pod.Name))
	})
	var out []change
	for _, r := range rooms[:min(len(rooms), maxMoves)] {
		c := move(r.pod)
		c.effort += effort(r.size) / effort(1+r.size) // between 0 and 1
		out = append(out, c)
	}
	return out
}

// frees tells whether a Pod that goes makes room enough, and how much it is for what is asked.
func frees(pod *corev1.Pod, lacks []report.InsufficientResource) (size float64, enough bool) {
	for _, d := range lacks {
		freed := resource.MustParse("1") // a place for a Pod
		if d.Resource != string(corev1.ResourcePods) {
			freed = total(pod, corev1.ResourceName(d.Resource))
		}
		missing, err := resource.ParseQuantity(d.Missing)
		if err != nil || freed.Cmp(missing) < 0 {
			return 0, false
		}
		size += share(freed.String(), d.Requested)
	}
	return size, true
}

// movable tells whether a Pod can be moved by evicting it: somebody makes it anew and not for the same node, it is not
// one that the cluster itself needs, and no PodDisruptionBudget is against it.
func (p *planner) movable(pod *corev1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	if p.Settled || owner == nil || owner.Kind == "DaemonSet" || owner.Kind == "Node" {
		return false
	}
	return pod.Spec.NodeName != "" && pod.DeletionTimestamp == nil && !p.needed(pod) && !p.protected(pod)
}

// needed tells whether the cluster itself needs a Pod.
func (p *planner) needed(pod *corev1.Pod) bool {
	return pod.Spec.Priority != nil && *pod.Spec.Priority >= systemPriority
}

// systemPriority is that of the least of the PriorityClasses that are for the cluster itself.
const systemPriority = 2000000000

// protected tells whether a PodDisruptionBudget allows no eviction of the Pod.
func (p *planner) protected(pod *corev1.Pod) bool {
	return slices.ContainsFunc(p.State.PodDisruptionBudgets, func(budget *policyv1.PodDisruptionBudget) bool {
		if budget.Namespace != pod.Namespace || budget.Status.DisruptionsAllowed > 0 {
			return false
		}
		selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
		return err == nil && selector.Matches(labels.Set(pod.Labels))
	})
}

// move takes a Pod off its node.
func move(pod *corev1.Pod) change {
	return change{
		key:    fmt.Sprintf("move %s/%s", pod.Namespace, pod.Name),
		text:   fmt.Sprintf("move pod %s/%s off node %s", pod.Namespace, pod.Name, pod.Spec.NodeName),
		effort: movePod, kind: "Pod", namespace: pod.Namespace, name: pod.Name, gone: pod, moves: true,
	}
}

// podCalled finds a Pod by namespace/name among Pods that are sorted so.
func podCalled(pods []*corev1.Pod, name string) *corev1.Pod {
	namespace, name, _ := strings.Cut(name, "/")
	i, found := slices.BinarySearchFunc(pods, name, func(pod *corev1.Pod, name string) int {
		return cmp.Or(strings.Compare(pod.Namespace, namespace), strings.Compare(pod.Name, name))
	})
	if !found {
		return nil
	}
	return pods[i]
}
