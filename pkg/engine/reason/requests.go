package reason

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	corev1helpers "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// requirement is what the Pod requests of one resource, in the unit in which the scheduler counts it.
type requirement struct {
	name   corev1.ResourceName
	amount int64
	// ignored tells that the plugin is configured not to look at it.
	ignored bool
	// fromDevices tells that the plugin leaves it to DynamicResources where a node has none itself.
	fromDevices bool
}

// Requests returns what the Pod requests, in a fixed order, where that comes from and which node has most of it. The
// Pod is larger than any node when none has all of it at once, even empty; false when there are no nodes.
func (e *Explainer) Requests() (requests []report.Request, largerThanAnyNode bool) {
	nodes, err := e.question.Handle.SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		return nil, false // upstream's lister over a snapshot never fails
	}
	needs := requirementsOf(e.question)
	offers, together := offersOf(nodes, needs)
	for i, need := range needs {
		requests = append(requests, report.Request{
			Resource:          string(need.name),
			Requested:         amount(need.name, need.amount),
			From:              partsOf(e.question.Pod, need.name),
			LargestNode:       offers[i].largest(need.name),
			LargerThanAnyNode: len(nodes) > 0 && !offers[i].suffices,
		})
	}
	return requests, len(nodes) > 0 && !together
}

// requirementsOf lists the resources that the Pod requests: what NodeResourcesFit looks at first in its order, the rest
// by name.
func requirementsOf(q Question) []requirement {
	var needs []requirement
	for _, request := range requestsOf(q.Pod) {
		if request.ResourceName != corev1.ResourcePods {
			needs = append(needs, requirement{
				name:        request.ResourceName,
				amount:      request.Requested,
				ignored:     ignored(q, request.ResourceName),
				fromDevices: fromDevices(q, request.ResourceName),
			})
		}
	}
	slices.SortFunc(needs, func(a, b requirement) int {
		return cmp.Or(cmp.Compare(rank(a.name), rank(b.name)), cmp.Compare(a.name, b.name))
	})
	return needs
}

// ignored mirrors what noderesources.fitsRequest (v1.37.2) makes of NodeResourcesFitArgs.
func ignored(q Question, name corev1.ResourceName) bool {
	args, ok := q.Args[names.NodeResourcesFit].(*schedulerapi.NodeResourcesFitArgs)
	if !ok || !corev1helpers.IsExtendedResourceName(name) {
		return false
	}
	group, _, _ := strings.Cut(string(name), "/")
	return slices.Contains(args.IgnoredResources, string(name)) || slices.Contains(args.IgnoredResourceGroups, group)
}

// fromDevices mirrors what noderesources.shouldDelegateResourceToDRA (v1.37.2) asks of the device classes.
func fromDevices(q Question, name corev1.ResourceName) bool {
	manager := q.Handle.SharedDRAManager()
	return fitOptions().EnableDRAExtendedResource && manager != nil &&
		manager.DeviceClassResolver().GetDeviceClass(name) != nil
}

// holds tells whether that much allocatable is enough, as far as NodeResourcesFit looks.
func (r requirement) holds(allocatable int64) bool {
	return r.ignored || r.amount <= allocatable || r.fromDevices && allocatable <= 0
}

// offer is the best that empty nodes have for one requirement.
type offer struct {
	node string
	most int64
	// suffices tells whether a node holds what is required.
	suffices bool
}

// offersOf looks through the nodes once: what is best for each requirement, and whether a node holds all together.
func offersOf(nodes []fwk.NodeInfo, needs []requirement) (offers []offer, together bool) {
	offers = make([]offer, len(needs))
	for _, node := range nodes {
		name, has, all := node.Node().Name, node.GetAllocatable(), true
		for i, need := range needs {
			allocatable, best := amountOf(has, need.name), &offers[i]
			if allocatable > best.most || allocatable == best.most && name < best.node {
				best.node, best.most = name, allocatable
			}
			holds := need.holds(allocatable)
			best.suffices = best.suffices || holds
			all = all && holds
		}
		together = together || all
	}
	return offers, together
}

// largest is the node that has most, the first by name of several; nil when no node has any.
func (o offer) largest(resource corev1.ResourceName) *report.NodeAmount {
	if o.most == 0 {
		return nil
	}
	return &report.NodeAmount{Name: o.node, Allocatable: amount(resource, o.most)}
}
