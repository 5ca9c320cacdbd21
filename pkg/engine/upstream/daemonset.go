package upstream

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/daemon"
	daemonutil "k8s.io/kubernetes/pkg/controller/daemon/util"
)

// DaemonPod returns the Pod that the DaemonSet controller makes for a node, or nil when it makes none there. The Pod is
// a manifest: the API server has not admitted it yet.
func DaemonPod(ctx context.Context, set *appsv1.DaemonSet, node *corev1.Node) *corev1.Pod {
	if shouldRun, _ := daemon.NodeShouldRunDaemonPod(klog.FromContext(Quiet(ctx)), node, set); !shouldRun {
		return nil
	}
	template := daemonutil.CreatePodTemplate(set.Spec.Template, nil, "")
	pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	pod.Namespace = set.Namespace
	pod.Spec.Affinity = daemonutil.ReplaceDaemonSetPodNodeNameNodeAffinity(pod.Spec.Affinity, node.Name)
	return pod
}
