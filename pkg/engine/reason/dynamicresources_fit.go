package reason

import (
	"context"
	"fmt"
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/dynamic-resource-allocation/structured"
)

// deviceFit is what keeps a device from a request, or that nothing does.
type deviceFit struct {
	outcome fitOutcome
	// selector is the first expression that the device fails, or that fails on it.
	selector string
	err      error
}

type fitOutcome int

const (
	deviceFree fitOutcome = iota
	deviceAllocated
	deviceTainted
	deviceLacksCapacity
	deviceLacksCounters
	deviceUnmatched
	deviceFails // its selector
)

// fitsOf judges each device of a slice for a request, once.
func (s *deviceSupply) fitsOf(ctx context.Context, request *deviceRequest, slice *deviceSlice) []deviceFit {
	if known, ok := slice.fits[request]; ok {
		return known
	}
	fits := make([]deviceFit, 0, len(slice.Spec.Devices))
	for i := range slice.Spec.Devices {
		fits = append(fits, s.fit(ctx, request, slice, &slice.Spec.Devices[i]))
	}
	slice.fits[request] = fits
	return fits
}

func (s *deviceSupply) fit(ctx context.Context, request *deviceRequest, slice *deviceSlice,
	device *resourcev1.Device,
) deviceFit {
	id := slice.deviceID(device.Name)
	taken := !request.admin && s.inUse.AllocatedDevices.Has(id)
	if unmatched := s.match(ctx, request, slice, device); unmatched.outcome != deviceFree {
		if taken && unmatched.outcome == deviceFails {
			unmatched.outcome = deviceUnmatched // upstream does not ask: the device is in use
		}
		return unmatched
	}
	switch {
	case taken:
		return deviceFit{outcome: deviceAllocated}
	case s.features.EnableDRADeviceTaints && len(untolerated(request, device)) > 0:
		return deviceFit{outcome: deviceTainted}
	case s.features.EnableDRAConsumableCapacity && s.lacksCapacity(request, id, device):
		return deviceFit{outcome: deviceLacksCapacity}
	case s.lacksCounters(slice, id, device):
		return deviceFit{outcome: deviceLacksCounters}
	}
	return deviceFit{outcome: deviceFree}
}

// match evaluates the selectors of the class and then of the request (allocator.isSelectable and selectorsMatch in
// structured/internal/incubating, v0.37.2).
func (s *deviceSupply) match(ctx context.Context, request *deviceRequest, slice *deviceSlice,
	device *resourcev1.Device,
) deviceFit {
	binds := s.features.EnableDRADeviceBindingConditions && s.features.EnableDRAResourceClaimDeviceStatus
	if len(device.BindingConditions) > 0 && !binds {
		return deviceFit{outcome: deviceUnmatched}
	}
	input := cel.Device{
		Driver:                   slice.Spec.Driver,
		AllowMultipleAllocations: device.AllowMultipleAllocations,
		Attributes:               device.Attributes,
		Capacity:                 device.Capacity,
	}
	for _, selector := range slices.Concat(request.class.Spec.Selectors, request.selectors) {
		if selector.CEL == nil {
			continue
		}
		expression := selector.CEL.Expression
		compiled := s.cel.GetOrCompile(expression)
		if compiled.Error != nil {
			return deviceFit{outcome: deviceFails, selector: expression, err: fmt.Errorf("compiling: %w", compiled.Error)}
		}
		matches, _, err := compiled.DeviceMatches(ctx, input)
		if err != nil {
			return deviceFit{outcome: deviceFails, selector: expression, err: cel.EnhanceRuntimeError(err)}
		}
		if !matches {
			return deviceFit{outcome: deviceUnmatched, selector: expression}
		}
	}
	return deviceFit{outcome: deviceFree}
}

// untolerated are the taints that keep the device from the request (taintPreventsAllocation in
// structured/internal/incubating, v0.37.2).
func untolerated(request *deviceRequest, device *resourcev1.Device) []resourcev1.DeviceTaint {
	var taints []resourcev1.DeviceTaint
	for _, taint := range device.Taints {
		if taint.Effect != resourcev1.DeviceTaintEffectNoExecute && taint.Effect != resourcev1.DeviceTaintEffectNoSchedule {
			continue
		}
		tolerates := func(t resourcev1.DeviceToleration) bool { return resourceclaim.ToleratesTaint(t, taint) }
		if !slices.ContainsFunc(request.tolerations, tolerates) {
			taints = append(taints, taint)
		}
	}
	return taints
}

// lacksCapacity tells whether a device, beside what other claims take of it, has less than the request asks for in so
// many words. What a device's policies make of the request can only be more (CmpRequestOverCapacity in
// structured/internal/incubating, v0.37.2).
func (s *deviceSupply) lacksCapacity(request *deviceRequest, id structured.DeviceID, device *resourcev1.Device) bool {
	consumed := s.inUse.AggregatedCapacity[id]
	for name, requested := range request.capacity {
		capacity, ok := device.Capacity[name]
		if !ok {
			return true
		}
		total := requested.DeepCopy()
		if taken := consumed[name]; taken != nil {
			total.Add(*taken)
		}
		if total.Cmp(capacity.Value) > 0 {
			return true
		}
	}
	return false
}

// lacksCounters tells whether allocated devices leave too little of the counters that the device draws from. The
// counters of a shared device that is in use are taken already.
func (s *deviceSupply) lacksCounters(slice *deviceSlice, id structured.DeviceID, device *resourcev1.Device) bool {
	if len(device.ConsumesCounters) == 0 {
		return false
	}
	if !s.features.EnableDRAPartitionableDevices {
		return true
	}
	if isTrue(device.AllowMultipleAllocations) && structured.IsDeviceAllocated(id, &s.inUse) {
		return false
	}
	consumed := consumedBy(*device)
	for counter, left := range slice.pool.generations[slice.Spec.Pool.Generation].left {
		if needed := consumed[counter]; left.Cmp(needed) < 0 {
			return true
		}
	}
	return false
}
