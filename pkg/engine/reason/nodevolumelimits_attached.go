package reason

import (
	"slices"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	storagehelpers "k8s.io/component-helpers/storage/volume"
	csitranslation "k8s.io/csi-translation-lib"
)

// attached are volumes of CSI drivers, by driver and handle.
type attached map[string]attachable

type attachable struct {
	driver string
	// claim is empty for a volume that a Pod names itself.
	claim string
}

func uniqueName(driver, handle string) string { return driver + "/" + handle }

// drivers are the drivers of the volumes, sorted.
func (a attached) drivers() []string {
	names := sets.New[string]()
	for _, volume := range a {
		names.Insert(volume.driver)
	}
	return sets.List(names)
}

func (a attached) count(driver string) int {
	n := 0
	for _, volume := range a {
		if volume.driver == driver {
			n++
		}
	}
	return n
}

// claims are the claims of a driver's volumes, sorted.
func (a attached) claims(driver string) []string {
	var names []string
	for _, volume := range a {
		if volume.driver == driver && volume.claim != "" {
			names = append(names, volume.claim)
		}
	}
	slices.Sort(names)
	return names
}

// attachables finds the CSI volumes of Pods.
type attachables struct {
	storage    *storage
	translator csitranslation.CSITranslator
}

func newAttachables(s *storage) attachables {
	return attachables{storage: s, translator: csitranslation.New()}
}

// volumesOf are the volumes of a Pod that a CSI driver attaches to the node (CSILimits.filterAttachableVolumes,
// v1.37.2).
func (a attachables) volumesOf(pod *corev1.Pod, csiNode *storagev1.CSINode) attached {
	out := attached{}
	for i := range pod.Spec.Volumes {
		volume := &pod.Spec.Volumes[i]
		name, _ := volumeClaimName(pod, volume)
		driver, handle := "", ""
		if name == "" {
			driver, handle = a.ofInline(pod, volume, csiNode)
		} else if claim := a.storage.claim(pod.Namespace, name); claim != nil {
			driver, handle = a.ofClaim(claim, csiNode)
		}
		if driver != "" && handle != "" {
			out[uniqueName(driver, handle)] = attachable{driver: driver, claim: name}
		}
	}
	return out
}

// ofInline follows CSILimits.checkAttachableInlineVolume (v1.37.2).
func (a attachables) ofInline(pod *corev1.Pod, volume *corev1.Volume, csiNode *storagev1.CSINode) (
	driver, handle string,
) {
	if !a.translator.IsInlineMigratable(volume) {
		return "", ""
	}
	plugin, err := a.translator.GetInTreePluginNameFromSpec(nil, volume)
	if err != nil || !isMigrated(plugin, csiNode) {
		return "", ""
	}
	translated, err := a.translator.TranslateInTreeInlineVolumeToCSI(logr.Discard(), volume, pod.Namespace)
	if err != nil || translated == nil || translated.Spec.CSI == nil {
		return "", ""
	}
	driver, err = a.translator.GetCSINameFromInTreeName(plugin)
	if err != nil {
		return "", ""
	}
	return driver, translated.Spec.CSI.VolumeHandle
}

// ofClaim follows CSILimits.getCSIDriverInfo (v1.37.2).
func (a attachables) ofClaim(claim *corev1.PersistentVolumeClaim, csiNode *storagev1.CSINode) (driver, handle string) {
	volume := a.storage.volume(claim.Spec.VolumeName)
	if volume == nil {
		return a.ofClass(claim, csiNode)
	}
	if source := volume.Spec.CSI; source != nil {
		return source.Driver, source.VolumeHandle
	}
	if !a.translator.IsPVMigratable(volume) {
		return "", ""
	}
	plugin, err := a.translator.GetInTreePluginNameFromSpec(volume, nil)
	if err != nil || !isMigrated(plugin, csiNode) {
		return "", ""
	}
	translated, err := a.translator.TranslateInTreePVToCSI(logr.Discard(), volume)
	if err != nil || translated.Spec.CSI == nil {
		return "", ""
	}
	return translated.Spec.CSI.Driver, translated.Spec.CSI.VolumeHandle
}

// ofClass tells of a claim without a volume which driver will make one (CSILimits.getCSIDriverInfoFromSC, v1.37.2).
// Upstream makes the handle up; this one cannot be a real one's either.
func (a attachables) ofClass(claim *corev1.PersistentVolumeClaim, csiNode *storagev1.CSINode) (driver, handle string) {
	class, err := a.storage.classes.Get(storagehelpers.GetPersistentVolumeClaimClass(claim))
	if err != nil {
		return "", ""
	}
	handle = "\x00" + claim.Namespace + "/" + claim.Name
	if !a.translator.IsMigratableIntreePluginByName(class.Provisioner) {
		return class.Provisioner, handle
	}
	if !isMigrated(class.Provisioner, csiNode) {
		return "", ""
	}
	driver, err = a.translator.GetCSINameFromInTreeName(class.Provisioner)
	if err != nil {
		return "", ""
	}
	return driver, handle
}

// isMigrated tells whether a CSI driver serves in the place of an in-tree plugin.
func isMigrated(plugin string, csiNode *storagev1.CSINode) bool {
	return csiNode != nil && slices.Contains(migratedPlugins, plugin)
}
