package controlplane

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	storagehelpers "k8s.io/component-helpers/storage/volume"
)

// volumeController completes what kube-scheduler decided about volumes.
type volumeController struct {
	client kubernetes.Interface
}

// bind completes the binding of a volume that names a claim, whoever wrote the name there; others it offers. The
// volume's phase comes last: until then a failed step is tried again.
func (c *volumeController) bind(ctx context.Context, volume *corev1.PersistentVolume) error {
	ref := volume.Spec.ClaimRef
	switch {
	case ref == nil:
		return c.setPhase(ctx, volume, corev1.VolumeAvailable)
	case volume.Status.Phase == corev1.VolumeBound:
		return nil
	}
	claim, err := c.client.CoreV1().PersistentVolumeClaims(ref.Namespace).Get(ctx, ref.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the claim of volume %s: %w", volume.Name, err)
	}
	if claim.Spec.VolumeName != "" && claim.Spec.VolumeName != volume.Name {
		return nil
	}
	if err := c.bindClaim(ctx, claim, volume); err != nil {
		return fmt.Errorf("binding claim %s/%s: %w", claim.Namespace, claim.Name, err)
	}
	if err := c.bindVolume(ctx, volume.DeepCopy(), claim); err != nil {
		return fmt.Errorf("binding volume %s: %w", volume.Name, err)
	}
	return nil
}

func (c *volumeController) bindVolume(ctx context.Context, volume *corev1.PersistentVolume,
	claim *corev1.PersistentVolumeClaim,
) error {
	volume.Spec.ClaimRef.UID = claim.UID
	updated, err := c.client.CoreV1().PersistentVolumes().Update(ctx, volume, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	return c.setPhase(ctx, updated, corev1.VolumeBound)
}

func (c *volumeController) setPhase(ctx context.Context, volume *corev1.PersistentVolume,
	phase corev1.PersistentVolumePhase,
) error {
	if volume.Status.Phase == phase {
		return nil
	}
	changed := volume.DeepCopy()
	changed.Status.Phase = phase
	_, err := c.client.CoreV1().PersistentVolumes().UpdateStatus(ctx, changed, metav1.UpdateOptions{})
	return err
}

func (c *volumeController) bindClaim(ctx context.Context, claim *corev1.PersistentVolumeClaim,
	volume *corev1.PersistentVolume,
) error {
	claims := c.client.CoreV1().PersistentVolumeClaims(claim.Namespace)
	claim.Spec.VolumeName = volume.Name
	metav1.SetMetaDataAnnotation(&claim.ObjectMeta, storagehelpers.AnnBindCompleted, "yes")
	updated, err := claims.Update(ctx, claim, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	updated.Status.Phase = corev1.ClaimBound
	updated.Status.AccessModes = volume.Spec.AccessModes
	updated.Status.Capacity = volume.Spec.Capacity
	_, err = claims.UpdateStatus(ctx, updated, metav1.UpdateOptions{})
	return err
}

// AnnHeld is the annotation of a claim for which no volume is made as long as it has it.
const AnnHeld = "e2e.example.com/held"

// provision makes the volume of a claim for which kube-scheduler has selected a node; bind does the rest.
func (c *volumeController) provision(ctx context.Context, claim *corev1.PersistentVolumeClaim) error {
	node := claim.Annotations[storagehelpers.AnnSelectedNode]
	if node == "" || claim.Spec.VolumeName != "" || metav1.HasAnnotation(claim.ObjectMeta, AnnHeld) {
		return nil
	}
	_, err := c.client.CoreV1().PersistentVolumes().Create(ctx, provisioned(claim, node), metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("provisioning a volume for claim %s/%s: %w", claim.Namespace, claim.Name, err)
	}
	return nil
}

func provisioned(claim *corev1.PersistentVolumeClaim, node string) *corev1.PersistentVolume {
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "pvc-" + string(claim.UID)},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:         claim.Spec.Resources.Requests,
			AccessModes:      claim.Spec.AccessModes,
			StorageClassName: *claim.Spec.StorageClassName,
			ClaimRef: &corev1.ObjectReference{
				APIVersion: "v1", Kind: "PersistentVolumeClaim",
				Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID,
			},
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				HostPath: &corev1.HostPathVolumeSource{Path: "/volumes/" + claim.Name},
			},
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{
					MatchExpressions: []corev1.NodeSelectorRequirement{{
						Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{node},
					}},
				}},
			}},
		},
	}
}
