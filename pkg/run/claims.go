package run

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// assumeClaims does for a plan what the DynamicResources plugin's PreBind (v1.37.2) does after it has written the Pod's
// claims: they count as allocated, and reserved for the Pod, from then on. Other Pods may share them.
func assumeClaims(fw framework.Framework, pod *corev1.Pod) error {
	if fw.SharedDRAManager() == nil {
		return nil
	}
	tracker := fw.SharedDRAManager().ResourceClaims()
	for i := range pod.Spec.ResourceClaims {
		name, _, err := resourceclaim.Name(pod, &pod.Spec.ResourceClaims[i])
		if err != nil {
			return fmt.Errorf("finding the claims of pod %s/%s: %w", pod.Namespace, pod.Name, err)
		}
		if name == nil {
			continue
		}
		claim, err := tracker.Get(pod.Namespace, *name)
		if err != nil {
			return fmt.Errorf("assuming claim %s/%s: %w", pod.Namespace, *name, err)
		}
		claim = claim.DeepCopy()
		if pending := tracker.GetPendingAllocation(claim.UID); pending != nil {
			claim.Status.Allocation = pending.DeepCopy()
		}
		claim.Status.ReservedFor = append(claim.Status.ReservedFor,
			resourcev1.ResourceClaimConsumerReference{Resource: "pods", Name: pod.Name, UID: pod.UID})
		if err := tracker.AssumeClaimAfterAPICall(claim); err != nil {
			return fmt.Errorf("assuming claim %s/%s: %w", pod.Namespace, *name, err)
		}
		tracker.MaybeRemoveClaimPendingAllocation(claim.UID, true)
	}
	return nil
}
