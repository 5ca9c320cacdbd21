package whatif

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// Edit is a change of a cluster. Objects are put as they are: they must have their API defaults.
type Edit struct {
	// Nodes are put in place of those of the same name, or added.
	Nodes []*corev1.Node
	// Gone are Pods that leave the cluster, told by namespace and name.
	Gone []*corev1.Pod
	// Placed are Pods that come to the nodes that they name. Those of Gone go first, so that a Pod that moves is in both.
	Placed []*corev1.Pod
	// VolumeClaims, StorageClasses and CSINodes are added where there is none of the name.
	VolumeClaims   []*corev1.PersistentVolumeClaim
	StorageClasses []*storagev1.StorageClass
	CSINodes       []*storagev1.CSINode
}

// And returns what two Edits do together; of two Nodes of one name the later's.
func (e Edit) And(later Edit) Edit {
	return Edit{
		Nodes:          put(e.Nodes, later.Nodes, nodeName),
		Gone:           slices.Concat(e.Gone, later.Gone),
		Placed:         slices.Concat(e.Placed, later.Placed),
		VolumeClaims:   slices.Concat(e.VolumeClaims, later.VolumeClaims),
		StorageClasses: slices.Concat(e.StorageClasses, later.StorageClasses),
		CSINodes:       slices.Concat(e.CSINodes, later.CSINodes),
	}
}

// Apply returns the State after the Edit.
func (e Edit) Apply(state *cluster.State) *cluster.State {
	out := *state
	out.Nodes = put(state.Nodes, e.Nodes, nodeName)
	out.Pods = slices.DeleteFunc(slices.Clone(state.Pods), func(pod *corev1.Pod) bool {
		return slices.ContainsFunc(e.Gone, func(gone *corev1.Pod) bool {
			return gone.Namespace == pod.Namespace && gone.Name == pod.Name
		})
	})
	out.Pods = append(out.Pods, e.Placed...)
	slices.SortStableFunc(out.Pods, func(a, b *corev1.Pod) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	out.PersistentVolumeClaims = add(state.PersistentVolumeClaims, e.VolumeClaims,
		func(claim *corev1.PersistentVolumeClaim) string { return claim.Namespace + "/" + claim.Name })
	out.StorageClasses = add(state.StorageClasses, e.StorageClasses,
		func(class *storagev1.StorageClass) string { return class.Name })
	out.CSINodes = add(state.CSINodes, e.CSINodes, func(node *storagev1.CSINode) string { return node.Name })
	return &out
}

func nodeName(node *corev1.Node) string { return node.Name }

// put returns known with the items in place of those of the same key, or at the end.
func put[T any](known, items []T, key func(T) string) []T {
	out := slices.Clone(known)
	for _, item := range items {
		i := slices.IndexFunc(out, func(other T) bool { return key(other) == key(item) })
		if i < 0 {
			out = append(out, item)
		} else {
			out[i] = item
		}
	}
	return out
}

// add returns known and those items whose key it lacks.
func add[T any](known, items []T, key func(T) string) []T {
	out := slices.Clone(known)
	for _, item := range items {
		if !slices.ContainsFunc(out, func(other T) bool { return key(other) == key(item) }) {
			out = append(out, item)
		}
	}
	return out
}
