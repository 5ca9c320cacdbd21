package random

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// podsPerOwner is how many Pods of a large cluster are of one template.
const podsPerOwner = 250

// Large makes a large and believable cluster: nodes in three zones, each with the same number of Pods, which
// ReplicaSets own and which have the status that a kubelet writes. A node has 16 CPUs, of which its Pods take less
// than 12.
func Large(nodes, podsPerNode int) *cluster.State {
	b := &builder{source: newSource(1), state: &cluster.State{}}
	b.namespaces()
	for i := range nodes {
		b.state.Nodes = append(b.state.Nodes, b.largeNode(i))
	}
	var template *corev1.Pod
	for i := range nodes * podsPerNode {
		if i%podsPerOwner == 0 {
			template = b.template(i / podsPerOwner)
		}
		// Pods of one owner are on nodes far apart.
		node := b.state.Nodes[i*7919%nodes]
		b.state.Pods = append(b.state.Pods, replica(template, i, node.Name))
	}
	b.sort()
	return b.state
}

func (b *builder) largeNode(i int) *corev1.Node {
	name := fmt.Sprintf("node-%05d", i)
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: b.uid(), Labels: map[string]string{
		corev1.LabelHostname:           name,
		corev1.LabelTopologyZone:       zones[i%len(zones)],
		corev1.LabelTopologyRegion:     "region-1",
		corev1.LabelArchStable:         "amd64",
		corev1.LabelOSStable:           "linux",
		corev1.LabelInstanceTypeStable: "large",
		"disk":                         one(b.source, "ssd", "hdd"),
	}}}
	if i%10 == 0 {
		node.Spec.Taints = []corev1.Taint{{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule}}
	}
	node.Status.Allocatable = corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse("16"),
		corev1.ResourceMemory:           resource.MustParse("64Gi"),
		corev1.ResourceEphemeralStorage: resource.MustParse("100Gi"),
		corev1.ResourcePods:             resource.MustParse("110"),
	}
	node.Status.Capacity = node.Status.Allocatable
	for app := range 30 {
		node.Status.Images = append(node.Status.Images, corev1.ContainerImage{
			Names:     []string{image(fmt.Sprintf("app-%03d", (i+app*17)%600))},
			SizeBytes: int64(b.between(20, 900)) << 20,
		})
	}
	return node
}

// template makes the Pod of one owner; every tenth has preferred anti-affinity, every twentieth a required one.
func (b *builder) template(owner int) *corev1.Pod {
	app := fmt.Sprintf("app-%03d", owner)
	set := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: app, UID: b.uid()}}
	set.Namespace = namespaces[owner%len(namespaces)]
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
	set.Spec.Selector = selector
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace:       set.Namespace,
		Name:            app,
		Labels:          map[string]string{"app": app, appsv1.DefaultDeploymentUniqueLabelKey: "5d4f8c7b9"},
		OwnerReferences: []metav1.OwnerReference{replicaSet(set)},
	}}
	priority := one(b.source, priorities...)
	pod.Spec.Priority = &priority
	pod.Spec.SchedulerName = corev1.DefaultSchedulerName
	pod.Spec.Containers = []corev1.Container{b.smallContainer("main", app), b.smallContainer("proxy", app)}
	term := corev1.PodAffinityTerm{LabelSelector: selector, TopologyKey: corev1.LabelHostname}
	switch {
	case owner%20 == 0:
		affinityOf(pod).PodAntiAffinity = &corev1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{term}}
	case owner%10 == 5:
		affinityOf(pod).PodAntiAffinity = &corev1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.
			WeightedPodAffinityTerm{{Weight: 100, PodAffinityTerm: term}}}
	}
	return pod
}

func (b *builder) smallContainer(name, app string) corev1.Container {
	requests := corev1.ResourceList{
		corev1.ResourceCPU:    *resource.NewMilliQuantity(int64(b.between(1, 4)*50), resource.DecimalSI),
		corev1.ResourceMemory: *resource.NewQuantity(int64(b.between(2, 12))<<26, resource.BinarySI),
	}
	return corev1.Container{
		Name:      name,
		Image:     image(app),
		Ports:     []corev1.ContainerPort{{ContainerPort: 8080, Protocol: corev1.ProtocolTCP}},
		Resources: corev1.ResourceRequirements{Requests: requests, Limits: requests},
	}
}

// replica makes one running Pod of a template.
func replica(template *corev1.Pod, i int, node string) *corev1.Pod {
	pod := template.DeepCopy()
	pod.Name = fmt.Sprintf("%s-5d4f8c7b9-%06d", template.Name, i)
	pod.UID = types.UID(fmt.Sprintf("pod-%06d", i))
	pod.Spec.NodeName = node
	start := metav1.NewTime(epoch.Add(time.Duration(i) * time.Second))
	pod.Status = corev1.PodStatus{Phase: corev1.PodRunning, StartTime: &start, QOSClass: corev1.PodQOSGuaranteed}
	for _, condition := range []corev1.PodConditionType{
		corev1.PodReadyToStartContainers, corev1.PodInitialized, corev1.PodReady, corev1.ContainersReady, corev1.PodScheduled,
	} {
		pod.Status.Conditions = append(pod.Status.Conditions,
			corev1.PodCondition{Type: condition, Status: corev1.ConditionTrue, LastTransitionTime: start})
	}
	for _, container := range pod.Spec.Containers {
		requests := container.Resources.Requests.DeepCopy()
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{
			Name:               container.Name,
			Image:              container.Image,
			Ready:              true,
			State:              corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: start}},
			AllocatedResources: requests,
			Resources:          &corev1.ResourceRequirements{Requests: requests, Limits: requests},
		})
	}
	return pod
}
