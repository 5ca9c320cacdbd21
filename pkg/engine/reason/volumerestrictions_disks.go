package reason

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// diskConflicts are the disks that the Pod names itself and that a Pod on the node has
// (volumerestrictions.satisfyVolumeConflicts, v1.37.2).
func diskConflicts(pod *corev1.Pod, node fwk.NodeInfo) report.Details {
	details := report.Details{}
	for i := range pod.Spec.Volumes {
		volume := &pod.Spec.Volumes[i]
		if !isDisk(volume) {
			continue
		}
		for _, info := range node.GetPods() {
			holder := info.GetPod()
			if !slices.ContainsFunc(holder.Spec.Volumes, func(has corev1.Volume) bool { return sameDisk(volume, &has) }) {
				continue
			}
			detail := diskOf(volume)
			detail.Namespace, detail.Pod = holder.Namespace, holder.Name
			details = append(details, detail)
		}
	}
	slices.SortFunc(details, func(a, b report.Detail) int {
		one, other := a.(report.DiskInUse), b.(report.DiskInUse)
		return cmp.Or(strings.Compare(one.Kind, other.Kind), strings.Compare(one.Disk, other.Disk),
			strings.Compare(one.Namespace, other.Namespace), strings.Compare(one.Pod, other.Pod))
	})
	return slices.Compact(details)
}

func isDisk(volume *corev1.Volume) bool {
	return volume.GCEPersistentDisk != nil || volume.AWSElasticBlockStore != nil || volume.ISCSI != nil ||
		volume.RBD != nil
}

// sameDisk tells whether two Pods on one node must not have these two volumes (volumerestrictions.isVolumeConflict,
// v1.37.2).
func sameDisk(a, b *corev1.Volume) bool {
	switch {
	case a.GCEPersistentDisk != nil && b.GCEPersistentDisk != nil:
		one, other := a.GCEPersistentDisk, b.GCEPersistentDisk
		return one.PDName == other.PDName && (!one.ReadOnly || !other.ReadOnly)
	case a.AWSElasticBlockStore != nil && b.AWSElasticBlockStore != nil:
		return a.AWSElasticBlockStore.VolumeID == b.AWSElasticBlockStore.VolumeID
	case a.ISCSI != nil && b.ISCSI != nil:
		return a.ISCSI.IQN == b.ISCSI.IQN && (!a.ISCSI.ReadOnly || !b.ISCSI.ReadOnly)
	case a.RBD != nil && b.RBD != nil:
		return sameImage(a.RBD, b.RBD) && (!a.RBD.ReadOnly || !b.RBD.ReadOnly)
	}
	return false
}

// sameImage tells whether two volumes are one image: of the same pool, behind a monitor that they share.
func sameImage(a, b *corev1.RBDVolumeSource) bool {
	shared := slices.ContainsFunc(a.CephMonitors, func(m string) bool { return slices.Contains(b.CephMonitors, m) })
	return shared && a.RBDPool == b.RBDPool && a.RBDImage == b.RBDImage
}

// diskOf names a disk by what tells it apart from others.
func diskOf(volume *corev1.Volume) report.DiskInUse {
	switch {
	case volume.GCEPersistentDisk != nil:
		return report.DiskInUse{Kind: "gcePersistentDisk", Disk: volume.GCEPersistentDisk.PDName}
	case volume.AWSElasticBlockStore != nil:
		return report.DiskInUse{Kind: "awsElasticBlockStore", Disk: volume.AWSElasticBlockStore.VolumeID}
	case volume.ISCSI != nil:
		return report.DiskInUse{Kind: "iscsi", Disk: volume.ISCSI.IQN}
	}
	return report.DiskInUse{Kind: "rbd", Disk: volume.RBD.RBDPool + "/" + volume.RBD.RBDImage}
}
