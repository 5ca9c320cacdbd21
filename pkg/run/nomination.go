package run

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/features"
	schedulerutil "k8s.io/kubernetes/pkg/scheduler/util"
)

// nominationTimeout is how long taking back a nomination may take.
const nominationTimeout = 5 * time.Second

// clearNomination takes back what upstream's binding cycle wrote into the Pod's status before it waited for volumes or
// devices: the node that the Pod is expected on. Upstream's own FailureHandler does it; otherwise the Pod would keep
// others off that node.
func (s *Session) clearNomination(ctx context.Context, pod *corev1.Pod) {
	if s.static || !utilfeature.DefaultFeatureGate.Enabled(features.NominatedNodeNameForExpectation) {
		return
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), nominationTimeout)
	defer stop()
	nominated, cleared := pod.Status.DeepCopy(), pod.Status.DeepCopy()
	nominated.NominatedNodeName, cleared.NominatedNodeName = pod.Spec.NodeName, ""
	// As upstream, which only logs an error here: the Pod may be gone, and whoever schedules it next nominates anew.
	_ = schedulerutil.PatchPodStatus(ctx, s.client, pod.Name, pod.Namespace, nominated, cleared)
}
