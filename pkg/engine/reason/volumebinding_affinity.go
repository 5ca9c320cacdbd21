package reason

import (
	"slices"
	"strings"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	storagehelpers "k8s.io/component-helpers/storage/volume"
	csitranslation "k8s.io/csi-translation-lib"
	csiplugins "k8s.io/csi-translation-lib/plugins"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// boundVolume is a claim's PersistentVolume, with where it can be used.
type boundVolume struct {
	claim, class string
	// plugin is the in-tree plugin that the volume is of, when a node may have a CSI driver in its place; then asCSI is
	// where the driver can use it.
	plugin     string
	own, asCSI volumeAffinity
}

func newBoundVolume(claim *corev1.PersistentVolumeClaim, volume *corev1.PersistentVolume) boundVolume {
	out := boundVolume{
		claim: claim.Name,
		class: storagehelpers.GetPersistentVolumeClaimClass(claim),
		own:   newVolumeAffinity(volume),
	}
	translator := csitranslation.New()
	if !translator.IsPVMigratable(volume) {
		return out
	}
	plugin, err := translator.GetInTreePluginNameFromSpec(volume, nil)
	if err != nil || !slices.Contains(migratedPlugins, plugin) {
		return out
	}
	if translated, err := translator.TranslateInTreePVToCSI(logr.Discard(), volume); err == nil {
		out.plugin, out.asCSI = plugin, newVolumeAffinity(translated)
	}
	return out
}

// migratedPlugins are the in-tree plugins in whose place CSI drivers serve (volumebinding.isCSIMigrationOnForPlugin and
// nodevolumelimits.isCSIMigrationOn, v1.37.2).
var migratedPlugins = []string{
	csiplugins.AWSEBSInTreePluginName, csiplugins.GCEPDInTreePluginName, csiplugins.AzureDiskInTreePluginName,
	csiplugins.CinderInTreePluginName, csiplugins.PortworxVolumePluginName,
}

// outOfReach tells what the node lacks for the volume, as volumeBinder.checkBoundClaims (v1.37.2) looks at it.
func (b boundVolume) outOfReach(node *corev1.Node, csiNode *storagev1.CSINode) report.Details {
	where := b.own
	if b.plugin != "" && csiNode != nil &&
		slices.Contains(strings.Split(csiNode.Annotations[corev1.MigratedPluginsAnnotationKey], ","), b.plugin) {
		where = b.asCSI
	}
	if where.covers(node) {
		return nil
	}
	return report.Details{where.detail(b.claim, b.class, node)}
}

// reach is a PersistentVolume's required node affinity, ready to be held against many nodes.
type volumeAffinity struct {
	volume *corev1.PersistentVolume
	terms  [][]volumeRequirement
}

type volumeRequirement struct {
	report.VolumeRequirement
	// met is nil for a field of the node: upstream looks at the labels only.
	met *nodeaffinity.LazyErrorNodeSelector
}

func newVolumeAffinity(volume *corev1.PersistentVolume) volumeAffinity {
	out := volumeAffinity{volume: volume}
	if volume.Spec.NodeAffinity == nil || volume.Spec.NodeAffinity.Required == nil {
		return out
	}
	for _, term := range volume.Spec.NodeAffinity.Required.NodeSelectorTerms {
		requirements := []volumeRequirement{}
		for _, expression := range term.MatchExpressions {
			requirements = append(requirements, newVolumeRequirement(expression))
		}
		for _, field := range term.MatchFields {
			one := newVolumeRequirement(field)
			one.met = nil
			requirements = append(requirements, one)
		}
		out.terms = append(out.terms, requirements)
	}
	return out
}

func newVolumeRequirement(expression corev1.NodeSelectorRequirement) volumeRequirement {
	return volumeRequirement{
		VolumeRequirement: report.VolumeRequirement{
			Key: expression.Key, Operator: string(expression.Operator), Values: expression.Values,
		},
		met: nodeaffinity.NewLazyErrorNodeSelector(&corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{
			{MatchExpressions: []corev1.NodeSelectorRequirement{expression}},
		}}),
	}
}

func (r volumeAffinity) covers(node *corev1.Node) bool {
	return storagehelpers.CheckNodeAffinity(r.volume, node.Labels) == nil
}

func (r volumeAffinity) detail(claim, class string, node *corev1.Node) report.VolumeNodeAffinity {
	return report.VolumeNodeAffinity{Claim: claim, Volume: r.volume.Name, Class: class, Terms: unmetTerms(r.terms, node)}
}

// unmetTerms keeps of each term what the node does not meet.
func unmetTerms(terms [][]volumeRequirement, node *corev1.Node) [][]report.VolumeRequirement {
	out := make([][]report.VolumeRequirement, 0, len(terms))
	for _, term := range terms {
		lacks := []report.VolumeRequirement{}
		for _, one := range term {
			if detail, met := one.heldAgainst(node); !met {
				lacks = append(lacks, detail)
			}
		}
		out = append(out, lacks)
	}
	return out
}

func (r volumeRequirement) heldAgainst(node *corev1.Node) (detail report.VolumeRequirement, met bool) {
	detail = r.VolumeRequirement
	if r.met == nil {
		return detail, false
	}
	if matches, err := r.met.Match(node); err == nil && matches {
		return detail, true
	}
	detail.Actual, detail.Missing = volumeLabelOf(node, detail.Key)
	return detail, false
}

// volumeLabelOf returns a label of the node, and whether it is missing.
func volumeLabelOf(node *corev1.Node, key string) (value *string, missing bool) {
	if actual, found := node.Labels[key]; found {
		return &actual, false
	}
	return nil, true
}
