package reason

import (
	"context"
	"slices"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// deviceCount sums up how devices fit a request.
type deviceCount struct {
	offered  int
	outcomes [deviceFails + 1]int
	// users, taints and selectors may repeat; counters are what free devices draw from.
	users, taints, selectors, counters []string
	// failed is the first device on which a selector fails.
	failed *report.DeviceSelectorError
}

func (c *deviceCount) free() int { return c.outcomes[deviceFree] }

func (c *deviceCount) matching() int {
	return c.offered - c.outcomes[deviceUnmatched] - c.outcomes[deviceFails]
}

// wanted is how many devices would satisfy the request.
func (c *deviceCount) wanted(request *deviceRequest) int64 {
	if request.all {
		return int64(max(1, c.matching()))
	}
	return request.count
}

func (c *deviceCount) add(more *deviceCount) {
	c.offered += more.offered
	for i, n := range more.outcomes {
		c.outcomes[i] += n
	}
	c.users = append(c.users, more.users...)
	c.taints = append(c.taints, more.taints...)
	c.selectors = append(c.selectors, more.selectors...)
	c.counters = append(c.counters, more.counters...)
	if c.failed == nil {
		c.failed = more.failed
	}
}

// count sums up the devices that the node reaches.
func (p *reachedPools) count(ctx context.Context, request *deviceRequest) *deviceCount {
	total := &deviceCount{}
	for _, slice := range p.slices {
		total.add(p.countSlice(ctx, request, slice))
	}
	return total
}

func (p *reachedPools) countSlice(ctx context.Context, request *deviceRequest, slice *deviceSlice) *deviceCount {
	perDevice := isTrue(slice.Spec.PerDeviceNodeSelection)
	if known := slice.counts[request]; known != nil && !perDevice {
		return known
	}
	out := &deviceCount{}
	for i, fit := range p.supply.fitsOf(ctx, request, slice) {
		if !perDevice || slice.devices[i].from(p.node) {
			p.supply.countDevice(out, request, slice, &slice.Spec.Devices[i], fit)
		}
	}
	if !perDevice {
		slice.counts[request] = out
	}
	return out
}

func (s *deviceSupply) countDevice(out *deviceCount, request *deviceRequest, slice *deviceSlice,
	device *resourcev1.Device, fit deviceFit,
) {
	out.offered++
	out.outcomes[fit.outcome]++
	pool := slice.pool.id.String()
	switch fit.outcome {
	case deviceAllocated:
		out.users = append(out.users, s.users[slice.deviceID(device.Name)]...)
	case deviceTainted:
		for _, taint := range untolerated(request, device) {
			out.taints = append(out.taints, taintText(taint))
		}
	case deviceUnmatched:
		if fit.selector != "" {
			out.selectors = append(out.selectors, fit.selector)
		}
	case deviceFails:
		if out.failed == nil {
			out.failed = &report.DeviceSelectorError{
				PodClaim: request.id, Request: request.name, Resource: string(request.resource), Class: request.className,
				Selector: fit.selector, Device: pool + "/" + device.Name, Error: fit.err.Error(),
			}
		}
	case deviceFree:
		for _, set := range device.ConsumesCounters {
			out.counters = append(out.counters, pool+"/"+set.CounterSet)
		}
	}
}

// taintText writes a taint as kubectl does those of nodes.
func taintText(taint resourcev1.DeviceTaint) string {
	if taint.Value == "" {
		return taint.Key + ":" + string(taint.Effect)
	}
	return taint.Key + "=" + taint.Value + ":" + string(taint.Effect)
}

// shortOf tells of the wishes for which no alternative has enough free devices, and of selectors that fail. For all
// devices of a kind every pool has to be there (allocator.validateDeviceRequest, v0.37.2).
func (p *reachedPools) shortOf(ctx context.Context, wishes []deviceWish) report.Details {
	var short, failed report.Details
	for _, wish := range wishes {
		var lacks report.Details
		for _, request := range wish {
			if request.class == nil {
				continue
			}
			switch count := p.count(ctx, request); {
			case count.failed != nil:
				failed = append(failed, *count.failed)
			case int64(count.free()) < count.wanted(request) || request.all && len(p.incomplete) > 0:
				lacks = append(lacks, p.insufficient(request, count))
			}
		}
		if len(lacks) == len(wish) {
			short = append(short, lacks...)
		}
	}
	return append(failed, short...)
}

func (p *reachedPools) insufficient(request *deviceRequest, count *deviceCount) report.InsufficientDevices {
	out := report.InsufficientDevices{
		DeviceRequest:   requestDetail(request, count),
		Offered:         count.offered,
		Matching:        count.matching(),
		Allocated:       count.outcomes[deviceAllocated],
		Tainted:         count.outcomes[deviceTainted],
		LackCapacity:    count.outcomes[deviceLacksCapacity],
		LackCounters:    count.outcomes[deviceLacksCounters],
		FailedSelectors: distinct(count.selectors),
		Taints:          distinct(count.taints),
	}
	out.UsedBy, out.Users = firstNames(count.users)
	for _, pool := range p.incomplete {
		out.IncompletePools = append(out.IncompletePools, pool.String())
	}
	return out
}

func requestDetail(request *deviceRequest, count *deviceCount) report.DeviceRequest {
	return report.DeviceRequest{
		PodClaim: request.id, Request: request.name, Resource: string(request.resource), Class: request.className,
		Wanted: count.wanted(request), All: request.all, Free: count.free(),
	}
}

func (p *reachedPools) requests(ctx context.Context, wishes []deviceWish) []report.DeviceRequest {
	var out []report.DeviceRequest
	for _, request := range slices.Concat(wishes...) {
		if request.class != nil {
			out = append(out, requestDetail(request, p.count(ctx, request)))
		}
	}
	return out
}

// notTogether lists the requests, each of which would find its devices, and what binds them.
func (p *reachedPools) notTogether(ctx context.Context, wishes []deviceWish, claims []heldClaim) report.Detail {
	out := report.DevicesNotTogether{Requests: p.requests(ctx, wishes)}
	for _, request := range slices.Concat(wishes...) {
		if request.class != nil {
			out.SharedCounters = append(out.SharedCounters, p.count(ctx, request).counters...)
		}
	}
	for _, held := range claims {
		if held.claim.Status.Allocation != nil {
			continue
		}
		for _, constraint := range held.claim.Spec.Devices.Constraints {
			if constraint.MatchAttribute != nil {
				out.MatchAttributes = append(out.MatchAttributes, string(*constraint.MatchAttribute))
			}
			if constraint.DistinctAttribute != nil {
				out.DistinctAttributes = append(out.DistinctAttributes, string(*constraint.DistinctAttribute))
			}
		}
	}
	out.SharedCounters = distinct(out.SharedCounters)
	return out
}

// distinct returns each text once, sorted.
func distinct(texts []string) []string {
	sorted := slices.Clone(texts)
	slices.SortFunc(sorted, strings.Compare)
	return slices.Compact(sorted)
}
