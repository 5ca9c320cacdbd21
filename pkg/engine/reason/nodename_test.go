package reason_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine/reason"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// handle is a plugin's handle that has nodes and nothing else.
type handle struct {
	fwk.Handle
	nodes fwk.SharedLister
}

func (h handle) SnapshotSharedLister() fwk.SharedLister { return h.nodes }

func TestNodeNameTellsWhichNodeThePodNames(t *testing.T) {
	other := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "other"}}
	here := framework.NewNodeInfo()
	here.SetNode(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "here"}})
	tests := map[string]struct {
		wanted string
		node   fwk.NodeInfo
		want   report.WrongNode
	}{
		"another node":                            {"other", here, report.WrongNode{Wanted: "other", Exists: true}},
		"a node that does not exist":              {"gone", here, report.WrongNode{Wanted: "gone"}},
		"the only node that PreFilter leaves":     {"other", nil, report.WrongNode{Wanted: "other", Exists: true}},
		"a node that PreFilter looks for in vain": {"gone", nil, report.WrongNode{Wanted: "gone"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			pod := &corev1.Pod{Spec: corev1.PodSpec{NodeName: test.wanted}}
			explainer := reason.For(reason.Question{
				Pod: pod, Handle: handle{nodes: cache.NewSnapshot(nil, []*corev1.Node{other, here.Node()})}})
			status := fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "text").WithPlugin(names.NodeName)
			got := explainer.Details(t.Context(), status, status.Reasons(), test.node)
			if diff := cmp.Diff(report.Details{test.want}, got); diff != "" {
				t.Errorf("details (-want +got)\n%s", diff)
			}
		})
	}
}
