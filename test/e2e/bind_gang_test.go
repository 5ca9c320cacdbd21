//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// The Pods of a gang are bound together, or none of them is.
func TestBindOfAGang(t *testing.T) {
	ctx := t.Context()
	serveGangs(ctx, t)
	for name, test := range map[string]struct {
		nodes    []object
		minCount int32
		want     map[report.Result]int
		exit     int
	}{
		"that fits": {
			nodes: []object{node("n1"), node("n2")}, minCount: 4,
			want: map[report.Result]int{report.ResultBound: 4},
		},
		"of which the last Pod does not fit": {
			nodes: []object{node("n1"), node("n2", allocatable("cpu", "3"))}, minCount: 4,
			want: map[report.Result]int{report.ResultUnschedulable: 4}, exit: 1,
		},
		"of which as many fit as it needs": {
			nodes: []object{node("n1"), node("n2", allocatable("cpu", "3"))}, minCount: 3,
			want: map[report.Result]int{report.ResultBound: 3, report.ResultUnschedulable: 1}, exit: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			create(ctx, t, test.nodes...)
			create(ctx, t, gang("crew", test.minCount))
			crew := several(4, func(i int) *corev1.Pod {
				return pod(fmt.Sprintf("crew-%d", i), requests("cpu", "2"), memberOf("crew"))
			})
			createMany(ctx, t, crew)
			watch := watchPods(ctx, t)
			run := runBind(ctx, t, "--pending", "-A", "--feature-gates=GenericWorkload=true")
			run.wantExit(t, test.exit)
			if diff := cmp.Diff(test.want, tally(run.results, crew)); diff != "" {
				t.Errorf("results of the gang (-want +got):\n%s\n%s", diff, run.notBound())
			}
			checkAll(ctx, t, watch, run, crew)
		})
	}
}

// serveGangs makes the API server one that knows gangs, until the test ends.
func serveGangs(ctx context.Context, t *testing.T) {
	t.Helper()
	t.Cleanup(func() { restartAPIServer(context.WithoutCancel(ctx), t) })
	restartAPIServer(ctx, t, "--feature-gates=GenericWorkload=true", "--runtime-config=scheduling.k8s.io/v1beta1=true")
}

// restartAPIServer restarts the API server, which then may serve other kinds.
func restartAPIServer(ctx context.Context, t *testing.T, flags ...string) {
	t.Helper()
	if err := env.RestartAPIServer(ctx, flags...); err != nil {
		t.Fatal(err)
	}
	client, err := clients()
	if err != nil {
		t.Fatal(err)
	}
	client.mapper.Reset()
}

func gang(name string, minCount int32) *schedulingv1beta1.PodGroup {
	return &schedulingv1beta1.PodGroup{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: schedulingv1beta1.PodGroupSpec{SchedulingPolicy: schedulingv1beta1.PodGroupSchedulingPolicy{
			Gang: &schedulingv1beta1.GangSchedulingPolicy{MinCount: minCount},
		}},
	}
}

func memberOf(group string) podEdit {
	return func(p *corev1.Pod) { p.Spec.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: &group} }
}
