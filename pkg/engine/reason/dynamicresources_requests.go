package reason

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	schedutil "k8s.io/kubernetes/pkg/scheduler/util"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// deviceRequest asks for devices of a class.
type deviceRequest struct {
	id        report.PodClaim
	name      string              // REQUEST or REQUEST/SUBREQUEST
	resource  corev1.ResourceName // for an extended resource, in place of a name
	className string
	class     *resourcev1.DeviceClass // nil when it does not exist

	selectors   []resourcev1.DeviceSelector
	tolerations []resourcev1.DeviceToleration
	capacity    map[resourcev1.QualifiedName]resource.Quantity
	count       int64
	all, admin  bool
}

// deviceWish is a request with its alternatives, any of which will do.
type deviceWish []*deviceRequest

// claimWishes are the requests of the claims that are not allocated.
func (d *podDevices) claimWishes() []deviceWish {
	var wishes []deviceWish
	for _, held := range d.claims {
		if held.claim.Status.Allocation != nil {
			continue
		}
		for i := range held.claim.Spec.Devices.Requests {
			if wish := d.wishOf(held.id, &held.claim.Spec.Devices.Requests[i]); len(wish) > 0 {
				wishes = append(wishes, wish)
			}
		}
	}
	return wishes
}

func (d *podDevices) wishOf(id report.PodClaim, request *resourcev1.DeviceRequest) deviceWish {
	if exactly := request.Exactly; exactly != nil {
		return deviceWish{{
			id: id, name: request.Name, className: exactly.DeviceClassName, class: d.class(exactly.DeviceClassName),
			selectors: exactly.Selectors, tolerations: exactly.Tolerations, capacity: requestedOf(exactly.Capacity),
			count: exactly.Count, all: exactly.AllocationMode == resourcev1.DeviceAllocationModeAll,
			admin: exactly.AdminAccess != nil && *exactly.AdminAccess,
		}}
	}
	var wish deviceWish
	for _, sub := range request.FirstAvailable {
		wish = append(wish, &deviceRequest{
			id: id, name: request.Name + "/" + sub.Name, className: sub.DeviceClassName, class: d.class(sub.DeviceClassName),
			selectors: sub.Selectors, tolerations: sub.Tolerations, capacity: requestedOf(sub.Capacity),
			count: sub.Count, all: sub.AllocationMode == resourcev1.DeviceAllocationModeAll,
		})
	}
	return wish
}

func requestedOf(capacity *resourcev1.CapacityRequirements) map[resourcev1.QualifiedName]resource.Quantity {
	if capacity == nil {
		return nil
	}
	return capacity.Requests
}

func (d *podDevices) class(name string) *resourcev1.DeviceClass {
	class, err := d.manager.DeviceClasses().Get(name)
	if err != nil {
		return nil
	}
	return class
}

// extendedWishes are the Pod's extended resources, when devices provide at least one of them.
type extendedWishes struct {
	stale *report.StaleResourceClaim
	// names are sorted.
	names    []corev1.ResourceName
	requests map[corev1.ResourceName]int64
	// devices are the requests for those that devices may provide. The requests of containers are taken together, since
	// nothing but their number tells them apart.
	devices map[corev1.ResourceName]*deviceRequest
}

// extendedResources follows DynamicResources.preFilterExtendedResources (v1.37.2).
func (d *podDevices) extendedResources() *extendedWishes {
	if !d.features.EnableDRAExtendedResource {
		return &extendedWishes{}
	}
	out := &extendedWishes{
		requests: map[corev1.ResourceName]int64{},
		devices:  map[corev1.ResourceName]*deviceRequest{},
	}
	requests := framework.NewResource(resourcehelper.PodRequests(d.pod, resourcehelper.PodResourcesOptions{}))
	for name, quantity := range requests.ScalarResources {
		if quantity == 0 || !schedutil.IsDRAExtendedResourceName(name) {
			continue
		}
		out.requests[name] = quantity
		if class := d.manager.DeviceClassResolver().GetDeviceClass(name); class != nil {
			out.devices[name] = &deviceRequest{resource: name, className: class.Name, class: class, count: quantity}
		}
	}
	if len(out.devices) == 0 {
		return &extendedWishes{}
	}
	out.names = slices.Sorted(maps.Keys(out.requests))
	out.stale = d.staleClaim()
	return out
}

// staleClaim is the claim of an earlier attempt (findExtendedResourceClaim in plugins/dynamicresources, v1.37.2).
func (d *podDevices) staleClaim() *report.StaleResourceClaim {
	claims, err := d.manager.ResourceClaims().List()
	if err != nil {
		return nil
	}
	var names []string
	for _, claim := range claims {
		if claim.Annotations[resourcev1.ExtendedResourceClaimAnnotation] != "true" || claim.Spec.Devices.Requests == nil {
			continue
		}
		for _, owner := range claim.OwnerReferences {
			if owner.Name == d.pod.Name && owner.UID == d.pod.UID && owner.Controller != nil && *owner.Controller {
				names = append(names, claim.Name)
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	return &report.StaleResourceClaim{PodClaim: report.PodClaim{Namespace: d.pod.Namespace, Name: slices.Min(names)}}
}

// lackedOn are the resources that neither the node nor devices provide (filterExtendedResources, v1.37.2).
func (w *extendedWishes) lackedOn(node fwk.NodeInfo) report.Details {
	var details report.Details
	for _, name := range w.names {
		if _, provided := node.GetAllocatable().GetScalarResources()[name]; w.devices[name] == nil && !provided {
			wanted := amount(name, w.requests[name])
			details = append(details, report.InsufficientResource{
				Resource: string(name), Requested: wanted, Used: "0", Allocatable: "0", Missing: wanted})
		}
	}
	return details
}

// on are the requests for devices on a node: for resources that the node does not provide by itself.
func (w *extendedWishes) on(node fwk.NodeInfo) []deviceWish {
	var wishes []deviceWish
	for _, name := range w.names {
		if request := w.devices[name]; request != nil && node.GetAllocatable().GetScalarResources()[name] == 0 {
			wishes = append(wishes, deviceWish{request})
		}
	}
	return wishes
}
