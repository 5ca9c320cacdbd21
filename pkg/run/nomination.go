package run

import (
	"context"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/features"
	schedulerutil "k8s.io/kubernetes/pkg/scheduler/util"
)

// nominationTimeout is how long taking back a nomination may take.
const nominationTimeout = 10 * time.Second

// clearNomination takes back what upstream's binding cycle wrote into the Pod's status before it waited for volumes or
// devices: the node that the Pod is expected on. Upstream's own FailureHandler does it; otherwise the Pod would keep
// others off that node.
func (f *feed) clearNomination(ctx context.Context, pod *corev1.Pod) {
	nominates := utilfeature.DefaultFeatureGate.Enabled(features.NominatedNodeNameForExpectation)
	if f.watches == nil || !nominates || !mayBeNominated(pod) {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), nominationTimeout)
	defer stop()
	nominated, cleared := pod.Status.DeepCopy(), pod.Status.DeepCopy()
	nominated.NominatedNodeName, cleared.NominatedNodeName = pod.Spec.NodeName, ""
	// As upstream, which only logs an error here: the Pod may be gone, and whoever schedules it next nominates anew.
	_ = schedulerutil.PatchPodStatus(ctx, f.client, pod.Name, pod.Namespace, nominated, cleared)
}

// mayBeNominated tells whether upstream may have waited for something before the Pod could be bound: volumes, devices
// (which may stand behind an extended resource), or other Pods of its group.
func mayBeNominated(pod *corev1.Pod) bool {
	hasClaim := func(volume corev1.Volume) bool { return volume.PersistentVolumeClaim != nil || volume.Ephemeral != nil }
	extended := func(container corev1.Container) bool {
		for name := range container.Resources.Requests {
			if strings.Contains(string(name), "/") {
				return true
			}
		}
		return false
	}
	return len(pod.Spec.ResourceClaims) > 0 || inGroup(pod) ||
		slices.ContainsFunc(pod.Spec.Volumes, hasClaim) ||
		slices.ContainsFunc(pod.Spec.Containers, extended) || slices.ContainsFunc(pod.Spec.InitContainers, extended)
}
