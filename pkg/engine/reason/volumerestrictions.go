package reason

import (
	"cmp"
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	corev1helpers "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// volumeRestrictions names the Pods that have what the Pod wants for itself: a claim, anywhere, or a disk on the node
// (volumerestrictions.VolumeRestrictions, v1.37.2).
func volumeRestrictions(_ context.Context, q Question) explain {
	s := storageOf(q)
	exclusive := s.exclusiveClaims()
	var holders report.Details // of the whole cluster, looked for once
	return func(_ context.Context, r rejection) report.Details {
		if r.node == nil {
			return s.orClaims(s.each(func(u claimUse) report.Detail {
				if u.ephemeral { // the plugin reads no others
					return nil
				}
				return s.missingClaim(u)
			}))
		}
		details := diskConflicts(q.Pod, r.node)
		if holders == nil {
			holders = clusterHolders(q, exclusive)
		}
		if len(holders) > 0 {
			return append(details, holders...)
		}
		// Not in use by a Pod of the cluster: by one that is nominated to the node.
		return s.orClaims(append(details, exclusive.holdersOn(r.node)...))
	}
}

// exclusive are claims, by key, that one Pod at a time may use.
type exclusive map[string]*corev1.PersistentVolumeClaim

// exclusiveClaims follows VolumeRestrictions.readWriteOncePodPVCsForPod (v1.37.2).
func (s *storage) exclusiveClaims() exclusive {
	out := exclusive{}
	for _, u := range s.uses {
		if !u.ephemeral && u.claim != nil &&
			corev1helpers.ContainsAccessMode(u.claim.Spec.AccessModes, corev1.ReadWriteOncePod) {
			out[framework.GetNamespacedName(u.claim.Namespace, u.name)] = u.claim
		}
	}
	return out
}

// clusterHolders finds all Pods that use one of the claims.
func clusterHolders(q Question, claims exclusive) report.Details {
	holders := report.Details{}
	nodes, err := q.Handle.SnapshotSharedLister().NodeInfos().List()
	if err != nil || len(claims) == 0 {
		return holders
	}
	for _, node := range nodes {
		holders = append(holders, claims.holdersOn(node)...)
	}
	return sortHolders(holders)
}

// holdersOn finds the Pods of a node that use one of the claims.
func (e exclusive) holdersOn(node fwk.NodeInfo) report.Details {
	holders := report.Details{}
	for key, claim := range e {
		if node.GetPVCRefCounts()[key] == 0 {
			continue
		}
		for _, info := range node.GetPods() {
			if pod := info.GetPod(); pod.Namespace == claim.Namespace && usesClaim(pod, claim.Name) {
				holders = append(holders, report.ClaimInUse{
					Namespace: claim.Namespace, Claim: claim.Name, Pod: pod.Name, Node: node.Node().Name,
				})
			}
		}
	}
	return sortHolders(holders)
}

func sortHolders(holders report.Details) report.Details {
	slices.SortFunc(holders, func(a, b report.Detail) int {
		one, other := a.(report.ClaimInUse), b.(report.ClaimInUse)
		return cmp.Or(strings.Compare(one.Claim, other.Claim), strings.Compare(one.Pod, other.Pod))
	})
	return holders
}

func usesClaim(pod *corev1.Pod, claim string) bool {
	return slices.ContainsFunc(pod.Spec.Volumes, func(volume corev1.Volume) bool {
		return volume.PersistentVolumeClaim != nil && volume.PersistentVolumeClaim.ClaimName == claim
	})
}
