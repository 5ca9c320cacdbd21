package run

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
)

// NodeGoneError tells that a node does not exist, or does not exist any more.
type NodeGoneError struct{ Node string }

func (e *NodeGoneError) Error() string { return fmt.Sprintf("node %s does not exist", e.Node) }

// NoLongerFitsError tells that a Pod does not fit any more on the node that was decided for it.
type NoLongerFitsError struct {
	Node string
	// Reasons are upstream's.
	Reasons []string
}

func (e *NoLongerFitsError) Error() string {
	return fmt.Sprintf("node %s does not take it any more: %s", e.Node, strings.Join(e.Reasons, ", "))
}

// check judges a decision once more on what the watches have told so far, just before the Pod is bound:
// kube-scheduler's own filters on the one node, as if the Pod, which is assumed there, were not.
func (s *Session) check(ctx context.Context, profile string, pod *corev1.Pod, node string) error {
	if s.static {
		return nil
	}
	_, err := s.waitingPod(pod)
	var elsewhere *bind.BoundElsewhereError
	onNode := errors.As(err, &elsewhere) && elsewhere.NodeName == node // an answer was lost: the server tells once more
	if err != nil && !onNode {
		return err
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if err := s.sched.Cache.UpdateSnapshot(klog.FromContext(ctx), s.snapshot); err != nil {
		return fmt.Errorf("reading the scheduler's cache: %w", err)
	}
	info, err := s.snapshot.Get(node)
	if err != nil {
		return &NodeGoneError{Node: node}
	}
	status, err := filter(ctx, s.sched.Profiles[profile+checkSuffix], pod, info.Snapshot())
	if err != nil {
		return err
	}
	if !status.IsSuccess() {
		return &NoLongerFitsError{Node: node, Reasons: status.Reasons()}
	}
	return nil
}

// filter runs PreFilter and Filter for a Pod that is assumed on the node, and takes the Pod out between the two, as
// upstream does with the victims of a preemption.
func filter(ctx context.Context, fw framework.Framework, pod *corev1.Pod, node fwk.NodeInfo) (
	*fwk.Status, error,
) {
	state := framework.NewCycleState()
	left, status, _ := fw.RunPreFilterPlugins(ctx, state, pod)
	if !status.IsSuccess() {
		return status, nil
	}
	if name := node.Node().Name; !left.AllNodes() && !left.NodeNames.Has(name) {
		return fwk.NewStatus(fwk.Unschedulable, "it is not among the nodes that PreFilter plugins leave"), nil
	}
	for _, info := range node.GetPods() {
		if info.GetPod().UID != pod.UID {
			continue
		}
		if err := node.RemovePod(klog.FromContext(ctx), info.GetPod()); err != nil {
			return nil, fmt.Errorf("taking pod %s/%s from node %s: %w", pod.Namespace, pod.Name, node.Node().Name, err)
		}
		if status := fw.RunPreFilterExtensionRemovePod(ctx, state, pod, info, node); !status.IsSuccess() {
			return status, nil
		}
		break
	}
	return fw.RunFilterPluginsWithNominatedPods(ctx, state, pod, node), nil
}
