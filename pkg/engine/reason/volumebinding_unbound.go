package reason

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagehelpers "k8s.io/component-helpers/storage/volume"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// unboundClaims are the Pod's claims that are bound when it has a node.
type unboundClaims struct {
	// claims are in the order of the Pod's volumes; one that two volumes use is there twice, as upstream has it.
	claims  []*corev1.PersistentVolumeClaim
	shelves map[string]*staticVolumes
	makers  map[string]*provisioning // by class
}

// newUnboundClaims follows volumeBinder.GetPodVolumeClaims (v1.37.2).
func newUnboundClaims(q Question, s *storage) *unboundClaims {
	out := &unboundClaims{shelves: map[string]*staticVolumes{}, makers: map[string]*provisioning{}}
	for _, u := range s.uses {
		if u.claim == nil || isClaimBound(u.claim) || u.claim.Spec.VolumeName != "" {
			continue
		}
		waits, err := storagehelpers.IsDelayBindingMode(u.claim, s.classes)
		if err != nil || !waits {
			continue
		}
		out.claims = append(out.claims, u.claim)
		class := storagehelpers.GetPersistentVolumeClaimClass(u.claim)
		if out.shelves[class] == nil {
			out.shelves[class], out.makers[class] = newStaticVolumes(s, class), newProvisioning(q, s, class)
		}
	}
	return out
}

// unserved tells which of the claims get no volume on the node, and why: first what makes the plugin say that there is
// no volume to bind, then what makes it say that there is not enough storage. It follows volumeBinder.FindPodVolumes
// (v1.37.2).
func (w *unboundClaims) unserved(node *corev1.Node) report.Details {
	var toMatch, toMake []*corev1.PersistentVolumeClaim
	for _, claim := range w.claims {
		switch selected, found := claim.Annotations[storagehelpers.AnnSelectedNode]; {
		case !found:
			toMatch = append(toMatch, claim)
		case selected != node.Name:
			return report.Details{report.SelectedNode{Claim: claim.Name, Node: selected}}
		default:
			toMake = append(toMake, claim)
		}
	}
	matching := w.match(toMatch, node)
	var unmatched, full report.Details
	seen := map[string]bool{}
	for _, claim := range append(toMake, matching.left...) {
		maker := w.makers[storagehelpers.GetPersistentVolumeClaimClass(claim)]
		if seen[claim.Name] {
			continue
		}
		seen[claim.Name] = true
		switch {
		case !maker.makes():
			unmatched = append(unmatched, matching.why(claim, node)...)
		case !maker.allows(node):
			unmatched = append(unmatched, maker.elsewhere(claim, node))
		default:
			full = append(full, maker.tooLarge(claim, node)...)
		}
	}
	return append(unmatched, full...)
}

// match gives the claims volumes on the node, the smallest claim first (volumeBinder.findMatchingVolumes, v1.37.2).
func (w *unboundClaims) match(claims []*corev1.PersistentVolumeClaim, node *corev1.Node) *claimMatching {
	out := &claimMatching{shelves: w.shelves, chosen: volumesByName{}}
	slices.SortStableFunc(claims, func(a, b *corev1.PersistentVolumeClaim) int {
		sizeA, sizeB := claimSize(a), claimSize(b)
		return sizeA.Cmp(sizeB)
	})
	for _, claim := range claims {
		shelf := w.shelves[storagehelpers.GetPersistentVolumeClaimClass(claim)]
		volume, err := shelf.find(claim, node, out.chosen)
		if err != nil || volume == nil {
			out.left = append(out.left, claim)
			continue
		}
		out.chosen[volume.Name] = volume
	}
	return out
}

// claimMatching is which volumes on a node the Pod's claims would get.
type claimMatching struct {
	shelves map[string]*staticVolumes
	chosen  volumesByName
	left    []*corev1.PersistentVolumeClaim // those that get none
}

// why tells why the claim gets no volume that is there already.
func (m *claimMatching) why(claim *corev1.PersistentVolumeClaim, node *corev1.Node) report.Details {
	return m.shelves[storagehelpers.GetPersistentVolumeClaimClass(claim)].why(claim, node, m.chosen)
}
