package upstream

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// Without runs judge while the given Pods are taken off their nodes, and puts everything back afterwards. Pods that no
// node counts are left as they are: finished ones, manifests, those of unknown nodes.
func (s *Scheduler) Without(ctx context.Context, pods []*corev1.Pod, judge func() error) (err error) {
	originals := s.notEvaluated()
	if err := s.snapshot.StartMutations(); err != nil {
		return fmt.Errorf("taking Pods off their nodes: %w", err)
	}
	s.keepImages(originals)
	defer func() { err = errors.Join(err, s.snapshot.EndMutations()) }()
	for _, pod := range pods {
		if !s.counts(pod) {
			continue
		}
		if err := s.snapshot.RemovePod(klog.FromContext(Quiet(ctx)), pod, pod.Spec.NodeName); err != nil {
			return fmt.Errorf("taking pod %s/%s off its node: %w", pod.Namespace, pod.Name, err)
		}
	}
	return judge()
}

// keepImages gives the copied nodes the image states of the originals: the copies have lost on how many nodes an image
// is.
func (s *Scheduler) keepImages(originals []NodeJudgment) {
	for i, copied := range s.notEvaluated() {
		original, ok := originals[i].Info.(*framework.NodeInfo)
		if mutable, isNode := copied.Info.(*framework.NodeInfo); ok && isNode {
			mutable.ImageStates = original.ImageStates
		}
	}
}

// counts tells whether the Pod is on its node in the snapshot.
func (s *Scheduler) counts(pod *corev1.Pod) bool {
	info, err := s.snapshot.Get(pod.Spec.NodeName)
	return err == nil && slices.ContainsFunc(info.GetPods(), func(known fwk.PodInfo) bool {
		return known.GetPod().UID == pod.UID
	})
}
