package reason

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	storagehelpers "k8s.io/component-helpers/storage/volume"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// volumeBinding explains VolumeBinding (v1.37.2): a claim that rules the Pod out everywhere, a bound volume that the
// node cannot reach, and an unbound claim for which there is and can be no volume on the node. The plugin stops at the
// first claim of each kind; all are named here.
func volumeBinding(_ context.Context, q Question) explain {
	s := storageOf(q)
	bound := s.boundVolumes()
	waiting := newUnboundClaims(q, &s)
	csiNodes := q.Handle.SharedInformerFactory().Storage().V1().CSINodes().Lister()
	return func(_ context.Context, r rejection) report.Details {
		if r.node == nil {
			return s.orClaims(s.each(s.refused))
		}
		node := r.node.Node()
		csiNode, err := csiNodes.Get(node.Name)
		if err != nil {
			csiNode = nil
		}
		details := report.Details{}
		for _, volume := range bound {
			details = append(details, volume.outOfReach(node, csiNode)...)
		}
		details = append(details, waiting.unserved(node)...)
		// In the order of the plugin's reasons, of which this is the last.
		return s.orClaims(append(details, s.each(s.gone)...))
	}
}

// refused tells why a claim rules the Pod out on every node (VolumeBinding.podHasPVCs and PreFilter, v1.37.2).
func (s *storage) refused(u claimUse) report.Detail {
	claim := u.claim
	switch {
	case claim == nil:
		return s.missingClaim(u)
	case claim.Status.Phase == corev1.ClaimLost:
		return s.lost(claim)
	case claim.DeletionTimestamp != nil:
		return report.DeletedClaim{Claim: u.name}
	}
	if detail := s.foreignClaim(u); detail != nil || isClaimBound(claim) {
		return detail
	}
	return s.unbound(claim)
}

// lost tells why a claim of phase Lost is that.
func (s *storage) lost(claim *corev1.PersistentVolumeClaim) report.Detail {
	if detail := s.ownVolume(claim); detail != nil {
		return detail
	}
	return report.LostClaim{Claim: claim.Name, Volume: claim.Spec.VolumeName}
}

// isClaimBound follows volumeBinder.isPVCFullyBound (v1.37.2).
func isClaimBound(claim *corev1.PersistentVolumeClaim) bool {
	return claim.Spec.VolumeName != "" && metav1.HasAnnotation(claim.ObjectMeta, storagehelpers.AnnBindCompleted)
}

// gone tells that the volume of a bound claim does not exist.
func (s *storage) gone(u claimUse) report.Detail {
	if u.claim == nil || !isClaimBound(u.claim) || s.volume(u.claim.Spec.VolumeName) != nil {
		return nil
	}
	return report.MissingVolume{Claim: u.name, Volume: u.claim.Spec.VolumeName}
}

// boundVolumes are the volumes of the Pod's bound claims.
func (s *storage) boundVolumes() []boundVolume {
	var out []boundVolume
	for _, u := range s.uses {
		known := slices.ContainsFunc(out, func(b boundVolume) bool { return b.claim == u.name })
		if known || u.claim == nil || !isClaimBound(u.claim) {
			continue
		}
		if volume := s.volume(u.claim.Spec.VolumeName); volume != nil {
			out = append(out, newBoundVolume(u.claim, volume))
		}
	}
	return out
}
