package whatif_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/whatif"
)

func node(name string, cordoned bool) *corev1.Node {
	out := &corev1.Node{}
	out.Name, out.Spec.Unschedulable = name, cordoned
	return out
}

func pod(namespace, name string) *corev1.Pod {
	out := &corev1.Pod{}
	out.Namespace, out.Name = namespace, name
	return out
}

func claim(namespace, name, volume string) *corev1.PersistentVolumeClaim {
	out := &corev1.PersistentVolumeClaim{}
	out.Namespace, out.Name, out.Spec.VolumeName = namespace, name, volume
	return out
}

func class(name string) *storagev1.StorageClass {
	out := &storagev1.StorageClass{}
	out.Name = name
	return out
}

func TestApplyEditsACopy(t *testing.T) {
	state := &cluster.State{
		Nodes:                  []*corev1.Node{node("a", true), node("b", false)},
		Pods:                   []*corev1.Pod{pod("shop", "web"), pod("other", "web")},
		PersistentVolumeClaims: []*corev1.PersistentVolumeClaim{claim("shop", "data", "pv")},
		StorageClasses:         []*storagev1.StorageClass{class("fast")},
	}
	first := whatif.Edit{
		Nodes:        []*corev1.Node{node("a", true), node("c", true)},
		Gone:         []*corev1.Pod{pod("other", "web"), pod("shop", "nobody")},
		VolumeClaims: []*corev1.PersistentVolumeClaim{claim("shop", "data", ""), claim("shop", "logs", "")},
	}
	second := whatif.Edit{
		Nodes:          []*corev1.Node{node("a", false)},
		Placed:         []*corev1.Pod{pod("other", "web")},
		StorageClasses: []*storagev1.StorageClass{class("slow"), class("fast")},
	}
	before := *state
	got := first.And(second).Apply(state)
	want := &cluster.State{
		Nodes:                  []*corev1.Node{node("a", false), node("b", false), node("c", true)},
		Pods:                   []*corev1.Pod{pod("other", "web"), pod("shop", "web")},
		PersistentVolumeClaims: []*corev1.PersistentVolumeClaim{claim("shop", "data", "pv"), claim("shop", "logs", "")},
		StorageClasses:         []*storagev1.StorageClass{class("fast"), class("slow")},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the edited State (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(&before, state); diff != "" || len(state.Pods) != 2 || !state.Nodes[0].Spec.Unschedulable {
		t.Errorf("the State itself has changed: %s", diff)
	}
	if got.Nodes[1] != state.Nodes[1] {
		t.Error("a Node that is left alone was copied")
	}
}
