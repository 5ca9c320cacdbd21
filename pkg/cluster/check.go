package cluster

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// amounts are quantities of an object and where they are in it.
type amounts struct {
	path string
	list corev1.ResourceList
}

// quantities returns what the scheduler or the API server counts of the object.
func quantities(object Object) []amounts {
	switch object := object.(type) {
	case *corev1.Node:
		return []amounts{{"status.allocatable", object.Status.Allocatable}, {"status.capacity", object.Status.Capacity}}
	case *corev1.Pod:
		return append(podQuantities("spec", &object.Spec), statusQuantities(&object.Status)...)
	case *corev1.PersistentVolume:
		return []amounts{{"spec.capacity", object.Spec.Capacity}}
	case *corev1.PersistentVolumeClaim:
		return []amounts{
			{"spec.resources.requests", object.Spec.Resources.Requests},
			{"spec.resources.limits", object.Spec.Resources.Limits},
			{"status.capacity", object.Status.Capacity},
		}
	case *storagev1.CSIStorageCapacity:
		return storageQuantities(object)
	case *nodev1.RuntimeClass:
		if object.Overhead != nil {
			return []amounts{{"overhead.podFixed", object.Overhead.PodFixed}}
		}
	case *corev1.LimitRange:
		return limitQuantities(object.Spec.Limits)
	}
	if path, template := PodTemplate(object); template != nil {
		return podQuantities(path+".spec", &template.Spec)
	}
	return nil
}

func podQuantities(path string, spec *corev1.PodSpec) []amounts {
	found := []amounts{{path + ".overhead", spec.Overhead}}
	if spec.Resources != nil {
		found = append(found, requirements(path, spec.Resources)...)
	}
	found = append(found, specQuantities(path+".initContainers", spec.InitContainers)...)
	return append(found, specQuantities(path+".containers", spec.Containers)...)
}

func specQuantities(path string, containers []corev1.Container) []amounts {
	var found []amounts
	for i := range containers {
		found = append(found, requirements(fmt.Sprintf("%s[%d]", path, i), &containers[i].Resources)...)
	}
	return found
}

func requirements(path string, resources *corev1.ResourceRequirements) []amounts {
	return []amounts{{path + ".resources.requests", resources.Requests}, {path + ".resources.limits", resources.Limits}}
}

// statusQuantities are what a Pod holds while it is resized.
func statusQuantities(status *corev1.PodStatus) []amounts {
	found := statusesQuantities("status.initContainerStatuses", status.InitContainerStatuses)
	return append(found, statusesQuantities("status.containerStatuses", status.ContainerStatuses)...)
}

func statusesQuantities(path string, statuses []corev1.ContainerStatus) []amounts {
	var found []amounts
	for i, status := range statuses {
		if status.AllocatedResources == nil && status.Resources == nil {
			continue
		}
		path := fmt.Sprintf("%s[%d]", path, i)
		found = append(found, amounts{path + ".allocatedResources", status.AllocatedResources})
		if status.Resources != nil {
			found = append(found, requirements(path, status.Resources)...)
		}
	}
	return found
}

func storageQuantities(object *storagev1.CSIStorageCapacity) []amounts {
	list := corev1.ResourceList{}
	if object.Capacity != nil {
		list["capacity"] = *object.Capacity
	}
	if object.MaximumVolumeSize != nil {
		list["maximumVolumeSize"] = *object.MaximumVolumeSize
	}
	return []amounts{{"", list}}
}

func limitQuantities(limits []corev1.LimitRangeItem) []amounts {
	var found []amounts
	for i, limit := range limits {
		path := fmt.Sprintf("spec.limits[%d]", i)
		found = append(found,
			amounts{path + ".max", limit.Max},
			amounts{path + ".min", limit.Min},
			amounts{path + ".default", limit.Default},
			amounts{path + ".defaultRequest", limit.DefaultRequest},
			amounts{path + ".maxLimitRequestRatio", limit.MaxLimitRequestRatio},
		)
	}
	return found
}

var (
	mostMillis = resource.NewMilliQuantity(math.MaxInt64, resource.DecimalSI)
	mostUnits  = resource.NewQuantity(math.MaxInt64, resource.DecimalSI)
)

// checkQuantities refuses amounts that upstream's sums and scores would count wrong: negative ones, and those that by
// themselves or together overflow the int64 in which it counts thousandths of cpu and units of all else. It returns the
// field as well.
func checkQuantities(object Object) (field string, err error) {
	requested := map[corev1.ResourceName]float64{}
	for _, amounts := range quantities(object) {
		for _, name := range slices.Sorted(maps.Keys(amounts.list)) {
			if err := checkQuantity(name, amounts.list[name]); err != nil {
				field = strings.TrimPrefix(amounts.path+"."+string(name), ".")
				return field, fmt.Errorf("%s: %w", field, err)
			}
			if strings.HasSuffix(amounts.path, ".requests") || strings.HasSuffix(amounts.path, ".overhead") {
				requested[name] += inUnits(name, amounts.list[name])
			}
			if requested[name] > math.MaxInt64 {
				field = amounts.path + "." + string(name)
				return field, fmt.Errorf("%s: with the other containers' requests it is more than can be counted", field)
			}
		}
	}
	return "", nil
}

// inUnits is a quantity in the units in which upstream counts it, roughly.
func inUnits(name corev1.ResourceName, quantity resource.Quantity) float64 {
	if name == corev1.ResourceCPU {
		return quantity.AsApproximateFloat64() * 1000
	}
	return quantity.AsApproximateFloat64()
}

func checkQuantity(name corev1.ResourceName, quantity resource.Quantity) error {
	most := mostUnits
	if name == corev1.ResourceCPU {
		most = mostMillis
	}
	switch {
	case quantity.Sign() < 0:
		return fmt.Errorf("%s is negative", quantity.String())
	case quantity.Cmp(*most) > 0:
		return fmt.Errorf("%s is more than can be counted: the most is %s", quantity.String(), most.String())
	}
	return nil
}
