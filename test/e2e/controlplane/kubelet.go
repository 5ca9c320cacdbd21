package controlplane

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// letGo removes a terminating Pod from its node, as a kubelet does when the containers have ended. A finalizer holds
// the Pod back, which is how a test keeps one terminating.
func letGo(ctx context.Context, client kubernetes.Interface, pod *corev1.Pod) error {
	if pod.DeletionTimestamp == nil || pod.Spec.NodeName == "" || len(pod.Finalizers) > 0 {
		return nil
	}
	options := metav1.NewDeleteOptions(0)
	options.Preconditions = metav1.NewUIDPreconditions(string(pod.UID))
	err := client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, *options)
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}
