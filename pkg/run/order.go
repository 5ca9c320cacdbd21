package run

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
)

// order returns the Pods in the order in which kube-scheduler's queue would give them out: by its QueueSort plugin,
// those of one Pod group together. A queue of upstream's own sorts and groups them; nobody else sees it.
func (s *Session) order(ctx context.Context, pods []*corev1.Pod) ([]framework.QueuedEntityInfo, error) {
	logger := klog.FromContext(ctx)
	queue := internalqueue.NewPriorityQueue(s.queueSort(), s.factory, internalqueue.WithMetricsRecorder(s.metrics))
	defer queue.Close()
	if err := s.addGroups(logger, queue); err != nil {
		return nil, err
	}
	pods = slices.Clone(pods)
	slices.SortFunc(pods, byAge) // the queue's time is when a Pod comes
	for _, pod := range pods {
		queue.Add(ctx, s.own(pod))
	}
	var entities []framework.QueuedEntityInfo
	for left := len(queue.PodsInActiveQ()); left > 0; { // Pods of groups that do not exist are not active
		entity, err := queue.Pop(logger)
		if err != nil {
			return nil, fmt.Errorf("ordering the Pods: %w", err)
		}
		entities = append(entities, entity)
		left -= entity.Size()
	}
	return entities, nil
}

// queueSort is the order of the profiles, which all have the same.
func (s *Session) queueSort() fwk.LessFunc {
	for _, fw := range s.sched.Profiles {
		return fw.QueueSortFunc()
	}
	return nil
}

// own returns the Pod as the Session schedules it.
func (s *Session) own(pod *corev1.Pod) *corev1.Pod {
	if profile := s.profileOf(pod); profile != pod.Spec.SchedulerName {
		pod = pod.DeepCopy()
		pod.Spec.SchedulerName = profile
	}
	return pod
}

// addGroups tells the queue of the Pod groups that Pods may belong to.
func (s *Session) addGroups(logger klog.Logger, queue *internalqueue.PriorityQueue) error {
	if !upstream.ReadsPodGroups() {
		return nil
	}
	groups, err := s.factory.Scheduling().V1beta1().PodGroups().Lister().List(labels.Everything())
	if err != nil {
		return fmt.Errorf("listing Pod groups: %w", err)
	}
	for _, group := range groups {
		queue.AddPodGroup(logger, group)
	}
	if !upstream.ReadsCompositePodGroups() {
		return nil
	}
	composites, err := s.factory.Scheduling().V1alpha3().CompositePodGroups().Lister().List(labels.Everything())
	if err != nil {
		return fmt.Errorf("listing composite Pod groups: %w", err)
	}
	for _, group := range composites {
		queue.AddCompositePodGroup(logger, group)
	}
	return nil
}

// byAge orders Pods by the time of their creation, then by name.
func byAge(a, b *corev1.Pod) int {
	return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), strings.Compare(a.Namespace, b.Namespace),
		strings.Compare(a.Name, b.Name))
}

// podsOf returns the Pods of an entity.
func podsOf(entity framework.QueuedEntityInfo) []*corev1.Pod {
	pods := make([]*corev1.Pod, 0, entity.Size())
	entity.ForEachPodInfo(func(info *framework.QueuedPodInfo) bool {
		pods = append(pods, info.Pod)
		return true
	})
	return pods
}
