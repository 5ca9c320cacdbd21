package run_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
	"github.com/kubectl-sched/kubectl-sched/pkg/run"
	"github.com/kubectl-sched/kubectl-sched/test/random"
)

// BenchmarkPlan decides about 500 Pods, one on top of the other, in a cluster of 5,000 nodes and 150,000 Pods.
func BenchmarkPlan(b *testing.B) {
	const asked = 500
	state := random.Large(5000, 30)
	var pods []*corev1.Pod
	for i := range asked {
		name := fmt.Sprintf("asked-%03d", i)
		pods = append(pods, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, UID: types.UID(name)},
			Spec: corev1.PodSpec{Containers: []corev1.Container{{
				Name: "main", Image: "app",
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
					corev1.ResourceCPU: resource.MustParse("10m"),
				}},
			}}},
		})
	}
	state.Pods = append(state.Pods, pods...)
	upstream.SetDefaults(state)
	for b.Loop() {
		b.StopTimer()
		session, err := run.NewPlan(b.Context(), state, run.Options{})
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if _, err := session.Bind(b.Context(), pods); err != nil {
			b.Fatal(err)
		}
		session.Close()
	}
	b.ReportMetric(float64(asked*b.N)/b.Elapsed().Seconds(), "pods/s")
}
