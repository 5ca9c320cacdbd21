package random

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// running fills the nodes with Pods. Each starts at a time of its own, so that preemption has no choice among equals.
func (b *builder) running() {
	started := 0
	for _, node := range b.state.Nodes {
		most := 7
		if b.even {
			most = 1
		}
		for range b.between(0, most) {
			pod := b.pod(fmt.Sprintf("running-%03d", started))
			pod.Spec.NodeName = node.Name
			b.started(pod, started)
			b.state.Pods = append(b.state.Pods, pod)
			started++
		}
	}
	if b.chance(20) {
		orphan := b.pod("running-orphan")
		orphan.Spec.NodeName = "node-gone"
		b.started(orphan, started)
		b.state.Pods = append(b.state.Pods, orphan)
	}
	b.driveVolumes()
}

func (b *builder) started(pod *corev1.Pod, order int) {
	start := metav1.NewTime(epoch.Add(time.Duration(order) * time.Minute))
	pod.Status.StartTime = &start
	pod.Status.Phase = corev1.PodRunning
	if order%3 != 0 { // most are made anew when they go
		controller := true
		pod.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "gone", UID: "gone", Controller: &controller,
		}}
	}
	if b.chance(12) {
		b.hostPort(pod)
	}
	if b.chance(15) {
		b.podAffinity(pod, 50)
	}
	if b.chance(12) {
		b.resize(pod)
	}
	switch lot := b.IntN(100); {
	case lot < 6:
		pod.Status.Phase = one(b.source, corev1.PodSucceeded, corev1.PodFailed)
	case lot < 12:
		b.terminate(pod)
	}
}

// resize writes what a kubelet writes of a Pod whose requests change while it runs: it has been given other resources
// than it asks for now.
func (b *builder) resize(pod *corev1.Pod) {
	given := b.requests()
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name:               pod.Spec.Containers[0].Name,
		AllocatedResources: given,
		Resources:          &corev1.ResourceRequirements{Requests: given},
	}}
	condition := corev1.PodCondition{Type: corev1.PodResizeInProgress, Status: corev1.ConditionTrue}
	if b.chance(30) {
		condition = corev1.PodCondition{
			Type: corev1.PodResizePending, Status: corev1.ConditionTrue, Reason: corev1.PodReasonInfeasible}
	}
	if b.chance(70) {
		pod.Status.Conditions = append(pod.Status.Conditions, condition)
	}
}

// terminate marks the Pod as being deleted, now and then by preemption.
func (b *builder) terminate(pod *corev1.Pod) {
	deleted := metav1.NewTime(epoch.Add(time.Hour))
	seconds := int64(30)
	pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = &deleted, &seconds
	if b.chance(50) {
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{
			Type:   corev1.DisruptionTarget,
			Status: corev1.ConditionTrue,
			Reason: corev1.PodReasonPreemptionByScheduler,
		})
	}
}

// nominated makes Pods that wait for a node which preemption has freed for them.
func (b *builder) nominated() {
	for i := range b.between(0, 5) {
		pod := b.pod(fmt.Sprintf("nominated-%d", i))
		pod.Status.NominatedNodeName = one(b.source, b.state.Nodes...).Name
		if b.chance(10) {
			pod.Spec.SchedulerName = "another-scheduler"
		}
		if b.chance(30) {
			b.podAffinity(pod, 100)
		}
		if b.chance(30) {
			b.hostPort(pod)
		}
		priority := one(b.source, int32(0), 100, 1000, 5000)
		pod.Spec.Priority = &priority
		b.state.Pods = append(b.state.Pods, pod)
	}
}

// pod makes a Pod without any wishes but for resources.
func (b *builder) pod(name string) *corev1.Pod {
	app, namespace := one(b.source, apps...), one(b.source, namespaces...)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: namespace,
		Name:      name,
		UID:       b.uid(),
		Labels:    map[string]string{"app": app, "tier": one(b.source, tiers...)},
	}}
	if b.chance(30) {
		pod.Labels["track"] = one(b.source, "stable", "canary")
	}
	if b.chance(60) {
		pod.OwnerReferences = b.owner(namespace, app)
	}
	priority := one(b.source, priorities...)
	pod.Spec.Priority = &priority
	pod.Spec.SchedulerName = corev1.DefaultSchedulerName
	pod.Spec.Containers = []corev1.Container{b.container("main", app)}
	pod.Status.Phase = corev1.PodPending
	return pod
}

func (b *builder) container(name, app string) corev1.Container {
	container := corev1.Container{Name: name, Image: image(app)}
	container.Resources.Requests = b.requests()
	return container
}

func (b *builder) requests() corev1.ResourceList {
	list := corev1.ResourceList{}
	if b.chance(85) {
		list[corev1.ResourceCPU] = *resource.NewMilliQuantity(int64(b.between(1, 30)*100), resource.DecimalSI)
	}
	if b.chance(80) {
		list[corev1.ResourceMemory] = *resource.NewQuantity(int64(b.between(1, 32))<<28, resource.BinarySI)
	}
	if b.chance(15) {
		list[corev1.ResourceEphemeralStorage] = *resource.NewQuantity(int64(b.between(1, 20))<<30, resource.BinarySI)
	}
	return list
}

func (b *builder) hostPort(pod *corev1.Pod) {
	port := corev1.ContainerPort{
		ContainerPort: 80,
		HostPort:      one(b.source, int32(8080), 8080, 9090),
		Protocol:      one(b.source, corev1.ProtocolTCP, corev1.ProtocolTCP, corev1.ProtocolUDP),
		HostIP:        one(b.source, "", "", "0.0.0.0", "127.0.0.1", "10.0.0.1"),
	}
	pod.Spec.Containers[0].Ports = append(pod.Spec.Containers[0].Ports, port)
}
