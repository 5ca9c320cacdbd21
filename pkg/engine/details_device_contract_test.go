package engine_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/test/random"
)

// Every rejection by DynamicResources has a fact behind it, and each is found in the objects again: the numbers are
// counted anew from what test/random knows to make.
func TestDetailsOfDevicesAreTrue(t *testing.T) {
	seen := map[string]int{}
	eachCluster(t, 24, func(t *testing.T, made *random.Cluster) {
		if len(made.State.DeviceClasses) == 0 {
			return
		}
		e := engineOf(t, made.State, engine.Options{})
		for _, pod := range made.Pods {
			explanation := explain(t, e, pod)
			for node, details := range detailsBy(names.DynamicResources, explanation) {
				truth := deviceTruth{State: made.State, t: t, pod: pod, node: node}
				if len(details) == 0 {
					t.Errorf("pod %s/%s, node %q: no detail", pod.Namespace, pod.Name, node)
				}
				for _, detail := range details {
					seen[report.TypeOf(detail)]++
					truth.check(detail)
				}
			}
		}
	})
	for _, detail := range []report.Detail{report.MissingResourceClaim{}, report.MissingDeviceClass{},
		report.ResourceClaimElsewhere{}, report.InsufficientDevices{}} {
		if name := report.TypeOf(detail); seen[name] == 0 {
			t.Errorf("no cluster showed a detail of type %s: %v", name, seen)
		}
	}
}

// deviceTruth is what the facts of one rejection are held against.
type deviceTruth struct {
	*cluster.State
	t    *testing.T
	pod  *corev1.Pod
	node string
}

func (d deviceTruth) check(detail report.Detail) {
	d.t.Helper()
	ok := false
	switch detail := detail.(type) {
	case report.MissingResourceClaim:
		ok = d.claim(detail.PodClaim) == nil && d.names(detail.PodClaim)
	case report.MissingDeviceClass:
		ok = d.request(detail.PodClaim, detail.Request).DeviceClassName == detail.Class &&
			!slices.ContainsFunc(d.DeviceClasses, func(c *resourcev1.DeviceClass) bool { return c.Name == detail.Class })
	case report.ResourceClaimElsewhere:
		ok = d.isElsewhere(detail)
	case report.InsufficientResource:
		node := nodeNamed(d.t, d.State, d.node)
		_, provided := node.Status.Allocatable[corev1.ResourceName(detail.Resource)]
		ok = !provided && detail.Allocatable == "0"
	case report.InsufficientDevices:
		want := d.count(detail.DeviceRequest)
		detail.FailedSelectors = nil
		if diff := cmp.Diff(want, detail); diff != "" {
			d.t.Errorf("pod %s/%s, node %s: counted anew (-want +got)\n%s", d.pod.Namespace, d.pod.Name, d.node, diff)
		}
		ok = int64(want.Free) < want.Wanted
	}
	if !ok {
		d.t.Errorf("pod %s/%s, node %q: not true: %T%+[4]v", d.pod.Namespace, d.pod.Name, d.node, detail)
	}
}

func (d deviceTruth) claim(id report.PodClaim) *resourcev1.ResourceClaim {
	for _, claim := range d.ResourceClaims {
		if claim.Namespace == id.Namespace && claim.Name == id.Name {
			return claim
		}
	}
	return nil
}

// names tells whether the Pod has such a claim.
func (d deviceTruth) names(id report.PodClaim) bool {
	return slices.ContainsFunc(d.pod.Spec.ResourceClaims, func(c corev1.PodResourceClaim) bool {
		return c.Name == id.Claim && *c.ResourceClaimName == id.Name && d.pod.Namespace == id.Namespace
	})
}

// request is empty when there is none.
func (d deviceTruth) request(id report.PodClaim, name string) resourcev1.ExactDeviceRequest {
	if claim := d.claim(id); claim != nil && d.names(id) {
		for _, request := range claim.Spec.Devices.Requests {
			if request.Name == name {
				return *request.Exactly
			}
		}
	}
	return resourcev1.ExactDeviceRequest{}
}

func (d deviceTruth) isElsewhere(detail report.ResourceClaimElsewhere) bool {
	claim := d.claim(detail.PodClaim)
	if claim == nil || !d.names(detail.PodClaim) || claim.Status.Allocation == nil {
		return false
	}
	result := claim.Status.Allocation.Devices.Results[0]
	nodes := claim.Status.Allocation.NodeSelector.NodeSelectorTerms[0].MatchFields[0].Values
	return slices.Equal(detail.Devices, []string{result.Driver + "/" + result.Pool + "/" + result.Device}) &&
		slices.Equal(detail.Nodes, nodes) && detail.NodeCount == len(nodes) && !slices.Contains(nodes, d.node)
}

// count counts the devices of the node for a request, without the selectors that failed.
func (d deviceTruth) count(of report.DeviceRequest) report.InsufficientDevices {
	request := d.request(of.PodClaim, of.Request)
	if of.Resource != "" {
		quantity := d.pod.Spec.Containers[0].Resources.Requests[corev1.ResourceName(of.Resource)]
		request = resourcev1.ExactDeviceRequest{Count: quantity.Value(), DeviceClassName: d.DeviceClasses[0].Name}
	}
	out := report.InsufficientDevices{DeviceRequest: of}
	out.Wanted, out.Class, out.All, out.Free = request.Count, request.DeviceClassName, false, 0
	for _, slice := range d.ResourceSlices {
		if *slice.Spec.NodeName != d.node {
			continue
		}
		for _, device := range slice.Spec.Devices {
			out.Offered++
			users, taints := d.users(slice, device.Name), d.taints(slice, device)
			switch {
			case len(request.Selectors) > 0 && *device.Attributes["model"].StringValue != "large":
				continue
			case len(users) > 0:
				out.Allocated++
				out.UsedBy = append(out.UsedBy, users...)
			case len(taints) > 0 && len(request.Tolerations) == 0:
				out.Tainted++
				out.Taints = append(out.Taints, taints...)
			default:
				out.Free++
			}
			out.Matching++
		}
	}
	slices.Sort(out.Taints)
	out.Taints = slices.Compact(out.Taints)
	slices.Sort(out.UsedBy)
	out.UsedBy = slices.Compact(out.UsedBy)
	out.Users = len(out.UsedBy)
	out.UsedBy = out.UsedBy[:min(3, out.Users)]
	return out
}

func (d deviceTruth) users(slice *resourcev1.ResourceSlice, device string) []string {
	var users []string
	for _, claim := range d.ResourceClaims {
		if claim.Status.Allocation == nil {
			continue
		}
		for _, result := range claim.Status.Allocation.Devices.Results {
			if result.Pool == slice.Spec.Pool.Name && result.Device == device {
				users = append(users, claim.Namespace+"/"+claim.Name)
			}
		}
	}
	return users
}

// taints are the device's own and those of rules.
func (d deviceTruth) taints(slice *resourcev1.ResourceSlice, device resourcev1.Device) []string {
	var taints []string
	for _, taint := range device.Taints {
		taints = append(taints, taint.Key+":"+string(taint.Effect))
	}
	for _, rule := range d.DeviceTaintRules {
		if selector := rule.Spec.DeviceSelector; *selector.Pool == slice.Spec.Pool.Name && *selector.Device == device.Name {
			taints = append(taints, rule.Spec.Taint.Key+":"+string(rule.Spec.Taint.Effect))
		}
	}
	return taints
}
