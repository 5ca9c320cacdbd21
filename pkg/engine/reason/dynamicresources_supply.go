package reason

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
	fwk "k8s.io/kube-scheduler/framework"
	plfeature "k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
)

// deviceSupply is what drivers publish of devices, arranged once per Pod so that a node costs little, and who has them.
type deviceSupply struct {
	features plfeature.Features
	// byNode are the slices of one node, anywhere the others. Both are sorted by the slices' names.
	byNode   map[string][]*deviceSlice
	anywhere []*deviceSlice
	inUse    structured.AllocatedState
	users    map[structured.DeviceID][]string // claims, as namespace/name
	cel      *cel.Cache
}

// deviceSlice is a ResourceSlice and what was found out about its devices.
type deviceSlice struct {
	*resourcev1.ResourceSlice
	pool *devicePool
	// reach is compiled; nil when the slice names one node, all or tells it per device.
	reach   *nodeaffinity.NodeSelector
	devices []deviceReach
	// fits are by request, one per device. counts are their sums, where all devices are reached from the same nodes.
	fits   map[*deviceRequest][]deviceFit
	counts map[*deviceRequest]*deviceCount
}

// deviceReach tells from where a device is reached, for slices that tell it per device.
type deviceReach struct {
	node     string
	all      bool
	selector *nodeaffinity.NodeSelector
}

func newDeviceSupply(manager fwk.SharedDRAManager, features plfeature.Features) *deviceSupply {
	s := &deviceSupply{
		features: features,
		byNode:   map[string][]*deviceSlice{},
		users:    map[structured.DeviceID][]string{},
		cel: cel.NewCache(100, cel.Features{
			EnableConsumableCapacity: features.EnableDRAConsumableCapacity,
			EnableListTypeAttributes: features.EnableDRAListTypeAttributes,
		}),
	}
	// The lists are in memory. Errors tell that they change meanwhile, which they do not while a Pod is judged.
	if state, err := manager.ResourceClaims().GatherAllocatedState(); err == nil {
		s.inUse = *state
	}
	if claims, err := manager.ResourceClaims().List(); err == nil {
		s.noteUsers(claims)
	}
	if published, err := manager.ResourceSlices().ListWithDeviceTaintRules(); err == nil {
		s.arrange(published)
	}
	return s
}

// noteUsers notes the claim behind each device that is not free for others (foreachAllocatedDevice in
// plugins/dynamicresources, v1.37.2).
func (s *deviceSupply) noteUsers(claims []*resourcev1.ResourceClaim) {
	for _, claim := range claims {
		if claim.Status.Allocation == nil {
			continue
		}
		for _, result := range claim.Status.Allocation.Devices.Results {
			if result.AdminAccess == nil || !*result.AdminAccess {
				id := structured.MakeDeviceID(result.Driver, result.Pool, result.Device)
				s.users[id] = append(s.users[id], claim.Namespace+"/"+claim.Name)
			}
		}
	}
}

// arrange sorts the slices into pools and by node. Those that upstream passes over are left out (GatherPools in
// structured/internal/incubating, v0.37.2).
func (s *deviceSupply) arrange(published []*resourcev1.ResourceSlice) {
	sorted := slices.SortedFunc(slices.Values(published), func(a, b *resourcev1.ResourceSlice) int {
		return strings.Compare(a.Name, b.Name)
	})
	pools := map[poolID]*devicePool{}
	var arranged []*poolGeneration
	for _, one := range sorted {
		if s.passedOver(one) {
			continue
		}
		id := poolID{one.Spec.Driver, one.Spec.Pool.Name}
		pool := pools[id]
		if pool == nil {
			pool = &devicePool{id: id, generations: map[int64]*poolGeneration{}}
			pools[id] = pool
		}
		slice := newDeviceSlice(one, pool)
		number := one.Spec.Pool.Generation
		pool.newest = max(pool.newest, number)
		if pool.generations[number] == nil {
			pool.generations[number] = &poolGeneration{}
			arranged = append(arranged, pool.generations[number])
		}
		pool.generations[number].slices = append(pool.generations[number].slices, slice)
		if name := one.Spec.NodeName; name != nil && *name != "" {
			s.byNode[*name] = append(s.byNode[*name], slice)
		} else {
			s.anywhere = append(s.anywhere, slice)
		}
	}
	for _, generation := range arranged {
		generation.validate()
		generation.countDown(s.inUse)
	}
}

func (s *deviceSupply) passedOver(slice *resourcev1.ResourceSlice) bool {
	if !s.features.EnableDRAPartitionableDevices &&
		(slice.Spec.PerDeviceNodeSelection != nil || len(slice.Spec.SharedCounters) > 0) {
		return true
	}
	return !s.features.EnableDRADeviceCompatibilityGroups &&
		slices.ContainsFunc(slice.Spec.Devices, func(device resourcev1.Device) bool {
			return slices.ContainsFunc(device.ConsumesCounters, func(c resourcev1.DeviceCounterConsumption) bool {
				return len(c.CompatibilityGroups) > 0
			})
		})
}

func newDeviceSlice(published *resourcev1.ResourceSlice, pool *devicePool) *deviceSlice {
	slice := &deviceSlice{
		ResourceSlice: published,
		pool:          pool,
		reach:         compileSelector(published.Spec.NodeSelector),
		fits:          map[*deviceRequest][]deviceFit{},
		counts:        map[*deviceRequest]*deviceCount{},
	}
	if isTrue(published.Spec.PerDeviceNodeSelection) {
		for i := range published.Spec.Devices {
			device := &published.Spec.Devices[i]
			reach := deviceReach{all: isTrue(device.AllNodes), selector: compileSelector(device.NodeSelector)}
			if device.NodeName != nil {
				reach.node = *device.NodeName
			}
			slice.devices = append(slice.devices, reach)
		}
	}
	return slice
}

func isTrue(flag *bool) bool { return flag != nil && *flag }

// compileSelector returns nil for a selector that there is not, or that cannot be read.
func compileSelector(selector *corev1.NodeSelector) *nodeaffinity.NodeSelector {
	if selector == nil {
		return nil
	}
	compiled, err := nodeaffinity.NewNodeSelector(selector)
	if err != nil {
		return nil
	}
	return compiled
}

// reachedFrom tells whether a node reaches some device of the slice.
func (s *deviceSlice) reachedFrom(node *corev1.Node) bool {
	switch {
	case s.Spec.NodeName != nil && *s.Spec.NodeName != "":
		return *s.Spec.NodeName == node.Name
	case isTrue(s.Spec.AllNodes):
		return true
	case s.Spec.NodeSelector != nil:
		return s.reach != nil && s.reach.Match(node)
	}
	return slices.ContainsFunc(s.devices, func(d deviceReach) bool { return d.from(node) })
}

func (d deviceReach) from(node *corev1.Node) bool {
	switch {
	case d.node != "":
		return d.node == node.Name
	case d.all:
		return true
	}
	return d.selector != nil && d.selector.Match(node)
}
