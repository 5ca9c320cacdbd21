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
	owner := (*metav1.OwnerReference)(nil)
	if pod != nil {
		owner = metav1.GetControllerOf(pod)
	}
	switch own := metav1.GetControllerOf(p.Pod); {
	case pod == nil, pod.Spec.NodeName == "", pod.DeletionTimestamp != nil: // it is nominated only, or ends already
		return nil
	case p.needed(pod), p.protected(pod), own != nil && owner != nil && own.UID == owner.UID:
		return nil
	}
	end := move(pod)
	end.key, end.moves = fmt.Sprintf("end %s/%s", pod.Namespace, pod.Name), false
	end.command = command("kubectl", "delete", "pod/"+pod.Name, "-n", pod.Namespace)
	end.text = fmt.Sprintf("end pod %s/%s, which has the volume", pod.Namespace, pod.Name)
	if owner != nil {
		end.text += fmt.Sprintf(" (stop its %s first: it would be made anew)", owner.Kind)
	}
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

// createClaims makes the claims that the Pod names and that do not exist: as the template of its StatefulSet has them,
// or else some of a class that binds them when the Pod is scheduled. A claim of another class would have to be bound
// first, and nobody knows where.
func (p *planner) createClaims() []change {
	var names, texts []string
	var claims []*corev1.PersistentVolumeClaim
	for _, volume := range p.Pod.Spec.Volumes {
		source := volume.PersistentVolumeClaim
		if source == nil || p.hasClaim(source.ClaimName) || slices.Contains(names, source.ClaimName) {
			continue
		}
		claim, text := p.claimFor(volume.Name, source.ClaimName)
		if claim == nil {
			return nil
		}
		names, texts, claims = append(names, claim.Name), append(texts, text), append(claims, claim)
	}
	if len(claims) == 0 {
		return nil
	}
	return []change{{
		key: "claims " + strings.Join(names, " "), effort: createObject,
		text: "create the " + plural(len(names), "PersistentVolumeClaim ", "PersistentVolumeClaims ") +
			strings.Join(texts, " and "),
		kind: "PersistentVolumeClaim", namespace: p.Pod.Namespace, name: names[0], claims: claims,
	}}
}

// claimFor makes one claim, and says what it is.
func (p *planner) claimFor(volume, name string) (claim *corev1.PersistentVolumeClaim, text string) {
	if template := p.claimTemplate(volume); template != nil {
		size := template.Spec.Resources.Requests[corev1.ResourceStorage]
		claim = newClaim(p.Pod.Namespace, name, "")
		claim.Spec = *template.Spec.DeepCopy()
		return claim, fmt.Sprintf("%s as its StatefulSet has it (%s)", name, size.String())
	}
	class := p.lateBinding()
	if class == nil {
		return nil, ""
	}
	claim = newClaim(p.Pod.Namespace, name, class.Name)
	return claim, fmt.Sprintf("%s (say, 1Gi of StorageClass %s, ReadWriteOnce)", name, class.Name)
}

// claimTemplate returns the template of a volume in the StatefulSet that owns the Pod.
func (p *planner) claimTemplate(volume string) *corev1.PersistentVolumeClaim {
	owner := metav1.GetControllerOf(p.Pod)
	if owner == nil || owner.Kind != "StatefulSet" {
		return nil
	}
	set := find(p.State.StatefulSets, p.Pod.Namespace, owner.Name)
	if set == nil {
		return nil
	}
	for i := range set.Spec.VolumeClaimTemplates {
		if set.Spec.VolumeClaimTemplates[i].Name == volume {
			return &set.Spec.VolumeClaimTemplates[i]
		}
	}
	return nil
}

func (p *planner) hasClaim(name string) bool {
	return find(p.State.PersistentVolumeClaims, p.Pod.Namespace, name) != nil
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

// noProvisioner is the provisioner of classes whose volumes are made by hand.
const noProvisioner = "kubernetes.io/no-provisioner"

// lateBinding is the class that binds volumes when their Pod is scheduled and makes them itself: the default one, or
// else the first by name. It is nil when there is none.
func (p *planner) lateBinding() *storagev1.StorageClass {
	var best *storagev1.StorageClass
	for _, class := range p.State.StorageClasses {
		late := class.VolumeBindingMode != nil && *class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer
		if !late || class.Provisioner == noProvisioner {
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

// createClass makes a StorageClass like one that is there, but one that waits for the Pod.
func (p *planner) createClass(name string) []change {
	like := p.lateBinding()
	for i := 0; like == nil && i < len(p.State.StorageClasses); i++ {
		if class := p.State.StorageClasses[i]; class.Provisioner != noProvisioner {
			like = class
		}
	}
	if like == nil {
		return nil
	}
	waits := storagev1.VolumeBindingWaitForFirstConsumer
	class := &storagev1.StorageClass{
		TypeMeta:          metav1.TypeMeta{APIVersion: "storage.k8s.io/v1", Kind: "StorageClass"},
		ObjectMeta:        metav1.ObjectMeta{Name: name},
		Provisioner:       like.Provisioner,
		Parameters:        like.Parameters,
		ReclaimPolicy:     like.ReclaimPolicy,
		VolumeBindingMode: &waits,
	}
	return []change{{
		key: "class " + name, effort: createObject,
		text: fmt.Sprintf("create the StorageClass %s (say, like %s: provisioner %s, WaitForFirstConsumer)", name,
			like.Name, like.Provisioner),
		kind: "StorageClass", name: name, class: class,
	}}
}
