package reason

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	storagehelpers "k8s.io/component-helpers/storage/volume"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/utils/ptr"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// staticVolumes are the PersistentVolumes of one class.
type staticVolumes struct {
	class         string
	volumes       []*corev1.PersistentVolume // by name
	topologyIndex topologyIndex[*corev1.PersistentVolume]
	// kept are the volumes that are kept for a claim of the Pod, by the claim's name.
	kept map[string][]*corev1.PersistentVolume
}

func newStaticVolumes(s *storage, class string) *staticVolumes {
	out := &staticVolumes{class: class, kept: map[string][]*corev1.PersistentVolume{}}
	all, err := s.volumes.List(labels.Everything())
	if err != nil {
		return out
	}
	for _, volume := range all {
		if storagehelpers.GetPersistentVolumeClass(volume) == class {
			out.volumes = append(out.volumes, volume)
		}
	}
	slices.SortFunc(out.volumes, byVolumeName)
	for _, volume := range out.volumes {
		key, values := topologyOf(volume.Spec.NodeAffinity)
		out.topologyIndex.add(volume, key, values)
	}
	return out
}

// volumesByName are PersistentVolumes by their name.
type volumesByName = map[string]*corev1.PersistentVolume

func byVolumeName(a, b *corev1.PersistentVolume) int { return strings.Compare(a.Name, b.Name) }

// reached are the volumes that the node can use, by name.
func (s *staticVolumes) reached(node *corev1.Node) []*corev1.PersistentVolume {
	out := slices.DeleteFunc(s.topologyIndex.near(node), func(volume *corev1.PersistentVolume) bool {
		return storagehelpers.CheckNodeAffinity(volume, node.Labels) != nil
	})
	slices.SortFunc(out, byVolumeName)
	return out
}

// keptFor are the volumes of which the claim is to have one and no other.
func (s *staticVolumes) keptFor(claim *corev1.PersistentVolumeClaim) []*corev1.PersistentVolume {
	if kept, known := s.kept[claim.Name]; known {
		return kept
	}
	kept := slices.DeleteFunc(slices.Clone(s.volumes), func(volume *corev1.PersistentVolume) bool {
		return !storagehelpers.IsVolumeBoundToClaim(volume, claim)
	})
	s.kept[claim.Name] = kept
	return kept
}

// find asks upstream for the claim's volume.
func (s *staticVolumes) find(claim *corev1.PersistentVolumeClaim, node *corev1.Node, chosen volumesByName) (
	*corev1.PersistentVolume, error,
) {
	candidates := slices.Concat(s.keptFor(claim), s.reached(node))
	return storagehelpers.FindMatchingVolume(claim, candidates, node, chosen, true, attributesClasses())
}

func attributesClasses() bool {
	return utilfeature.DefaultFeatureGate.Enabled(features.VolumeAttributesClass)
}

// why counts what is wrong with the volumes for a claim that gets none of them; nothing when it cannot be told, because
// one seems to suit. The rules are those of FindMatchingVolume (component-helpers/storage/volume, v0.37.2).
func (s *staticVolumes) why(claim *corev1.PersistentVolumeClaim, node *corev1.Node, chosen volumesByName,
) report.Details {
	here := s.reached(node)
	detail := report.NoMatchingVolume{
		Claim:       claim.Name,
		Class:       s.class,
		Requested:   ptr.To(claimSize(claim)).String(),
		AccessModes: claimModes(claim),
		VolumeMode:  string(ptr.Deref(claim.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)),
		Volumes:     len(s.volumes),
		Elsewhere:   len(s.volumes) - len(here),
	}
	if claim.Spec.Selector != nil {
		detail.Selector = metav1.FormatLabelSelector(claim.Spec.Selector)
	}
	for _, volume := range s.keptFor(claim) {
		if where := newVolumeAffinity(volume); !where.covers(node) && fitsClaim(claim, volume) {
			return report.Details{where.detail(claim.Name, s.class, node)}
		}
	}
	var largest resource.Quantity
	for _, volume := range here {
		size := volume.Spec.Capacity[corev1.ResourceStorage]
		switch {
		case chosen[volume.Name] != nil || !isFreeFor(claim, volume):
			detail.Unavailable++
		case !suitsClaim(claim, volume):
			detail.Unlike++
		case size.Cmp(claimSize(claim)) < 0:
			detail.TooSmall++
			if size.Cmp(largest) >= 0 {
				largest, detail.Largest = size, size.String()
			}
		default:
			return nil
		}
	}
	return report.Details{detail}
}

// fitsClaim tells whether a volume that is kept for the claim can be the claim's.
func fitsClaim(claim *corev1.PersistentVolumeClaim, volume *corev1.PersistentVolume) bool {
	size := volume.Spec.Capacity[corev1.ResourceStorage]
	return size.Cmp(claimSize(claim)) >= 0 && volume.DeletionTimestamp == nil && sameKind(claim, volume)
}

// isFreeFor tells whether a volume can be given to the claim.
func isFreeFor(claim *corev1.PersistentVolumeClaim, volume *corev1.PersistentVolume) bool {
	if volume.DeletionTimestamp != nil {
		return false
	}
	if volume.Spec.ClaimRef == nil {
		return volume.Status.Phase == corev1.VolumeAvailable
	}
	return storagehelpers.IsVolumeBoundToClaim(volume, claim)
}

// suitsClaim tells whether a volume is of the kind that the claim asks for, whatever its size. One that is kept for the
// claim need not match its selector and access modes.
func suitsClaim(claim *corev1.PersistentVolumeClaim, volume *corev1.PersistentVolume) bool {
	if !sameKind(claim, volume) || storagehelpers.IsVolumeBoundToClaim(volume, claim) {
		return sameKind(claim, volume)
	}
	selector, err := metav1.LabelSelectorAsSelector(claim.Spec.Selector)
	if claim.Spec.Selector != nil && (err != nil || !selector.Matches(labels.Set(volume.Labels))) {
		return false
	}
	return storagehelpers.CheckAccessModes(claim, volume)
}

func sameKind(claim *corev1.PersistentVolumeClaim, volume *corev1.PersistentVolume) bool {
	wanted := ptr.Deref(claim.Spec.VolumeAttributesClassName, "")
	has := ptr.Deref(volume.Spec.VolumeAttributesClassName, "")
	if !attributesClasses() {
		wanted = ""
	}
	return wanted == has && !storagehelpers.CheckVolumeModeMismatches(&claim.Spec, &volume.Spec)
}

func claimSize(claim *corev1.PersistentVolumeClaim) resource.Quantity {
	return claim.Spec.Resources.Requests[corev1.ResourceStorage]
}

func claimModes(claim *corev1.PersistentVolumeClaim) []string {
	out := []string{}
	for _, mode := range claim.Spec.AccessModes {
		out = append(out, string(mode))
	}
	slices.Sort(out)
	return out
}
