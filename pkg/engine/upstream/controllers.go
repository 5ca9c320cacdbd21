package upstream

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/storage/ephemeral"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// WithClaims does for a Pod that is not in the cluster what controllers do once it is: it makes the claims of generic
// ephemeral volumes (pkg/controller/volume/ephemeral, v1.37.2) and of ResourceClaimTemplates
// (pkg/controller/resourceclaim). made are claims that are made already, those of a StatefulSet.
func WithClaims(state *cluster.State, pod *corev1.Pod, made []*corev1.PersistentVolumeClaim) Subject {
	subject := Subject{Pod: pod.DeepCopy()}
	owner := *metav1.NewControllerRef(subject.Pod, corev1.SchemeGroupVersion.WithKind("Pod"))
	for _, claim := range made {
		subject.VolumeClaims = append(subject.VolumeClaims, stored(state, claim))
	}
	for i := range pod.Spec.Volumes {
		if volume := &pod.Spec.Volumes[i]; volume.Ephemeral != nil && volume.Ephemeral.VolumeClaimTemplate != nil {
			claim := ephemeralClaim(pod, volume, owner)
			subject.VolumeClaims = append(subject.VolumeClaims, stored(state, claim))
		}
	}
	templates := map[string]*resourcev1.ResourceClaimTemplate{}
	for _, template := range state.ResourceClaimTemplates {
		if template.Namespace == pod.Namespace {
			templates[template.Name] = template
		}
	}
	for _, podClaim := range pod.Spec.ResourceClaims {
		if podClaim.ResourceClaimTemplateName == nil {
			continue
		}
		if template := templates[*podClaim.ResourceClaimTemplateName]; template != nil {
			subject.addResourceClaim(podClaim.Name, template, owner)
		}
	}
	return subject
}

func ephemeralClaim(pod *corev1.Pod, volume *corev1.Volume, owner metav1.OwnerReference) *corev1.PersistentVolumeClaim {
	template := volume.Ephemeral.VolumeClaimTemplate
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       pod.Namespace,
			Name:            ephemeral.VolumeClaimName(pod, volume),
			Labels:          maps.Clone(template.Labels),
			Annotations:     maps.Clone(template.Annotations),
			OwnerReferences: []metav1.OwnerReference{owner},
		},
		Spec: *template.Spec.DeepCopy(),
	}
}

// addResourceClaim makes a claim from its template and notes it in the Pod's status, where DynamicResources looks.
func (s *Subject) addResourceClaim(name string, template *resourcev1.ResourceClaimTemplate,
	owner metav1.OwnerReference,
) {
	annotations := maps.Clone(template.Spec.Annotations)
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[resourcev1.PodResourceClaimAnnotation] = name
	claim := &resourcev1.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       s.Pod.Namespace,
			Name:            s.Pod.Name + "-" + name,
			Labels:          maps.Clone(template.Spec.Labels),
			Annotations:     annotations,
			OwnerReferences: []metav1.OwnerReference{owner},
		},
		Spec: *template.Spec.Spec.DeepCopy(),
	}
	claim.UID = syntheticUID("claim", claim.Namespace, claim.Name)
	apiScheme().Default(claim)
	s.ResourceClaims = append(s.ResourceClaims, claim)
	s.Pod.Status.ResourceClaimStatuses = append(s.Pod.Status.ResourceClaimStatuses,
		corev1.PodResourceClaimStatus{Name: name, ResourceClaimName: &claim.Name})
}

// stored is a new claim as the API server stores it, with the default storage class when it names none.
func stored(state *cluster.State, claim *corev1.PersistentVolumeClaim) *corev1.PersistentVolumeClaim {
	claim.UID = syntheticUID("claim", claim.Namespace, claim.Name)
	apiScheme().Default(claim)
	if class := defaultClass(state.StorageClasses); claim.Spec.StorageClassName == nil && class != nil {
		claim.Spec.StorageClassName = &class.Name
	}
	return claim
}

// defaultClass is the newest of the classes marked as default; among those of one age the first by name, as the
// DefaultStorageClass admission plugin chooses (pkg/volume/util.GetDefaultClass, v1.37.2).
func defaultClass(classes []*storagev1.StorageClass) *storagev1.StorageClass {
	var best *storagev1.StorageClass
	for _, class := range classes {
		if class.Annotations["storageclass.kubernetes.io/is-default-class"] != "true" &&
			class.Annotations["storageclass.beta.kubernetes.io/is-default-class"] != "true" {
			continue
		}
		if best == nil || class.CreationTimestamp.After(best.CreationTimestamp.Time) ||
			class.CreationTimestamp.Equal(&best.CreationTimestamp) && class.Name < best.Name {
			best = class
		}
	}
	return best
}
