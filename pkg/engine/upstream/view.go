package upstream

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/kubectl-sched/kubectl-sched/pkg/whatif"
)

// view is a snapshot as it would be after an Edit. Only what the Edit touches is copied, so that trying one costs
// little on a large cluster. The zero Edit shows the snapshot itself.
type view struct {
	*internalcache.Snapshot
	// edited are the nodes that differ from the snapshot's or that it lacks, by name.
	edited map[string]*framework.NodeInfo
	// freed are the claims of the Pods that are gone, as namespace/name.
	freed map[string]bool
}

func newView(snapshot *internalcache.Snapshot) *view { return &view{Snapshot: snapshot} }

// reset makes the view show the snapshot itself.
func (v *view) reset() { *v = view{Snapshot: v.Snapshot} }

// set makes the view show the snapshot after the Edit's changes of Nodes and Pods.
func (v *view) set(logger klog.Logger, edit whatif.Edit) error {
	v.edited, v.freed = map[string]*framework.NodeInfo{}, map[string]bool{}
	for _, pod := range edit.Gone {
		node, err := v.edit(pod.Spec.NodeName)
		if err != nil {
			return err
		}
		before := maps.Clone(node.PVCRefCounts)
		if err := node.RemovePod(logger, pod); err != nil {
			return fmt.Errorf("taking pod %s/%s off its node: %w", pod.Namespace, pod.Name, err)
		}
		for key, count := range before {
			if node.PVCRefCounts[key] < count {
				v.freed[key] = true
			}
		}
	}
	for _, pod := range edit.Placed {
		node, err := v.edit(pod.Spec.NodeName)
		if err != nil {
			return err
		}
		node.AddPodInfo(newPodInfo(pod))
	}
	for _, node := range edit.Nodes {
		info, err := v.edit(node.Name)
		if err != nil {
			info = framework.NewNodeInfo()
			v.edited[node.Name] = info
		}
		info.SetNode(node)
	}
	return nil
}

// edit returns the node's own copy.
func (v *view) edit(name string) (*framework.NodeInfo, error) {
	if info, ok := v.edited[name]; ok {
		return info, nil
	}
	info, err := v.Snapshot.Get(name)
	if err != nil {
		return nil, err
	}
	copied, ok := info.Snapshot().(*framework.NodeInfo)
	if !ok {
		return nil, fmt.Errorf("node %s: a %T cannot be edited", name, info)
	}
	v.edited[name] = copied
	return copied, nil
}

// NodeInfos makes view a fwk.SharedLister whose nodes are its own.
func (v *view) NodeInfos() fwk.NodeInfoLister { return v }

// StorageInfos makes view a fwk.SharedLister whose claims are its own.
func (v *view) StorageInfos() fwk.StorageInfoLister { return v }

// List returns all nodes.
func (v *view) List() ([]fwk.NodeInfo, error) {
	return v.pick(v.Snapshot.List, func(*framework.NodeInfo) bool { return true })
}

// HavePodsWithAffinityList returns the nodes that upstream's snapshot (v1.37.2) lists under this name.
func (v *view) HavePodsWithAffinityList() ([]fwk.NodeInfo, error) {
	return v.pick(v.Snapshot.HavePodsWithAffinityList,
		func(node *framework.NodeInfo) bool { return len(node.PodsWithAffinity) > 0 })
}

// HavePodsWithRequiredAntiAffinityList returns the nodes that upstream's snapshot (v1.37.2) lists under this name.
func (v *view) HavePodsWithRequiredAntiAffinityList() ([]fwk.NodeInfo, error) {
	return v.pick(v.Snapshot.HavePodsWithRequiredAntiAffinityList,
		func(node *framework.NodeInfo) bool { return len(node.PodsWithRequiredAntiAffinity) > 0 })
}

// HavePodsWithRequiredNonHostScopedAntiAffinityList returns the nodes that upstream's snapshot (v1.37.2) lists under
// this name.
func (v *view) HavePodsWithRequiredNonHostScopedAntiAffinityList() ([]fwk.NodeInfo, error) {
	return v.pick(v.Snapshot.HavePodsWithRequiredNonHostScopedAntiAffinityList,
		func(node *framework.NodeInfo) bool { return len(node.PodsWithRequiredNonHostScopedAntiAffinity) > 0 })
}

// pick returns the snapshot's nodes with the edited ones in their places, as far as they are of the list, and after
// them those that were not on it.
func (v *view) pick(list func() ([]fwk.NodeInfo, error), listed func(*framework.NodeInfo) bool,
) ([]fwk.NodeInfo, error) {
	known, err := list()
	if err != nil || len(v.edited) == 0 {
		return known, err
	}
	out := make([]fwk.NodeInfo, 0, len(known)+len(v.edited))
	seen := map[string]bool{}
	for _, info := range known {
		name := info.Node().Name
		switch edited, ok := v.edited[name]; {
		case !ok:
			out = append(out, info)
		case listed(edited):
			out = append(out, edited)
		}
		seen[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(v.edited)) {
		if edited := v.edited[name]; !seen[name] && listed(edited) {
			out = append(out, edited)
		}
	}
	return out, nil
}

// Get returns one node.
func (v *view) Get(name string) (fwk.NodeInfo, error) {
	if info, ok := v.edited[name]; ok {
		return info, nil
	}
	return v.Snapshot.Get(name)
}

// IsPVCUsedByPods tells whether a Pod with a node uses the claim.
func (v *view) IsPVCUsedByPods(key string) bool {
	if !v.freed[key] {
		return v.Snapshot.IsPVCUsedByPods(key)
	}
	nodes, err := v.List()
	uses := func(node fwk.NodeInfo) bool { return node.GetPVCRefCounts()[key] > 0 }
	return err == nil && slices.ContainsFunc(nodes, uses)
}
