package reason

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"
	storagelisters "k8s.io/client-go/listers/storage/v1"
	"k8s.io/component-helpers/storage/ephemeral"
	storagehelpers "k8s.io/component-helpers/storage/volume"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// storage are a Pod's volumes and what the volume plugins look them up in.
type storage struct {
	pod     *corev1.Pod
	claims  corelisters.PersistentVolumeClaimLister
	volumes corelisters.PersistentVolumeLister
	classes storagelisters.StorageClassLister
	uses    []claimUse
}

// claimUse is one volume of the Pod that is a claim, in the order of the Pod's volumes. Two may use the same claim.
type claimUse struct {
	name string
	// ephemeral tells that the claim is made for the Pod.
	ephemeral bool
	// claim is nil when there is none.
	claim *corev1.PersistentVolumeClaim
}

func storageOf(q Question) storage {
	core, classes := q.Handle.SharedInformerFactory().Core().V1(), q.Handle.SharedInformerFactory().Storage().V1()
	out := storage{
		pod:     q.Pod,
		claims:  core.PersistentVolumeClaims().Lister(),
		volumes: core.PersistentVolumes().Lister(),
		classes: classes.StorageClasses().Lister(),
	}
	for i := range q.Pod.Spec.Volumes {
		if name, isEphemeral := volumeClaimName(q.Pod, &q.Pod.Spec.Volumes[i]); name != "" {
			out.uses = append(out.uses, claimUse{name: name, ephemeral: isEphemeral, claim: out.claim(q.Pod.Namespace, name)})
		}
	}
	return out
}

// volumeClaimName names the claim behind a Pod's volume; empty when there is none.
func volumeClaimName(pod *corev1.Pod, volume *corev1.Volume) (name string, isEphemeral bool) {
	switch {
	case volume.PersistentVolumeClaim != nil:
		return volume.PersistentVolumeClaim.ClaimName, false
	case volume.Ephemeral != nil:
		return ephemeral.VolumeClaimName(pod, volume), true
	}
	return "", false
}

// claim, volume and class return nil for what does not exist.
func (s *storage) claim(namespace, name string) *corev1.PersistentVolumeClaim {
	claim, err := s.claims.PersistentVolumeClaims(namespace).Get(name)
	if err != nil {
		return nil
	}
	return claim
}

func (s *storage) volume(name string) *corev1.PersistentVolume {
	volume, err := s.volumes.Get(name)
	if err != nil {
		return nil
	}
	return volume
}

// each collects what explain says of each claim that the Pod uses, once; explain returns nil for nothing.
func (s *storage) each(explain func(claimUse) report.Detail) report.Details {
	details, seen := report.Details{}, map[string]bool{}
	for _, u := range s.uses {
		if seen[u.name] {
			continue
		}
		if detail := explain(u); detail != nil {
			seen[u.name] = true
			details = append(details, detail)
		}
	}
	return details
}

// missingClaim is what all volume plugins say of a claim that does not exist.
func (s *storage) missingClaim(u claimUse) report.Detail {
	if u.claim != nil {
		return nil
	}
	detail := report.MissingClaim{Namespace: s.pod.Namespace, Claim: u.name, Ephemeral: u.ephemeral}
	all, err := s.claims.List(labels.Everything())
	if err != nil || u.ephemeral {
		return detail
	}
	for _, claim := range all {
		if claim.Name == u.name {
			detail.Elsewhere = append(detail.Elsewhere, claim.Namespace)
		}
	}
	slices.Sort(detail.Elsewhere)
	return detail
}

// unbound tells why a claim that is not bound cannot wait for the Pod's node: nil when it can. It follows upstream's
// volumeBinder.GetPodVolumeClaims (v1.37.2).
func (s *storage) unbound(claim *corev1.PersistentVolumeClaim) report.Detail {
	if claim.Spec.VolumeName != "" {
		if detail := s.ownVolume(claim); detail != nil {
			return detail
		}
	}
	detail := report.UnboundClaim{
		Claim:  claim.Name,
		Class:  storagehelpers.GetPersistentVolumeClaimClass(claim),
		Volume: claim.Spec.VolumeName,
	}
	if detail.Class == "" || detail.Volume != "" {
		return detail
	}
	class, err := s.classes.Get(detail.Class)
	if err != nil {
		return report.MissingStorageClass{Claim: claim.Name, Class: detail.Class}
	}
	if waits, err := storagehelpers.IsDelayBindingMode(claim, s.classes); err == nil && waits {
		return nil
	}
	if class.Provisioner != storagehelpers.NotSupportedProvisioner {
		detail.Provisioner = class.Provisioner
	}
	return detail
}

// ownVolume tells what is wrong with the PersistentVolume that the claim names: nil when it is there and not another's.
func (s *storage) ownVolume(claim *corev1.PersistentVolumeClaim) report.Detail {
	volume := s.volume(claim.Spec.VolumeName)
	if volume == nil {
		return report.MissingVolume{Claim: claim.Name, Volume: claim.Spec.VolumeName}
	}
	if holder := volume.Spec.ClaimRef; holder != nil && !storagehelpers.IsVolumeBoundToClaim(volume, claim) {
		return report.ForeignVolume{
			Namespace:       claim.Namespace,
			Claim:           claim.Name,
			Volume:          volume.Name,
			HolderNamespace: holder.Namespace,
			Holder:          holder.Name,
		}
	}
	return nil
}

// foreignClaim tells that a claim is not the one made for the Pod's ephemeral volume: nil when it is.
func (s *storage) foreignClaim(u claimUse) report.Detail {
	if !u.ephemeral || ephemeral.VolumeIsForPod(s.pod, u.claim) == nil {
		return nil
	}
	detail := report.ForeignClaim{Claim: u.name}
	if owner := metav1.GetControllerOf(u.claim); owner != nil {
		detail.Owner = strings.ToLower(owner.Kind) + "/" + owner.Name
	}
	return detail
}

// orClaims returns the details, or at least the names of the Pod's claims.
func (s *storage) orClaims(details report.Details) report.Details {
	if len(details) > 0 {
		return details
	}
	names := []string{}
	for _, u := range s.uses {
		names = append(names, u.name)
	}
	slices.Sort(names)
	return report.Details{report.PodClaims{Namespace: s.pod.Namespace, Claims: slices.Compact(names)}}
}
