package fix

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// volumeUse makes claims that are missing, or ends the one Pod that has what only one Pod may use.
func (p *planner) volumeUse(r report.Rejection, node *corev1.Node) []change {
	if node == nil {
		return p.createClaims()
	}
	var holders []string
	for _, detail := range r.Details {
		switch d := detail.(type) {
		case report.ClaimInUse:
			holders = append(holders, d.Namespace+"/"+d.Pod)
		case report.DiskInUse:
			holders = append(holders, d.Namespace+"/"+d.Pod)
		default:
			return nil
		}
	}
	slices.Sort(holders)
	if holders = slices.Compact(holders); len(holders) != 1 {
		return nil
	}
	pod := podCalled(p.State.Pods, holders[0])
	if pod == nil {
		return nil
	}
	end := move(pod)
	end.key, end.moves = fmt.Sprintf("end %s/%s", pod.Namespace, pod.Name), false
	end.command = fmt.Sprintf("kubectl delete pod/%s%s", pod.Name, namespaceFlag(pod.Namespace))
	end.text = fmt.Sprintf("end pod %s/%s, which has the volume", pod.Namespace, pod.Name)
	return []change{end}
}

// volumeBinding makes claims or StorageClasses that are missing.
func (p *planner) volumeBinding(r report.Rejection, node *corev1.Node) []change {
	if node != nil {
		return nil // no volume can be moved
	}
	if out := p.createClaims(); len(out) > 0 {
		return out
	}
	for _, detail := range r.Details {
		if d, ok := detail.(report.MissingStorageClass); ok {
			return p.createClass(d.Class)
		}
	}
	return nil
}

// createClaims makes the claims that the Pod names and that do not exist, of a class that binds them when the Pod is
// scheduled. A claim of another class would have to be bound first, and nobody knows where.
func (p *planner) createClaims() []change {
	var names []string
	for _, volume := range p.Pod.Spec.Volumes {
		if claim := volume.PersistentVolumeClaim; claim != nil && !p.hasClaim(claim.ClaimName) &&
			!slices.Contains(names, claim.ClaimName) {
			names = append(names, claim.ClaimName)
		}
	}
	class := p.lateBinding()
	if len(names) == 0 || class == nil {
		return nil
	}
	claims := make([]*corev1.PersistentVolumeClaim, 0, len(names))
	for _, name := range names {
		claims = append(claims, newClaim(p.Pod.Namespace, name, class.Name))
	}
	return []change{{
		key: "claims " + strings.Join(names, " "), effort: createObject,
		text: fmt.Sprintf("create the %s %s (StorageClass %s)",
			plural(len(names), "PersistentVolumeClaim", "PersistentVolumeClaims"), strings.Join(names, " and "), class.Name),
		kind: "PersistentVolumeClaim", namespace: p.Pod.Namespace, name: names[0], claims: claims,
	}}
}

func (p *planner) hasClaim(name string) bool {
	return slices.ContainsFunc(p.State.PersistentVolumeClaims, func(claim *corev1.PersistentVolumeClaim) bool {
		return claim.Namespace == p.Pod.Namespace && claim.Name == name
	})
}

func newClaim(namespace, name, class string) *corev1.PersistentVolumeClaim {
	mode := corev1.PersistentVolumeFilesystem
	return &corev1.PersistentVolumeClaim{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolumeClaim"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			StorageClassName: &class,
			VolumeMode:       &mode,
			Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
			},
		},
		Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending},
	}
}

// lateBinding is the class that binds volumes when their Pod is scheduled and makes them itself: the default one, or
// else the first by name. It is nil when there is none.
func (p *planner) lateBinding() *storagev1.StorageClass {
	var best *storagev1.StorageClass
	for _, class := range p.State.StorageClasses {
		late := class.VolumeBindingMode != nil && *class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer
		if !late || class.Provisioner == "kubernetes.io/no-provisioner" {
			continue
		}
		isDefault := class.Annotations["storageclass.kubernetes.io/is-default-class"] == "true"
		if best == nil || isDefault {
			best = class
		}
		if isDefault {
			break
		}
	}
	return best
}

// createClass makes a StorageClass like one that is there.
func (p *planner) createClass(name string) []change {
	like := p.lateBinding()
	if like == nil {
		return nil
	}
	class := &storagev1.StorageClass{
		TypeMeta:          metav1.TypeMeta{APIVersion: "storage.k8s.io/v1", Kind: "StorageClass"},
		ObjectMeta:        metav1.ObjectMeta{Name: name},
		Provisioner:       like.Provisioner,
		Parameters:        like.Parameters,
		ReclaimPolicy:     like.ReclaimPolicy,
		VolumeBindingMode: like.VolumeBindingMode,
	}
	return []change{{
		key: "class " + name, effort: createObject,
		text: fmt.Sprintf("create the StorageClass %s like %s (provisioner %s)", name, like.Name, like.Provisioner),
		kind: "StorageClass", name: name, class: class,
	}}
}
