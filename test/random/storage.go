package random

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	driver        = "csi.example.com"
	noProvisioner = "kubernetes.io/no-provisioner"
)

// The claims of every namespace. Those not named here are missing.
var (
	boundClaims   = []string{"bound-0", "bound-1", "bound-2"}
	unboundClaims = []string{"wait-0", "local-0", "immediate-0", "lost-0", "classless-0", "unknown-0", "deleted-0"}
)

func (b *builder) storage() {
	b.classes()
	b.csiNodes()
	for _, namespace := range namespaces {
		for _, name := range slices.Sorted(slices.Values(slices.Concat(boundClaims, unboundClaims))) {
			claim := b.claim(namespace, name)
			if slices.Contains(boundClaims, name) {
				b.bind(claim)
			}
			b.state.PersistentVolumeClaims = append(b.state.PersistentVolumeClaims, claim)
		}
	}
	for i := range b.between(0, 3) {
		volume := b.volume(fmt.Sprintf("local-%d", i), "local")
		volume.Spec.NodeAffinity = affinityTo(corev1.LabelHostname, one(b.source, b.state.Nodes...).Name)
		volume.Status.Phase = corev1.VolumeAvailable
		b.state.PersistentVolumes = append(b.state.PersistentVolumes, volume)
	}
	b.attachments()
}

func (b *builder) classes() {
	wait, immediate := storagev1.VolumeBindingWaitForFirstConsumer, storagev1.VolumeBindingImmediate
	class := func(name, provisioner string, mode *storagev1.VolumeBindingMode) *storagev1.StorageClass {
		return &storagev1.StorageClass{
			ObjectMeta: metav1.ObjectMeta{Name: name, UID: b.uid()}, Provisioner: provisioner, VolumeBindingMode: mode}
	}
	waiting := class("wait", driver, &wait)
	if b.chance(50) {
		waiting.AllowedTopologies = []corev1.TopologySelectorTerm{{
			MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{
				{Key: corev1.LabelTopologyZone, Values: some(b.source, 2, zones...)}},
		}}
	}
	b.state.StorageClasses = []*storagev1.StorageClass{
		class("immediate", driver, &immediate), class("local", noProvisioner, &wait), waiting,
	}
	counted := b.chance(30)
	b.state.CSIDrivers = []*storagev1.CSIDriver{{
		ObjectMeta: metav1.ObjectMeta{Name: driver, UID: b.uid()},
		Spec:       storagev1.CSIDriverSpec{StorageCapacity: &counted},
	}}
	for _, zone := range zones {
		size := resource.MustParse(one(b.source, "1Gi", "100Gi"))
		b.state.CSIStorageCapacities = append(b.state.CSIStorageCapacities, &storagev1.CSIStorageCapacity{
			ObjectMeta:       metav1.ObjectMeta{Namespace: "infra", Name: "wait-" + zone, UID: b.uid()},
			StorageClassName: "wait",
			NodeTopology:     &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelTopologyZone: zone}},
			Capacity:         &size,
		})
	}
}

// csiNodes gives most nodes the driver, with a limit that few volumes reach.
func (b *builder) csiNodes() {
	for _, node := range b.state.Nodes {
		if !b.chance(85) {
			continue
		}
		info := &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: node.Name, UID: b.uid()}}
		installed := storagev1.CSINodeDriver{Name: driver, NodeID: node.Name}
		if b.chance(70) {
			count := int32(b.between(1, 3))
			installed.Allocatable = &storagev1.VolumeNodeResources{Count: &count}
		}
		info.Spec.Drivers = []storagev1.CSINodeDriver{installed}
		b.state.CSINodes = append(b.state.CSINodes, info)
	}
}

// claim makes the claim of that name; the name's first word is its class, or says what is wrong with it.
func (b *builder) claim(namespace, name string) *corev1.PersistentVolumeClaim {
	class, _, _ := cutLast(name)
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: b.uid()},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			StorageClassName: &class,
			Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("10Gi")}},
		},
		Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending},
	}
	switch class {
	case "lost":
		claim.Spec.VolumeName = "volume-gone"
		claim.Status.Phase = corev1.ClaimLost
	case "classless":
		claim.Spec.StorageClassName = nil
	case "deleted":
		class = "wait"
		deleted := metav1.NewTime(epoch)
		claim.DeletionTimestamp = &deleted
	case "bound":
		class = "wait"
	}
	return claim
}

// bind makes the volume of a claim; now and then it is of a kind that only one Pod may use.
func (b *builder) bind(claim *corev1.PersistentVolumeClaim) {
	if b.chance(35) {
		claim.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOncePod}
	}
	volume := b.volume("volume-"+claim.Namespace+"-"+claim.Name, "wait")
	volume.Spec.AccessModes = claim.Spec.AccessModes
	volume.Spec.ClaimRef = &corev1.ObjectReference{Namespace: claim.Namespace, Name: claim.Name, UID: claim.UID}
	volume.Status.Phase = corev1.VolumeBound
	claim.Spec.VolumeName = volume.Name
	claim.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes"}
	claim.Status.Phase = corev1.ClaimBound
	switch b.IntN(4) {
	case 0:
		volume.Spec.NodeAffinity = affinityTo(corev1.LabelTopologyZone, some(b.source, 2, zones...)...)
	case 1:
		volume.Labels = map[string]string{corev1.LabelTopologyZone: one(b.source, zones...)}
	case 2:
		volume.Spec.NodeAffinity = affinityTo(corev1.LabelHostname, one(b.source, b.state.Nodes...).Name)
	}
	b.state.PersistentVolumes = append(b.state.PersistentVolumes, volume)
}

func (b *builder) volume(name, class string) *corev1.PersistentVolume {
	volume := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name, UID: b.uid()}}
	volume.Spec.Capacity = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("20Gi")}
	volume.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	volume.Spec.StorageClassName = class
	volume.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: name}
	return volume
}

// attachments attach some volumes to nodes without a Pod that uses them there.
func (b *builder) attachments() {
	for i, node := range b.state.Nodes {
		if !b.chance(15) {
			continue
		}
		volume := one(b.source, b.state.PersistentVolumes...).Name
		attachment := &storagev1.VolumeAttachment{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("attachment-%02d", i), UID: b.uid()}}
		attachment.Spec.Attacher, attachment.Spec.NodeName = driver, node.Name
		attachment.Spec.Source.PersistentVolumeName = &volume
		attachment.Status.Attached = true
		b.state.VolumeAttachments = append(b.state.VolumeAttachments, attachment)
	}
}

func affinityTo(label string, values ...string) *corev1.VolumeNodeAffinity {
	return &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
		MatchExpressions: []corev1.NodeSelectorRequirement{
			{Key: label, Operator: corev1.NodeSelectorOpIn, Values: values}},
	}}}}
}

// driveVolumes lets running Pods use bound claims and disks of the old kinds.
func (b *builder) driveVolumes() {
	for _, pod := range b.state.Pods {
		if b.chance(20) {
			mount(pod, one(b.source, boundClaims...))
		}
		if b.chance(8) {
			b.disk(pod)
		}
	}
}

func mount(pod *corev1.Pod, claim string) {
	volume := corev1.Volume{Name: fmt.Sprintf("data-%d", len(pod.Spec.Volumes))}
	volume.PersistentVolumeClaim = &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}
	pod.Spec.Volumes = append(pod.Spec.Volumes, volume)
}

// disk adds a volume that one node can use once.
func (b *builder) disk(pod *corev1.Pod) {
	volume := corev1.Volume{Name: fmt.Sprintf("disk-%d", len(pod.Spec.Volumes))}
	volume.RBD = &corev1.RBDVolumeSource{
		CephMonitors: []string{"10.0.0.9"}, RBDPool: "rbd", RBDImage: "image-1", ReadOnly: b.chance(20)}
	pod.Spec.Volumes = append(pod.Spec.Volumes, volume)
}
