package run

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/pager"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// CatchUp returns when the Loop counts in every Pod that is on a node now, or the error that ended the context. Whoever
// follows another scheduler calls it before Run: the room that the other gave away last would be given once more as
// long as the watch has not told of it, which takes a moment, and much longer when the watches are cut.
func (l *Loop) CatchUp(ctx context.Context) error {
	var placed []*corev1.Pod
	err := wait.PollUntilContextCancel(ctx, outagePoll, true, func(ctx context.Context) (done bool, err error) {
		placed, err = l.placed(ctx)
		return err == nil, nil // the API server may be out of reach; whoever runs the Loop tells of it
	})
	if err == nil {
		err = wait.PollUntilContextCancel(ctx, outagePoll, true, func(context.Context) (done bool, err error) {
			placed = slices.DeleteFunc(placed, l.counts)
			return len(placed) == 0 && l.Watched(), nil
		})
	}
	if err != nil {
		return fmt.Errorf("reading what was bound last: %w", context.Cause(ctx))
	}
	return nil
}

// placed lists the Pods that are on a node, as the store has them now, and nothing but what tells them apart.
func (l *Loop) placed(ctx context.Context) ([]*corev1.Pod, error) {
	var placed []*corev1.Pod
	list := pager.New(pager.SimplePageFunc(func(options metav1.ListOptions) (runtime.Object, error) {
		return l.client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, options)
	}))
	options := metav1.ListOptions{FieldSelector: cluster.FieldSelector(cluster.KindOf(&corev1.Pod{}))}
	err := list.EachListItem(ctx, options, func(object runtime.Object) error {
		if pod := object.(*corev1.Pod); pod.Spec.NodeName != "" {
			placed = append(placed, &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{
					Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, ResourceVersion: pod.ResourceVersion,
				},
				Spec: corev1.PodSpec{NodeName: pod.Spec.NodeName},
			})
		}
		return nil
	})
	return placed, err
}

// counts tells whether the Loop knows of a Pod that it is on its node, or has heard that it is gone.
func (l *Loop) counts(pod *corev1.Pod) bool {
	if known, err := l.sched.Cache.GetPod(pod); err == nil {
		return known.Spec.NodeName == pod.Spec.NodeName
	}
	pods := l.factory.Core().V1().Pods()
	order, err := resourceversion.CompareResourceVersion(pods.Informer().LastSyncResourceVersion(), pod.ResourceVersion)
	if err != nil || order < 0 {
		return false // nothing that happened to the Pod since has been heard
	}
	current, err := pods.Lister().Pods(pod.Namespace).Get(pod.Name)
	return apierrors.IsNotFound(err) || err == nil && current.UID != pod.UID
}
