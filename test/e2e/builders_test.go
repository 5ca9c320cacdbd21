//go:build e2e

package e2e

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// namespace is where the tests' Pods live.
const namespace = "shop"

// quantities reads pairs of a resource and an amount: quantities("cpu", "2", "memory", "4Gi").
func quantities(pairs ...string) corev1.ResourceList {
	list := corev1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		list[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return list
}

// pairsOf reads pairs of a key and a value.
func pairsOf(pairs ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	return m
}

type (
	nodeEdit func(*corev1.Node)
	podEdit  func(*corev1.Pod)
)

// node is a ready node with 4 CPUs, 8Gi and room for 110 Pods, labeled with its name.
func node(name string, edits ...nodeEdit) *corev1.Node {
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name:   name,
			Labels: pairsOf(corev1.LabelHostname, name, corev1.LabelOSStable, "linux", corev1.LabelArchStable, "amd64"),
		},
		Status: corev1.NodeStatus{
			Allocatable: quantities("cpu", "4", "memory", "8Gi", "ephemeral-storage", "100Gi", "pods", "110"),
			Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		},
	}
	for _, edit := range edits {
		edit(n)
	}
	n.Status.Capacity = n.Status.Allocatable
	return n
}

func nodeLabels(pairs ...string) nodeEdit {
	return func(n *corev1.Node) {
		for key, value := range pairsOf(pairs...) {
			n.Labels[key] = value
		}
	}
}

func zone(name string) nodeEdit { return nodeLabels(corev1.LabelTopologyZone, name) }

func allocatable(pairs ...string) nodeEdit {
	return func(n *corev1.Node) {
		for name, amount := range quantities(pairs...) {
			n.Status.Allocatable[name] = amount
		}
	}
}

func taint(key, value string, effect corev1.TaintEffect) nodeEdit {
	return func(n *corev1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key, Value: value, Effect: effect})
	}
}

func cordoned(n *corev1.Node) { n.Spec.Unschedulable = true }

func image(name string, size int64) nodeEdit {
	return func(n *corev1.Node) {
		n.Status.Images = append(n.Status.Images, corev1.ContainerImage{Names: []string{name}, SizeBytes: size})
	}
}

// pod is a Pod with one container that asks for nothing.
func pod(name string, edits ...podEdit) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{Name: "main", Image: "registry.example/app:v1"}},
		},
	}
	for _, edit := range edits {
		edit(p)
	}
	return p
}

// on puts the Pod onto a node, as if a scheduler had bound it.
func on(nodeName string) podEdit { return func(p *corev1.Pod) { p.Spec.NodeName = nodeName } }

func podLabels(pairs ...string) podEdit {
	return func(p *corev1.Pod) { p.Labels = pairsOf(pairs...) }
}

func requests(pairs ...string) podEdit {
	return func(p *corev1.Pod) {
		list := quantities(pairs...)
		p.Spec.Containers[0].Resources.Requests = list
		limits := corev1.ResourceList{}
		for name, amount := range list {
			if name != corev1.ResourceCPU && name != corev1.ResourceMemory && name != corev1.ResourceEphemeralStorage {
				limits[name] = amount // extended resources cannot be overcommitted
			}
		}
		p.Spec.Containers[0].Resources.Limits = limits
	}
}

func nodeSelector(pairs ...string) podEdit {
	return func(p *corev1.Pod) { p.Spec.NodeSelector = pairsOf(pairs...) }
}

func toleratesAll(p *corev1.Pod) {
	p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{Operator: corev1.TolerationOpExists})
}

func tolerates(key, value string, effect corev1.TaintEffect) podEdit {
	return func(p *corev1.Pod) {
		toleration := corev1.Toleration{Key: key, Operator: corev1.TolerationOpEqual, Value: value, Effect: effect}
		p.Spec.Tolerations = append(p.Spec.Tolerations, toleration)
	}
}

func hostPort(port int32, protocol corev1.Protocol) podEdit {
	return func(p *corev1.Pod) {
		c := &p.Spec.Containers[0]
		c.Ports = append(c.Ports, corev1.ContainerPort{ContainerPort: port, HostPort: port, Protocol: protocol})
	}
}

func priorityClass(name string) podEdit {
	return func(p *corev1.Pod) { p.Spec.PriorityClassName = name }
}

func gates(names ...string) podEdit {
	return func(p *corev1.Pod) {
		for _, name := range names {
			p.Spec.SchedulingGates = append(p.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: name})
		}
	}
}

// claims mounts the named PersistentVolumeClaims.
func claims(names ...string) podEdit {
	return func(p *corev1.Pod) {
		for _, name := range names {
			source := &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name}
			p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{
				Name:         name,
				VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: source},
			})
		}
	}
}
