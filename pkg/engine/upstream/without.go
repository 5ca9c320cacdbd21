package upstream

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// Without runs judge while the given Pods are taken off their nodes, and puts everything back afterwards. Pods that no
// node counts are left as they are: finished ones, manifests, those of unknown nodes.
func (s *Scheduler) Without(ctx context.Context, pods []*corev1.Pod, judge func() error) (err error) {
	if err := s.snapshot.StartMutations(); err != nil {
		return fmt.Errorf("taking Pods off their nodes: %w", err)
	}
	defer func() { err = errors.Join(err, s.snapshot.EndMutations()) }()
	for _, pod := range pods {
		if !s.counts(pod) {
			continue
		}
		if err := s.snapshot.RemovePod(klog.FromContext(quiet(ctx)), pod, pod.Spec.NodeName); err != nil {
			return fmt.Errorf("taking pod %s/%s off its node: %w", pod.Namespace, pod.Name, err)
		}
	}
	return judge()
}

// counts tells whether the Pod is on its node in the snapshot.
func (s *Scheduler) counts(pod *corev1.Pod) bool {
	info, err := s.snapshot.Get(pod.Spec.NodeName)
	return err == nil && slices.ContainsFunc(info.GetPods(), func(known fwk.PodInfo) bool {
		return known.GetPod().UID == pod.UID
	})
}
