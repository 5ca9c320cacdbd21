package upstream

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-sched/kubectl-sched/test/random"
)

// BenchmarkAllFilters is every Filter plugin on every one of 5,000 nodes with 150,000 Pods, beyond the first that
// rejects; BenchmarkUpstreamFilters is upstream's own pass over the same nodes, which stops at the first.
func BenchmarkAllFilters(b *testing.B) {
	benchmarkFilters(b, func(f *filters, nodes []*NodeJudgment) error { return f.run(b.Context(), nodes) })
}

func BenchmarkUpstreamFilters(b *testing.B) {
	benchmarkFilters(b, func(f *filters, nodes []*NodeJudgment) error {
		f.framework.Parallelizer().Until(b.Context(), len(nodes), func(i int) {
			f.framework.RunFilterPluginsWithNominatedPods(b.Context(), f.state, f.pod, nodes[i].Info)
		}, "Filter")
		return nil
	})
}

func benchmarkFilters(b *testing.B, pass func(*filters, []*NodeJudgment) error) {
	state := random.Large(5000, 30)
	SetDefaults(state)
	scheduler, err := New(b.Context(), state, Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer scheduler.Close()
	fw, _ := scheduler.framework(corev1.DefaultSchedulerName)
	c := newCycle(fw, rejectedPod())
	if _, status, _ := fw.RunPreFilterPlugins(b.Context(), c.state, c.pod); !status.IsSuccess() {
		b.Fatal(status.AsError())
	}
	b.ReportAllocs()
	for b.Loop() {
		all := scheduler.notEvaluated()
		nodes := make([]*NodeJudgment, 0, len(all))
		for i := range all {
			nodes = append(nodes, &all[i])
		}
		if err := pass(newFilters(c), nodes); err != nil {
			b.Fatal(err)
		}
	}
}

// rejectedPod is a Pod that three plugins keep off every node.
func rejectedPod() *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "asks", UID: "asks"},
		Spec: corev1.PodSpec{
			NodeSelector: map[string]string{"disk": "none"},
			Containers: []corev1.Container{{
				Name:  "main",
				Ports: []corev1.ContainerPort{{ContainerPort: 80, HostPort: 80, Protocol: corev1.ProtocolTCP}},
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
					corev1.ResourceCPU: resource.MustParse("100"),
				}},
			}},
			TopologySpreadConstraints: []corev1.TopologySpreadConstraint{{
				MaxSkew:           1,
				TopologyKey:       corev1.LabelTopologyZone,
				WhenUnsatisfiable: corev1.DoNotSchedule,
				LabelSelector:     &metav1.LabelSelector{},
			}},
		},
	}
}
