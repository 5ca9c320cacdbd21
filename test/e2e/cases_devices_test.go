//go:build e2e

package e2e

import (
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// Devices are claimed dynamically: two of them, on node n06.
func deviceCases() map[string]explainCase {
	driver := func(more ...object) []object { return append(deviceDriver(), more...) }
	return map[string]explainCase{
		"a device": {
			setup: driver(deviceClaim("card", "card", 1)),
			pod:   pod("x", deviceClaims("card")), want: report.Schedulable,
		},
		"more devices than a node has": {
			setup: driver(deviceClaim("cards", "card", 3)),
			pod:   pod("x", deviceClaims("cards")), want: report.Unschedulable,
		},
		"a device, and a node that has none": {
			setup: driver(deviceClaim("card", "card", 1)),
			pod:   pod("x", deviceClaims("card"), nodeSelector("disk", "ssd")), want: report.Unschedulable,
		},
		"a device, and too much CPU": {
			setup: driver(deviceClaim("card", "card", 1)),
			pod:   pod("x", deviceClaims("card"), requests("cpu", "5")), want: report.Unschedulable,
		},
		"a device of a class that does not exist": {
			setup: driver(deviceClaim("card", "nosuch", 1)),
			pod:   pod("x", deviceClaims("card")), want: report.Unschedulable,
		},
		"a device claim that does not exist": {
			pod: pod("x", deviceClaims("ghost")), want: report.Gated,
		},
		"a device claim that no controller has made from its template yet": {
			pod: pod("x", deviceClaimFrom("card")), want: report.Gated,
		},
	}
}

func deviceDriver() []object {
	nodeName := "n06"
	return []object{
		&resourcev1.DeviceClass{
			ObjectMeta: metav1.ObjectMeta{Name: "card"},
			Spec: resourcev1.DeviceClassSpec{Selectors: []resourcev1.DeviceSelector{{
				CEL: &resourcev1.CELDeviceSelector{Expression: `device.driver == "card.example.com"`},
			}}},
		},
		&resourcev1.ResourceSlice{
			ObjectMeta: metav1.ObjectMeta{Name: "n06-cards"},
			Spec: resourcev1.ResourceSliceSpec{
				Driver:   "card.example.com",
				NodeName: &nodeName,
				Pool:     resourcev1.ResourcePool{Name: nodeName, Generation: 1, ResourceSliceCount: 1},
				Devices:  []resourcev1.Device{{Name: "card-0"}, {Name: "card-1"}},
			},
		},
	}
}

// driveDriver has two devices on node n07, which Pods can ask for as an extended resource.
func driveDriver() []object {
	nodeName, resourceName := "n07", "example.com/drive"
	return []object{
		&resourcev1.DeviceClass{
			ObjectMeta: metav1.ObjectMeta{Name: "drive"},
			Spec: resourcev1.DeviceClassSpec{
				ExtendedResourceName: &resourceName,
				Selectors: []resourcev1.DeviceSelector{{
					CEL: &resourcev1.CELDeviceSelector{Expression: `device.driver == "drive.example.com"`},
				}},
			},
		},
		&resourcev1.ResourceSlice{
			ObjectMeta: metav1.ObjectMeta{Name: "n07-drives"},
			Spec: resourcev1.ResourceSliceSpec{
				Driver:   "drive.example.com",
				NodeName: &nodeName,
				Pool:     resourcev1.ResourcePool{Name: nodeName, Generation: 1, ResourceSliceCount: 1},
				Devices:  []resourcev1.Device{{Name: "drive-0"}, {Name: "drive-1"}},
			},
		},
	}
}

func deviceClaim(name, class string, count int64) *resourcev1.ResourceClaim {
	return &resourcev1.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{
			Requests: []resourcev1.DeviceRequest{{
				Name: "cards",
				Exactly: &resourcev1.ExactDeviceRequest{
					DeviceClassName: class,
					AllocationMode:  resourcev1.DeviceAllocationModeExactCount,
					Count:           count,
				},
			}},
		}},
	}
}

// deviceClaimFrom uses a ResourceClaim that is made from a template.
func deviceClaimFrom(template string) podEdit {
	return func(p *corev1.Pod) {
		claim := corev1.PodResourceClaim{Name: template, ResourceClaimTemplateName: &template}
		p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, claim)
	}
}

// deviceClaims uses the named ResourceClaims.
func deviceClaims(names ...string) podEdit {
	return func(p *corev1.Pod) {
		for _, name := range names {
			p.Spec.ResourceClaims = append(p.Spec.ResourceClaims, corev1.PodResourceClaim{Name: name, ResourceClaimName: &name})
			c := &p.Spec.Containers[0]
			c.Resources.Claims = append(c.Resources.Claims, corev1.ResourceClaim{Name: name})
		}
	}
}
