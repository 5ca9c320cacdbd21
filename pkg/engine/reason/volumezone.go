package reason

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	volumehelpers "k8s.io/cloud-provider/volume/helpers"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// zoneKeys are the labels that VolumeZone reads, in its order (volumezone.topologyLabels, v1.37.2), and the newer name
// under which a node may have the label instead (volumezone.translateToGALabel).
var zoneKeys = []struct{ key, onNode string }{
	{corev1.LabelFailureDomainBetaZone, corev1.LabelTopologyZone},
	{corev1.LabelFailureDomainBetaRegion, corev1.LabelTopologyRegion},
	{corev1.LabelTopologyZone, corev1.LabelTopologyZone},
	{corev1.LabelTopologyRegion, corev1.LabelTopologyRegion},
}

// volumeZone names each label of the Pod's volumes that the node does not match; the plugin stops at the first
// (volumezone.VolumeZone, v1.37.2).
func volumeZone(_ context.Context, q Question) explain {
	s := storageOf(q)
	zones := s.zones()
	return func(_ context.Context, r rejection) report.Details {
		if r.node == nil {
			return s.orClaims(s.each(s.withoutZone))
		}
		details := report.Details{}
		for _, zone := range zones {
			if detail, differs := zone.against(r.node.Node()); differs {
				details = append(details, detail)
			}
		}
		return s.orClaims(details)
	}
}

// withoutZone tells why the plugin cannot look up the zone of a claim (VolumeZone.getPVbyPod, v1.37.2).
func (s *storage) withoutZone(u claimUse) report.Detail {
	switch {
	case u.ephemeral:
		return nil
	case u.claim == nil:
		return s.missingClaim(u)
	case u.claim.Spec.VolumeName == "":
		return s.unbound(u.claim)
	case s.volume(u.claim.Spec.VolumeName) == nil:
		return report.MissingVolume{Claim: u.name, Volume: u.claim.Spec.VolumeName}
	}
	return nil
}

// zoneLabel is a label of a PersistentVolume that the Pod's node has to match.
type zoneLabel struct {
	report.VolumeZone
	onNode string
	values map[string]bool
}

// zones are those of the Pod's volumes (VolumeZone.getPVTopologies, v1.37.2).
func (s *storage) zones() []zoneLabel {
	out, seen := []zoneLabel{}, map[string]bool{}
	for _, u := range s.uses {
		if u.ephemeral || u.claim == nil || seen[u.name] {
			continue
		}
		seen[u.name] = true
		volume := s.volume(u.claim.Spec.VolumeName)
		if volume == nil {
			continue
		}
		for _, label := range zoneKeys {
			values, err := volumehelpers.LabelZonesToSet(volume.Labels[label.key])
			if err != nil { // no such label, or one that the plugin passes over
				continue
			}
			one := zoneLabel{onNode: label.onNode, values: map[string]bool{}}
			one.VolumeZone = report.VolumeZone{Claim: u.name, Volume: volume.Name, Key: label.key, Values: values.List()}
			for _, value := range one.Values {
				one.values[value] = true
			}
			out = append(out, one)
		}
	}
	return out
}

// against compares the label with the node's (VolumeZone.Filter, v1.37.2).
func (z zoneLabel) against(node *corev1.Node) (detail report.VolumeZone, differs bool) {
	detail = z.VolumeZone
	detail.Actual, detail.Missing = volumeLabelOf(node, z.Key)
	if detail.Missing {
		detail.Actual, detail.Missing = volumeLabelOf(node, z.onNode)
	}
	return detail, detail.Missing || !z.values[*detail.Actual]
}
