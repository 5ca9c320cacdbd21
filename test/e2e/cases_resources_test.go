//go:build e2e

package e2e

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

func resourceCases() map[string]explainCase {
	const gpu = "example.com/gpu"
	toleratesGPU := tolerates("gpu", "true", corev1.TaintEffectNoSchedule)
	return map[string]explainCase{
		"nothing asked": {
			pod: pod("x"), want: report.Schedulable,
		},
		"a little of everything": {
			pod: pod("x", requests("cpu", "500m", "memory", "1Gi", "ephemeral-storage", "1Gi")), want: report.Schedulable,
		},
		"more CPU than any node has": {
			pod: pod("x", requests("cpu", "64")), want: report.Unschedulable,
		},
		"CPU that only the big node has, beside a Pod that is done": {
			pod: pod("x", requests("cpu", "20")), want: report.Schedulable,
		},
		"memory that only one node has": {
			pod: pod("x", requests("memory", "60Gi")), want: report.Schedulable,
		},
		"CPU of one node and memory of another": {
			pod: pod("x", requests("cpu", "20", "memory", "60Gi")), want: report.Unschedulable,
		},
		"a GPU without the toleration": {
			pod: pod("x", requests(gpu, "1")), want: report.Unschedulable,
		},
		"a GPU": {
			pod: pod("x", requests(gpu, "1"), toleratesGPU), want: report.Schedulable,
		},
		"GPUs that are free on one node only": {
			pod: pod("x", requests(gpu, "2"), toleratesGPU), want: report.Schedulable,
		},
		"more GPUs than a node has": {
			pod: pod("x", requests(gpu, "5"), toleratesGPU), want: report.Unschedulable,
		},
		"an extended resource that no node has": {
			pod: pod("x", requests("example.com/fpga", "1")), want: report.Unschedulable,
		},
		"too much ephemeral storage": {
			pod: pod("x", requests("ephemeral-storage", "200Gi")), want: report.Unschedulable,
		},
		"too much of three resources": {
			pod: pod("x", requests("cpu", "64", "memory", "1Ti", "ephemeral-storage", "1Ti")), want: report.Unschedulable,
		},
		"so many reasons that the event has no room for all": {
			pod: pod("x", manyResources(60)), want: report.Unschedulable,
		},
		"limits in place of requests": {
			pod: pod("x", limits("cpu", "40")), want: report.Unschedulable,
		},
		"an init container bigger than the main one": {
			pod: pod("x", requests("cpu", "1"), initContainer("10", false)), want: report.Schedulable,
		},
		"an init container that is too big": {
			pod: pod("x", requests("cpu", "1"), initContainer("40", false)), want: report.Unschedulable,
		},
		"a sidecar beside the main container": {
			pod: pod("x", requests("cpu", "20"), initContainer("20", true)), want: report.Unschedulable,
		},
		"requests of the whole Pod": {
			pod: pod("x", podLevelRequests("cpu", "33")), want: report.Unschedulable,
		},
		"the overhead of a runtime class": {
			setup: []object{&nodev1.RuntimeClass{
				ObjectMeta: metav1.ObjectMeta{Name: "vm"},
				Handler:    "vm",
				Overhead:   &nodev1.Overhead{PodFixed: quantities("cpu", "30")},
			}},
			pod: pod("x", requests("cpu", "3"), runtimeClass("vm")), want: report.Unschedulable,
		},
		"a node with no room for one more Pod": {
			pod: pod("x", pinned("n19")), want: report.Unschedulable,
		},
		"small nodes that are full": {
			pod: pod("x", requests("cpu", "500m"), nodeSelector("pool", "small")), want: report.Unschedulable,
		},
		"a big image that one node has": {
			pod: pod("x", containerImage("registry.example/big:v1")), want: report.Schedulable,
		},
	}
}

// manyResources asks for resources that no node has.
func manyResources(n int) podEdit {
	var pairs []string
	for i := range n {
		pairs = append(pairs, fmt.Sprintf("example.com/resource-%02d", i), "1")
	}
	return requests(pairs...)
}

func limits(pairs ...string) podEdit {
	return func(p *corev1.Pod) { p.Spec.Containers[0].Resources.Limits = quantities(pairs...) }
}

func podLevelRequests(pairs ...string) podEdit {
	return func(p *corev1.Pod) {
		p.Spec.Resources = &corev1.ResourceRequirements{Requests: quantities(pairs...)}
	}
}

func initContainer(cpu string, sidecar bool) podEdit {
	c := corev1.Container{Name: "init", Image: "registry.example/init:v1"}
	c.Resources.Requests = quantities("cpu", cpu)
	if sidecar {
		always := corev1.ContainerRestartPolicyAlways
		c.RestartPolicy = &always
	}
	return func(p *corev1.Pod) { p.Spec.InitContainers = append(p.Spec.InitContainers, c) }
}

func runtimeClass(name string) podEdit {
	return func(p *corev1.Pod) { p.Spec.RuntimeClassName = &name }
}

func containerImage(image string) podEdit {
	return func(p *corev1.Pod) { p.Spec.Containers[0].Image = image }
}
