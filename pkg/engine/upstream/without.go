package upstream

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
)

// Without runs judge while the given Pods are taken off their nodes, and puts everything back afterwards.
func (s *Scheduler) Without(ctx context.Context, pods []*corev1.Pod, judge func() error) (err error) {
	if err := s.snapshot.StartMutations(); err != nil {
		return fmt.Errorf("taking Pods off their nodes: %w", err)
	}
	defer func() { err = errors.Join(err, s.snapshot.EndMutations()) }()
	for _, pod := range pods {
		if _, unknown := s.snapshot.Get(pod.Spec.NodeName); unknown != nil || finished(pod) {
			continue
		}
		if err := s.snapshot.RemovePod(klog.FromContext(quiet(ctx)), pod, pod.Spec.NodeName); err != nil {
			return fmt.Errorf("taking pod %s/%s off its node: %w", pod.Namespace, pod.Name, err)
		}
	}
	return judge()
}
