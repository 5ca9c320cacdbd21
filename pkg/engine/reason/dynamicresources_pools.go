package reason

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/dynamic-resource-allocation/structured"
)

// poolID names a pool.
type poolID struct{ driver, name string }

func (p poolID) String() string { return p.driver + "/" + p.name }

// devicePool is all that a driver publishes of a pool, by generation.
type devicePool struct {
	id          poolID
	newest      int64
	generations map[int64]*poolGeneration
}

// poolGeneration is one state of a pool; a driver replaces its slices one by one.
type poolGeneration struct {
	slices []*deviceSlice
	// invalid tells that counters are missing or defined twice; twice, that device names are.
	invalid, twice bool
	// left is what allocated devices leave of each counter, by set and name.
	left map[counterID]resource.Quantity
}

type counterID struct{ set, name string }

// validate finds what makes upstream refuse a pool (buildPool in structured/internal/incubating, v0.37.2).
func (g *poolGeneration) validate() {
	names, counters := map[string]bool{}, map[counterID]bool{}
	sets := map[string]bool{}
	for _, slice := range g.slices {
		for _, set := range slice.Spec.SharedCounters {
			g.invalid = g.invalid || sets[set.Name]
			sets[set.Name] = true
			for name := range set.Counters {
				counters[counterID{set.Name, name}] = true
			}
		}
	}
	for _, slice := range g.slices {
		for _, device := range slice.Spec.Devices {
			g.twice = g.twice || names[device.Name]
			names[device.Name] = true
			for _, consumed := range device.ConsumesCounters {
				g.invalid = g.invalid || !sets[consumed.CounterSet]
				for name := range consumed.Counters {
					g.invalid = g.invalid || !counters[counterID{consumed.CounterSet, name}]
				}
			}
		}
	}
}

// countDown takes what allocated devices consume from the counters of the pool (allocator.checkAvailableCounters in
// structured/internal/incubating, v0.37.2).
func (g *poolGeneration) countDown(inUse structured.AllocatedState) {
	g.left = map[counterID]resource.Quantity{}
	for _, slice := range g.slices {
		for _, set := range slice.Spec.SharedCounters {
			for name, counter := range set.Counters {
				g.left[counterID{set.Name, name}] = counter.Value.DeepCopy()
			}
		}
	}
	if len(g.left) == 0 {
		return
	}
	for _, slice := range g.slices {
		for _, device := range slice.Spec.Devices {
			if !structured.IsDeviceAllocated(slice.deviceID(device.Name), &inUse) {
				continue
			}
			for id, value := range consumedBy(device) {
				if left, ok := g.left[id]; ok {
					left.Sub(value)
					g.left[id] = left
				}
			}
		}
	}
}

func consumedBy(device resourcev1.Device) map[counterID]resource.Quantity {
	consumed := map[counterID]resource.Quantity{}
	for _, set := range device.ConsumesCounters {
		for name, counter := range set.Counters {
			consumed[counterID{set.CounterSet, name}] = counter.Value
		}
	}
	return consumed
}

func (s *deviceSlice) deviceID(device string) structured.DeviceID {
	return structured.MakeDeviceID(s.Spec.Driver, s.Spec.Pool.Name, device)
}

// reachedPools are the pools that a node reaches: the slices of those that may be allocated from, and the others.
type reachedPools struct {
	supply     *deviceSupply
	node       *corev1.Node
	slices     []*deviceSlice
	incomplete []poolID // sorted
}

// reachedBy gathers the pools of a node (GatherPools in structured/internal/incubating, v0.37.2).
func (s *deviceSupply) reachedBy(node *corev1.Node) *reachedPools {
	reached := map[*devicePool][]*deviceSlice{}
	var order []*devicePool
	add := func(slice *deviceSlice) {
		known := reached[slice.pool]
		switch {
		case known == nil:
			order = append(order, slice.pool)
		case slice.Spec.Pool.Generation < known[0].Spec.Pool.Generation:
			return
		case slice.Spec.Pool.Generation > known[0].Spec.Pool.Generation:
			known = nil
		}
		reached[slice.pool] = append(known, slice)
	}
	for _, slice := range s.byNode[node.Name] {
		add(slice)
	}
	for _, slice := range s.anywhere {
		if slice.reachedFrom(node) {
			add(slice)
		}
	}
	out := &reachedPools{supply: s, node: node}
	for _, pool := range order {
		switch of := reached[pool]; pool.stateOf(of) {
		case poolUsable:
			out.slices = append(out.slices, of...)
		case poolUnusable:
			out.incomplete = append(out.incomplete, pool.id)
		}
	}
	slices.SortFunc(out.incomplete, func(a, b poolID) int {
		return cmp.Or(strings.Compare(a.driver, b.driver), strings.Compare(a.name, b.name))
	})
	return out
}

// poolState is what upstream does with a pool.
type poolState int

const (
	poolUsable poolState = iota
	// poolObsolete is passed over: a newer generation of it does not reach the node.
	poolObsolete
	// poolUnusable has slices that are missing or contradict each other.
	poolUnusable
)

// stateOf judges a pool by those of its slices that a node reaches, all of one generation.
func (p *devicePool) stateOf(reached []*deviceSlice) poolState {
	number, wanted := reached[0].Spec.Pool.Generation, reached[0].Spec.Pool.ResourceSliceCount
	generation := p.generations[number]
	if int64(len(reached)) != wanted {
		if p.newest > number {
			return poolObsolete
		}
		if int64(len(generation.slices)) != wanted {
			return poolUnusable
		}
	}
	if generation.invalid || generation.twice && namesTwice(reached) {
		return poolUnusable
	}
	return poolUsable
}

func namesTwice(reached []*deviceSlice) bool {
	seen := map[string]bool{}
	for _, slice := range reached {
		for _, device := range slice.Spec.Devices {
			if seen[device.Name] {
				return true
			}
			seen[device.Name] = true
		}
	}
	return false
}
