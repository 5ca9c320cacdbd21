package random

import (
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	gpu = corev1.ResourceName("example.com/gpu")
	nic = corev1.ResourceName("example.com/nic")

	// declaredFeature is one that a Pod can ask of a node (see asksForFeature).
	declaredFeature = "RestartAllContainersOnContainerExits"
)

func (b *builder) nodes() {
	for i := range b.between(5, 30) {
		name := fmt.Sprintf("node-%02d", i)
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: b.uid(), Labels: b.nodeLabels(name)}}
		node.Spec.Taints = b.taints()
		if b.chance(8) {
			b.cordon(node)
		}
		node.Status.Allocatable = b.allocatable()
		node.Status.Images = b.images()
		if b.chance(50) {
			node.Status.DeclaredFeatures = []string{declaredFeature}
		}
		if b.even {
			node.Status.Allocatable, node.Status.Images = evenly(), nil
		}
		node.Status.Capacity = node.Status.Allocatable
		b.state.Nodes = append(b.state.Nodes, node)
	}
}

// nodeLabels now and then forgets a label that every node should have.
func (b *builder) nodeLabels(name string) map[string]string {
	labels := map[string]string{
		"disk": one(b.source, "ssd", "hdd"),
		"size": strconv.Itoa(b.between(1, 9)),
	}
	if b.chance(95) {
		labels[corev1.LabelHostname] = name
	}
	if b.chance(90) {
		labels[corev1.LabelTopologyZone] = one(b.source, zones...)
		labels[corev1.LabelTopologyRegion] = "region-" + one(b.source, "1", "1", "2")
	}
	if b.chance(40) {
		labels["pool"] = one(b.source, "general", "gpu")
	}
	return labels
}

var someTaints = []corev1.Taint{
	{Key: "dedicated", Value: "gpu", Effect: corev1.TaintEffectNoSchedule},
	{Key: "dedicated", Value: "db", Effect: corev1.TaintEffectNoSchedule},
	{Key: "maintenance", Effect: corev1.TaintEffectNoExecute},
	{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoExecute},
	{Key: "spot", Value: "true", Effect: corev1.TaintEffectPreferNoSchedule},
	{Key: "old", Effect: corev1.TaintEffectPreferNoSchedule},
}

func (b *builder) taints() []corev1.Taint {
	if !b.chance(30) {
		return nil
	}
	return some(b.source, 2, someTaints...)
}

// cordon mostly adds the taint that the node controller adds a moment later.
func (b *builder) cordon(node *corev1.Node) {
	node.Spec.Unschedulable = true
	if b.chance(70) {
		taint := corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}
		node.Spec.Taints = append(node.Spec.Taints, taint)
	}
}

func (b *builder) allocatable() corev1.ResourceList {
	list := corev1.ResourceList{
		corev1.ResourceCPU:              *resource.NewMilliQuantity(int64(b.between(4, 32)*500), resource.DecimalSI),
		corev1.ResourceMemory:           *resource.NewQuantity(int64(b.between(4, 64))<<30, resource.BinarySI),
		corev1.ResourceEphemeralStorage: *resource.NewQuantity(int64(b.between(10, 100))<<30, resource.BinarySI),
		corev1.ResourcePods:             *resource.NewQuantity(int64(one(b.source, 4, 8, 110, 110)), resource.DecimalSI),
	}
	if b.chance(30) {
		list[gpu] = *resource.NewQuantity(int64(b.between(0, 4)), resource.DecimalSI)
	}
	if b.chance(30) {
		list[nic] = *resource.NewQuantity(int64(b.between(1, 2)), resource.DecimalSI)
	}
	if b.chance(20) {
		list[corev1.ResourceHugePagesPrefix+"2Mi"] = resource.MustParse("64Mi")
	}
	return list
}

// evenly is what a node of an even cluster has.
func evenly() corev1.ResourceList {
	return corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse("8"),
		corev1.ResourceMemory:           resource.MustParse("16Gi"),
		corev1.ResourceEphemeralStorage: resource.MustParse("50Gi"),
		corev1.ResourcePods:             resource.MustParse("110"),
	}
}

func image(app string) string { return "registry.example/" + app + ":1.0" }

func (b *builder) images() []corev1.ContainerImage {
	if !b.chance(60) {
		return nil
	}
	var images []corev1.ContainerImage
	for _, app := range some(b.source, 3, apps...) {
		images = append(images, corev1.ContainerImage{
			Names:     []string{image(app)},
			SizeBytes: int64(b.between(20, 900)) << 20,
		})
	}
	return images
}
