package engine_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/test/random"
)

// Every rejection by a volume plugin has a fact that names its cause, and every fact is true of the State.
func TestDetailsOfVolumesAreTrue(t *testing.T) {
	plugins := []string{names.VolumeRestrictions, names.NodeVolumeLimits, names.VolumeBinding, names.VolumeZone}
	seen := map[string]int{}
	eachCluster(t, 12, func(t *testing.T, made *random.Cluster) {
		e := engineOf(t, made.State, engine.Options{})
		for _, pod := range made.Pods {
			explanation := explain(t, e, pod)
			truth := volumeTruth{t: t, state: made.State, pod: pod, seen: seen}
			for _, rejection := range explanation.PreFilter {
				if slices.Contains(plugins, rejection.Plugin) {
					truth.check("", rejection)
				}
			}
			for _, node := range explanation.Nodes {
				for _, rejection := range node.Filters {
					if slices.Contains(plugins, rejection.Plugin) {
						truth.check(node.Name, rejection)
					}
				}
			}
		}
	})
	for _, detail := range []report.Detail{
		report.VolumeNodeAffinity{}, report.NoMatchingVolume{}, report.AllowedTopologies{}, report.StorageCapacity{},
		report.VolumeZone{}, report.ClaimInUse{}, report.DiskInUse{}, report.VolumeLimit{},
	} {
		if seen[report.TypeOf(detail)] == 0 {
			t.Errorf("no Pod met %s: the material proves nothing about it", report.TypeOf(detail))
		}
	}
}

// volumeTruth holds facts about a Pod against the State, by means of its own.
type volumeTruth struct {
	t     *testing.T
	state *cluster.State
	pod   *corev1.Pod
	seen  map[string]int
}

func (v volumeTruth) check(node string, rejection report.Rejection) {
	v.t.Helper()
	if len(rejection.Details) == 0 {
		v.t.Errorf("pod %s/%s, node %q: %s rejects without a fact: %v",
			v.pod.Namespace, v.pod.Name, node, rejection.Plugin, rejection.Reasons)
	}
	for _, detail := range rejection.Details {
		v.seen[report.TypeOf(detail)]++
		if !v.isTrue(v.node(node), detail) {
			v.t.Errorf("pod %s/%s, node %q: %s says what is not so: %#v (%v)",
				v.pod.Namespace, v.pod.Name, node, rejection.Plugin, detail, rejection.Reasons)
		}
	}
}

func (v volumeTruth) isTrue(node *corev1.Node, detail report.Detail) bool {
	switch d := detail.(type) {
	case report.MissingClaim:
		return v.claim(d.Claim) == nil && d.Namespace == v.pod.Namespace
	case report.DeletedClaim:
		return v.claim(d.Claim).DeletionTimestamp != nil
	case report.UnboundClaim:
		class := v.class(d.Class)
		return v.claim(d.Claim).Spec.VolumeName == d.Volume &&
			(d.Class == "" || class.Provisioner == d.Provisioner && *class.VolumeBindingMode == storagev1.VolumeBindingImmediate)
	case report.MissingStorageClass:
		return *v.claim(d.Claim).Spec.StorageClassName == d.Class && v.class(d.Class) == nil
	case report.MissingVolume:
		return v.claim(d.Claim).Spec.VolumeName == d.Volume && v.volume(d.Volume) == nil
	case report.VolumeNodeAffinity:
		return v.claim(d.Claim).Spec.VolumeName == d.Volume && len(d.Terms) == 1 && len(d.Terms[0]) == 1 &&
			outside(node, d.Terms[0][0], v.volume(d.Volume).Spec.NodeAffinity.Required.NodeSelectorTerms[0].MatchExpressions[0].Values)
	case report.AllowedTopologies:
		return v.class(d.Class).Provisioner == "csi.example.com" && len(d.Terms) == 1 && len(d.Terms[0]) == 1 &&
			outside(node, d.Terms[0][0], v.class(d.Class).AllowedTopologies[0].MatchLabelExpressions[0].Values)
	case report.VolumeZone:
		return v.claim(d.Claim).Spec.VolumeName == d.Volume && outside(node, report.VolumeRequirement{
			Key: d.Key, Operator: "In", Values: d.Values, Actual: d.Actual, Missing: d.Missing,
		}, []string{v.volume(d.Volume).Labels[d.Key]})
	case report.NoMatchingVolume:
		return v.isCounted(node, d)
	case report.StorageCapacity:
		return v.isTooSmall(node, d)
	case report.VolumeLimit:
		return v.isLimit(node, d)
	case report.ClaimInUse, report.DiskInUse:
		return v.isHeld(node, detail)
	}
	return false
}

func (v volumeTruth) node(name string) *corev1.Node {
	return found(v.state.Nodes, func(node *corev1.Node) bool { return node.Name == name })
}

func (v volumeTruth) claim(name string) *corev1.PersistentVolumeClaim {
	return v.claimOf(v.pod, name)
}

func (v volumeTruth) claimOf(pod *corev1.Pod, name string) *corev1.PersistentVolumeClaim {
	return found(v.state.PersistentVolumeClaims, func(claim *corev1.PersistentVolumeClaim) bool {
		return claim.Namespace == pod.Namespace && claim.Name == name
	})
}

func (v volumeTruth) volume(name string) *corev1.PersistentVolume {
	return found(v.state.PersistentVolumes, func(volume *corev1.PersistentVolume) bool { return volume.Name == name })
}

func (v volumeTruth) class(name string) *storagev1.StorageClass {
	return found(v.state.StorageClasses, func(class *storagev1.StorageClass) bool { return class.Name == name })
}

func found[T any](all []*T, is func(*T) bool) *T {
	if i := slices.IndexFunc(all, is); i >= 0 {
		return all[i]
	}
	return nil
}

// outside tells whether the requirement asks for just the wanted values and the node has none of them.
func outside(node *corev1.Node, d report.VolumeRequirement, wanted []string) bool {
	actual, has := node.Labels[d.Key]
	told := d.Missing && d.Actual == nil && !has || !d.Missing && d.Actual != nil && *d.Actual == actual && has
	return told && d.Operator == "In" && slices.Equal(d.Values, wanted) && !slices.Contains(wanted, actual)
}

// isCounted counts the local volumes of random clusters, which are free or bound and differ in nothing but place.
func (v volumeTruth) isCounted(node *corev1.Node, d report.NoMatchingVolume) bool {
	claim, size := v.claim(d.Claim), resource.MustParse("20Gi")
	requested := claim.Spec.Resources.Requests[corev1.ResourceStorage]
	all, here := 0, 0
	for _, volume := range v.state.PersistentVolumes {
		if volume.Spec.StorageClassName != d.Class {
			continue
		}
		all++
		if volume.Spec.NodeAffinity.Required.NodeSelectorTerms[0].MatchExpressions[0].Values[0] == node.Labels[corev1.LabelHostname] {
			here++
		}
	}
	want := report.NoMatchingVolume{Claim: d.Claim, Class: *claim.Spec.StorageClassName, Requested: requested.String(),
		AccessModes: []string{"ReadWriteOnce"}, VolumeMode: "Filesystem", Volumes: all, Elsewhere: all - here}
	if requested.Cmp(size) > 0 {
		want.TooSmall, want.Largest = here, size.String()
	} else { // one can be left when another volume of the Pod is the same claim
		want.Unavailable = here
	}
	return cmp.Equal(want, d) && len(v.pod.Spec.Volumes) > here
}

func (v volumeTruth) isTooSmall(node *corev1.Node, d report.StorageCapacity) bool {
	var available string
	for _, capacity := range v.state.CSIStorageCapacities {
		if capacity.NodeTopology.MatchLabels[corev1.LabelTopologyZone] == node.Labels[corev1.LabelTopologyZone] {
			available = capacity.Capacity.String()
		}
	}
	requested := v.claim(d.Claim).Spec.Resources.Requests[corev1.ResourceStorage]
	return d.Class == "wait" && d.Driver == "csi.example.com" && *v.state.CSIDrivers[0].Spec.StorageCapacity &&
		d.Requested == requested.String() && d.Available == available &&
		(available == "" || requested.Cmp(resource.MustParse(available)) > 0)
}

// isLimit counts the volumes of the one driver, with and without the Pods that are nominated to the node.
func (v volumeTruth) isLimit(node *corev1.Node, d report.VolumeLimit) bool {
	csiNode := found(v.state.CSINodes, func(csiNode *storagev1.CSINode) bool { return csiNode.Name == node.Name })
	limit := int64(*csiNode.Spec.Drivers[0].Allocatable.Count)
	for _, nominated := range []bool{false, true} {
		used := map[string]bool{}
		for _, pod := range v.state.Pods {
			on := pod.Spec.NodeName
			if on == "" && nominated {
				on = pod.Status.NominatedNodeName
			}
			if on != node.Name || pod == v.pod || finished(pod) {
				continue
			}
			for _, volume := range v.volumesOf(pod) {
				used[volume] = true
			}
		}
		var added []string
		for _, volume := range v.volumesOf(v.pod) {
			if !used[volume] && !slices.Contains(added, volume) {
				added = append(added, volume)
			}
		}
		for _, attachment := range v.state.VolumeAttachments {
			if attachment.Spec.NodeName == node.Name {
				used[*attachment.Spec.Source.PersistentVolumeName] = true
			}
		}
		if d.Driver == "csi.example.com" && d.Attached == len(used) && d.New == len(added) && d.New == len(d.Claims) &&
			d.Limit == limit && int64(d.Attached+d.New) > limit {
			return true
		}
	}
	return false
}

func finished(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// volumesOf names the volumes that a driver would attach for a Pod; one that is not made yet by its claim.
func (v volumeTruth) volumesOf(pod *corev1.Pod) []string {
	var out []string
	for _, volume := range pod.Spec.Volumes {
		if volume.PersistentVolumeClaim == nil {
			continue
		}
		claim := v.claimOf(pod, volume.PersistentVolumeClaim.ClaimName)
		switch {
		case claim == nil:
		case claim.Spec.VolumeName != "" && v.volume(claim.Spec.VolumeName) != nil:
			out = append(out, claim.Spec.VolumeName)
		case claim.Spec.StorageClassName == nil || v.class(*claim.Spec.StorageClassName) == nil:
		default: // no driver makes local ones, but the plugin takes the provisioner's name for one
			if v.class(*claim.Spec.StorageClassName).Provisioner == "csi.example.com" {
				out = append(out, "of claim "+claim.Namespace+"/"+claim.Name)
			}
		}
	}
	return out
}

func (v volumeTruth) isHeld(node *corev1.Node, detail report.Detail) bool {
	for _, pod := range v.state.Pods {
		if pod == v.pod || finished(pod) {
			continue
		}
		on := pod.Spec.NodeName
		if on == "" {
			on = pod.Status.NominatedNodeName
		}
		for _, volume := range pod.Spec.Volumes {
			switch d := detail.(type) {
			case report.ClaimInUse:
				if pod.Namespace == v.pod.Namespace && d.Namespace == pod.Namespace && d.Pod == pod.Name && d.Node == on &&
					volume.PersistentVolumeClaim != nil && volume.PersistentVolumeClaim.ClaimName == d.Claim &&
					slices.Contains(v.claim(d.Claim).Spec.AccessModes, corev1.ReadWriteOncePod) {
					return true
				}
			case report.DiskInUse:
				if d.Namespace == pod.Namespace && d.Pod == pod.Name && on == node.Name && volume.RBD != nil &&
					d.Kind == "rbd" && d.Disk == "rbd/"+volume.RBD.RBDImage {
					return true
				}
			}
		}
	}
	return false
}
