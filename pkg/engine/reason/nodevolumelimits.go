package reason

import (
	"context"
	"maps"
	"slices"

	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/labels"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	storagelisters "k8s.io/client-go/listers/storage/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/utils/ptr"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// nodeVolumeLimits counts the volumes of each CSI driver that the node has and the Pod brings, and names drivers that
// the node lacks (nodevolumelimits.CSILimits.Filter, v1.37.2).
func nodeVolumeLimits(_ context.Context, q Question) explain {
	s := storageOf(q)
	l := newDriverLimits(q, &s)
	missing := s.each(s.missingClaim)
	nodes := q.Handle.SnapshotSharedLister().NodeInfos()
	return func(_ context.Context, r rejection) report.Details {
		if len(missing) > 0 || r.node == nil {
			return s.orClaims(missing)
		}
		csiNode, err := q.Handle.SharedCSIManager().CSINodes().Get(r.node.Node().Name)
		if err != nil {
			csiNode = nil
		}
		brought := l.volumesOf(q.Pod, csiNode)
		exceeded := l.exceeded(brought, r.node, csiNode)
		// A volume that is attached and that a nominated Pod uses counts less with that Pod than without it, and both ways
		// have to fit.
		if plain, err := nodes.Get(r.node.Node().Name); err == nil && len(exceeded) == 0 {
			exceeded = l.exceeded(brought, plain, csiNode)
		}
		return s.orClaims(append(l.missingDrivers(brought, csiNode), exceeded...))
	}
}

// driverLimits counts volumes as the plugin does.
type driverLimits struct {
	attachables
	drivers storagelisters.CSIDriverLister
	// attachments are the volumes that are attached to each node, read when they are first needed.
	attachments func() map[string]attached
}

func newDriverLimits(q Question, s *storage) *driverLimits {
	informers := q.Handle.SharedInformerFactory().Storage().V1()
	l := &driverLimits{attachables: newAttachables(s), drivers: informers.CSIDrivers().Lister()}
	var read map[string]attached
	l.attachments = func() map[string]attached {
		if read == nil {
			read = l.attachmentsByNode(informers.VolumeAttachments().Lister())
		}
		return read
	}
	return l
}

// missingDrivers are those of the volumes that the node lacks, where the driver forbids that
// (CSILimits.checkCSIDriverOnNode, v1.37.2).
func (l *driverLimits) missingDrivers(brought attached, csiNode *storagev1.CSINode) report.Details {
	details := report.Details{}
	if !utilfeature.DefaultFeatureGate.Enabled(features.VolumeLimitScaling) {
		return details
	}
	for _, name := range brought.drivers() {
		driver, err := l.drivers.Get(name)
		if err != nil || !ptr.Deref(driver.Spec.PreventPodSchedulingIfMissing, false) || isDriverInstalled(name, csiNode) {
			continue
		}
		details = append(details, report.MissingDriver{
			Driver: name, Claims: brought.claims(name), NoCSINode: csiNode == nil,
		})
	}
	return details
}

func isDriverInstalled(driver string, csiNode *storagev1.CSINode) bool {
	return csiNode != nil && slices.ContainsFunc(csiNode.Spec.Drivers, func(installed storagev1.CSINodeDriver) bool {
		return installed.Name == driver
	})
}

// exceeded are the drivers that would have more volumes than the node takes.
func (l *driverLimits) exceeded(brought attached, node fwk.NodeInfo, csiNode *storagev1.CSINode) report.Details {
	limit := volumeLimitsOf(csiNode)
	if len(limit) == 0 {
		return nil
	}
	there := attached{}
	for _, info := range node.GetPods() {
		maps.Copy(there, l.volumesOf(info.GetPod(), csiNode))
	}
	added := maps.Clone(brought)
	maps.DeleteFunc(added, func(id string, _ attachable) bool { _, has := there[id]; return has })
	// An attachment that no Pod on the node needs counts as well, also when it is of a volume that the Pod brings.
	for id, volume := range l.attachments()[node.Node().Name] {
		if _, has := there[id]; !has {
			there[id] = volume
		}
	}
	details := report.Details{}
	for _, driver := range added.drivers() {
		has, more := there.count(driver), added.count(driver)
		if most, limited := limit[driver]; limited && int64(has+more) > most {
			details = append(details, report.VolumeLimit{
				Driver: driver, Attached: has, New: more, Limit: most, Claims: added.claims(driver),
			})
		}
	}
	return details
}

// volumeLimitsOf follows nodevolumelimits.getVolumeLimits (v1.37.2).
func volumeLimitsOf(csiNode *storagev1.CSINode) map[string]int64 {
	out := map[string]int64{}
	if csiNode == nil {
		return out
	}
	for _, driver := range csiNode.Spec.Drivers {
		if driver.Allocatable != nil && driver.Allocatable.Count != nil {
			out[driver.Name] = int64(*driver.Allocatable.Count)
		}
	}
	return out
}

// attachmentsByNode follows CSILimits.getNodeVolumeAttachmentInfo (v1.37.2).
func (l *driverLimits) attachmentsByNode(lister storagelisters.VolumeAttachmentLister) map[string]attached {
	out := map[string]attached{}
	all, err := lister.List(labels.Everything())
	if err != nil {
		return out
	}
	for _, attachment := range all {
		name := attachment.Spec.Source.PersistentVolumeName
		if attachment.Spec.Attacher == "" || name == nil {
			continue
		}
		volume := l.storage.volume(*name)
		if volume == nil || volume.Spec.CSI == nil {
			continue
		}
		node, driver := attachment.Spec.NodeName, attachment.Spec.Attacher
		if out[node] == nil {
			out[node] = attached{}
		}
		out[node][uniqueName(driver, volume.Spec.CSI.VolumeHandle)] = attachable{driver: driver}
	}
	return out
}
