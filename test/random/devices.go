package random

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	deviceDriver = "gpu.example.com"
	deviceClass  = "gpu.example.com"
	// byDevice is an extended resource that devices of the class provide.
	byDevice = corev1.ResourceName("example.com/device")
)

// devices gives a part of the clusters devices, some of them in use.
func (b *builder) devices() {
	if b.withDevices = b.chance(25); !b.withDevices {
		return
	}
	name := string(byDevice)
	b.state.DeviceClasses = []*resourcev1.DeviceClass{{
		ObjectMeta: metav1.ObjectMeta{Name: deviceClass, UID: b.uid()},
		Spec: resourcev1.DeviceClassSpec{
			ExtendedResourceName: &name,
			Selectors:            []resourcev1.DeviceSelector{cel(`device.driver == "gpu.example.com"`)},
		},
	}}
	if b.chance(20) {
		b.taintDevices()
	}
	for _, node := range b.state.Nodes {
		if !b.chance(60) {
			continue
		}
		slice := b.slice(node.Name)
		b.state.ResourceSlices = append(b.state.ResourceSlices, slice)
		for _, device := range slice.Spec.Devices {
			if b.chance(40) {
				claim := b.deviceClaim("infra", "taken-"+node.Name+"-"+device.Name)
				b.allocate(claim, node.Name, device.Name)
			}
		}
	}
}

// taintDevices taints the first device of one node by a rule.
func (b *builder) taintDevices() {
	pool, device := one(b.source, b.state.Nodes...).Name, "gpu-0"
	rule := &resourcev1.DeviceTaintRule{ObjectMeta: metav1.ObjectMeta{Name: "broken", UID: b.uid()}}
	rule.Spec.DeviceSelector = &resourcev1.DeviceTaintSelector{Pool: &pool, Device: &device}
	rule.Spec.Taint = resourcev1.DeviceTaint{Key: "broken", Effect: resourcev1.DeviceTaintEffectNoSchedule}
	b.state.DeviceTaintRules = append(b.state.DeviceTaintRules, rule)
}

func cel(expression string) resourcev1.DeviceSelector {
	return resourcev1.DeviceSelector{CEL: &resourcev1.CELDeviceSelector{Expression: expression}}
}

func (b *builder) slice(node string) *resourcev1.ResourceSlice {
	slice := &resourcev1.ResourceSlice{
		ObjectMeta: metav1.ObjectMeta{Name: node + "-gpus", UID: b.uid()},
		Spec: resourcev1.ResourceSliceSpec{
			Driver:   deviceDriver,
			NodeName: &node,
			Pool:     resourcev1.ResourcePool{Name: node, ResourceSliceCount: 1},
		},
	}
	for i := range b.between(1, 3) {
		model := one(b.source, "small", "large")
		device := resourcev1.Device{
			Name:       fmt.Sprintf("gpu-%d", i),
			Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"model": {StringValue: &model}},
		}
		if b.chance(15) {
			device.Taints = []resourcev1.DeviceTaint{{Key: "broken", Effect: resourcev1.DeviceTaintEffectNoSchedule}}
		}
		slice.Spec.Devices = append(slice.Spec.Devices, device)
	}
	return slice
}

// deviceClaim adds a claim to the State.
func (b *builder) deviceClaim(namespace, name string) *resourcev1.ResourceClaim {
	exactly := &resourcev1.ExactDeviceRequest{
		DeviceClassName: deviceClass,
		AllocationMode:  resourcev1.DeviceAllocationModeExactCount,
		Count:           int64(one(b.source, 1, 1, 2)),
	}
	claim := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: b.uid()}}
	claim.Spec.Devices.Requests = []resourcev1.DeviceRequest{{Name: "gpu", Exactly: exactly}}
	b.state.ResourceClaims = append(b.state.ResourceClaims, claim)
	return claim
}

// allocate gives a claim one device of a node.
func (b *builder) allocate(claim *resourcev1.ResourceClaim, node, device string) {
	claim.Status.Allocation = &resourcev1.AllocationResult{
		Devices: resourcev1.DeviceAllocationResult{Results: []resourcev1.DeviceRequestAllocationResult{
			{Request: "gpu", Driver: deviceDriver, Pool: node, Device: device}}},
		NodeSelector: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchFields: []corev1.NodeSelectorRequirement{
				{Key: metav1.ObjectNameField, Operator: corev1.NodeSelectorOpIn, Values: []string{node}}},
		}}},
	}
	claim.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{
		{Resource: "pods", Name: "somebody", UID: b.uid()}}
}

// wantDevices lets the Pod ask for devices: by a claim, one that is allocated, one that is missing, or as a resource.
func (b *builder) wantDevices(pod *corev1.Pod) {
	if b.chance(20) {
		resources := &pod.Spec.Containers[0].Resources
		resources.Requests[byDevice] = resource.MustParse("1")
		resources.Limits = corev1.ResourceList{byDevice: resource.MustParse("1")}
		return
	}
	name := "claim-" + pod.Name
	pod.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimName: &name}}
	pod.Spec.Containers[0].Resources.Claims = []corev1.ResourceClaim{{Name: "gpu"}}
	if b.chance(10) {
		return
	}
	claim := b.deviceClaim(pod.Namespace, name)
	exactly := claim.Spec.Devices.Requests[0].Exactly
	switch b.IntN(6) {
	case 0:
		exactly.Selectors = []resourcev1.DeviceSelector{cel(`device.attributes["gpu.example.com"].model == "large"`)}
	case 1:
		exactly.DeviceClassName = "unknown.example.com"
	case 2:
		exactly.Tolerations = []resourcev1.DeviceToleration{{Operator: resourcev1.DeviceTolerationOpExists}}
	case 3:
		if slice := b.anySlice(); slice != nil {
			b.allocate(claim, *slice.Spec.NodeName, slice.Spec.Devices[0].Name)
		}
	}
}

func (b *builder) anySlice() *resourcev1.ResourceSlice {
	if len(b.state.ResourceSlices) == 0 {
		return nil
	}
	return one(b.source, b.state.ResourceSlices...)
}

// cutLast cuts a name at its last dash.
func cutLast(name string) (before, after string, found bool) {
	i := strings.LastIndex(name, "-")
	if i < 0 {
		return name, "", false
	}
	return name[:i], name[i+1:], true
}
