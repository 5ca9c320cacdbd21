package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// deviceClassText is a DeviceClass of all devices of driver d.
const deviceClassText = `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {extendedResourceName: example.com/gpu, selectors: [{cel: {expression: 'device.driver == "d"'}}]}`

// publishedText is the only ResourceSlice of its pool, of driver d unless more says otherwise.
func publishedText(pool, reach, devices string) string {
	return deviceSliceText(pool, pool, 1, reach, "devices: ["+devices+"]")
}

// deviceSliceText is one of count ResourceSlices of a pool.
func deviceSliceText(name, pool string, count int, reach, content string) string {
	return fmt.Sprintf("apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: %s}\n"+
		"spec: {driver: d, pool: {name: %s, generation: 1, resourceSliceCount: %d}, %s, %s}", name, pool, count, reach, content)
}

// deviceClaimText is a claim with requests; more are further lines of its document.
func deviceClaimText(name, requests, more string) string {
	return fmt.Sprintf("apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\n"+
		"metadata: {name: %s, namespace: default, uid: uid-claim-%[1]s}\nspec: {devices: {requests: [%[2]s]}}\n%[3]s",
		name, requests, more)
}

// exactRequest is a request for devices of class gpu.
func exactRequest(fields string) string {
	return "{name: r, exactly: {deviceClassName: gpu, " + fields + "}}"
}

// devicesAllocatedText is the status of a claim that has devices of driver d, reached from nodes that a term selects.
func devicesAllocatedText(term string, devices ...string) string {
	results := ""
	for _, device := range devices {
		results += fmt.Sprintf("{request: r, driver: d, pool: %c, device: %s}, ", device[0], device)
	}
	return "status: {allocation: {devices: {results: [" + results + "]}, " +
		"nodeSelector: {nodeSelectorTerms: [{" + term + "}]}}, reservedFor: [{resource: pods, name: other, uid: uid-other}]}"
}

func reachedFromNode(name string) string {
	return "matchFields: [{key: metadata.name, operator: In, values: [" + name + "]}]"
}

const wantsClaim = "resourceClaims: [{name: gpu, resourceClaimName: mine}]"

// mineNamed are the names in what is wrong with the claim of wantsClaim.
var mineNamed = report.PodClaim{Claim: "gpu", Namespace: "default", Name: "mine"}

func wantedDevices(n int64, free int) report.DeviceRequest {
	return report.DeviceRequest{PodClaim: mineNamed, Request: "r", Class: "gpu", Wanted: n, Free: free}
}

func TestDetailsOfClaims(t *testing.T) {
	zone := "zone-a"
	template := "resourceClaims: [{name: gpu, resourceClaimTemplateName: tpl}]"
	for sentence, test := range map[string]struct {
		cluster []string
		fields  []string
		want    map[string]report.Details
	}{
		"a claim that does not exist": {
			fields: []string{wantsClaim},
			want:   map[string]report.Details{"": {report.MissingResourceClaim{PodClaim: mineNamed}}},
		},
		"a claim that no controller has made from its template yet": {
			fields: []string{template},
			want: map[string]report.Details{"": {report.ResourceClaimNotCreated{
				PodClaim: report.PodClaim{Claim: "gpu", Namespace: "default"}, Template: "tpl"}}},
		},
		"a claim that is being deleted": {
			cluster: []string{"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: mine, namespace: default, " +
				"uid: u, deletionTimestamp: 2026-01-01T00:00:00Z, finalizers: [x]}\nspec: {devices: {requests: [" + exactRequest("count: 1") + "]}}"},
			fields: []string{wantsClaim},
			want:   map[string]report.Details{"": {report.ResourceClaimDeleting{PodClaim: mineNamed}}},
		},
		"a claim of the right name that was made for another Pod": {
			cluster: []string{"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: mine, namespace: default, " +
				"uid: u, ownerReferences: [{apiVersion: v1, kind: Pod, name: other, uid: o, controller: true}]}\n" +
				"spec: {devices: {requests: [" + exactRequest("count: 1") + "]}}"},
			fields: []string{template, "\nstatus: {resourceClaimStatuses: [{name: gpu, resourceClaimName: mine}]}"},
			want: map[string]report.Details{"": {report.ForeignResourceClaim{
				PodClaim: mineNamed, Owner: "Pod/other"}}},
		},
		"all claims that are missing": {
			fields: []string{"resourceClaims: [{name: gpu, resourceClaimName: mine}, {name: nic, resourceClaimName: port}]"},
			want: map[string]report.Details{"": {report.MissingResourceClaim{PodClaim: mineNamed}, report.MissingResourceClaim{
				PodClaim: report.PodClaim{Claim: "nic", Namespace: "default", Name: "port"}}}},
		},
		"a class that does not exist": {
			cluster: []string{deviceClaimText("mine", "{name: r, exactly: {deviceClassName: tpu}}", "")},
			fields:  []string{wantsClaim},
			want: map[string]report.Details{"": {report.MissingDeviceClass{
				PodClaim: mineNamed, Request: "r", Class: "tpu"}}},
		},
		"a claim that is allocated on another node": {
			cluster: []string{deviceClassText, nodeText("b", ""), deviceClaimText("mine", exactRequest("count: 1"), devicesAllocatedText(reachedFromNode("b"), "b0"))},
			fields:  []string{wantsClaim},
			want: map[string]report.Details{"a": {report.ResourceClaimElsewhere{
				PodClaim: mineNamed, Devices: []string{"d/b/b0"}, Nodes: []string{"b"}, NodeCount: 1}}},
		},
		"a claim that is allocated in another zone": {
			cluster: []string{deviceClassText, deviceClaimText("mine", exactRequest("count: 1"), devicesAllocatedText(
				"matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [zone-c]}, "+
					"{key: fabric, operator: Exists}, {key: kubernetes.io/hostname, operator: In, values: [a]}]", "b0"))},
			fields: []string{wantsClaim},
			want: map[string]report.Details{"a": {report.ResourceClaimElsewhere{
				PodClaim: mineNamed, Devices: []string{"d/b/b0"}, Labels: []report.UnmetLabel{
					{Key: "topology.kubernetes.io/zone", Operator: "In", Values: []string{"zone-c"}, Value: &zone},
					{Key: "fabric", Operator: "Exists"}}}}},
		},
		"a device that failed to be bound": {
			cluster: []string{deviceClassText, deviceClaimText("mine", exactRequest("count: 1"), "status: {allocation: {devices: {results: ["+
				"{request: r, driver: d, pool: a, device: a0, bindingConditions: [Ready], bindingFailureConditions: [Broken]}]}}, "+
				"devices: [{driver: d, pool: a, device: a0, conditions: [{type: Broken, status: 'True', reason: Fabric, message: no link, "+
				"lastTransitionTime: 2026-01-01T00:00:00Z}]}]}")},
			fields: []string{wantsClaim},
			want: map[string]report.Details{"a": {report.DeviceNotReady{PodClaim: mineNamed, Device: "d/a/a0",
				WaitsFor: []string{"Ready"}, Failed: "Broken", Reason: "Fabric", Message: "no link"}}},
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			compareDevices(t, append(test.cluster, nodeText("a", ""), podText("x", "1", test.fields...)), test.want)
		})
	}
}

// compareDevices explains Pod x.
func compareDevices(t *testing.T, cluster []string, want map[string]report.Details) {
	t.Helper()
	state := stateOf(t, cluster...)
	explanation := explain(t, engineOf(t, state, engine.Options{}), podNamed(t, state, "x"))
	if diff := cmp.Diff(want, detailsBy(names.DynamicResources, explanation)); diff != "" {
		t.Errorf("details (-want +got)\n%s", diff)
	}
}

func TestDetailsOfDevices(t *testing.T) {
	const twoOfA = "{name: a0, attributes: {model: {string: small}}}, {name: a1, attributes: {model: {string: large}}}"
	const large = `device.attributes["d"].model == "large"`
	taken := deviceClaimText("taken", exactRequest("count: 1"), devicesAllocatedText(reachedFromNode("a"), "a0"))
	for sentence, test := range map[string]struct {
		cluster []string
		fields  string
		want    report.Detail
	}{
		"some are allocated to others": {
			cluster: []string{publishedText("a", "nodeName: a", twoOfA), deviceClaimText("mine", exactRequest("count: 2"), ""), taken},
			want: report.InsufficientDevices{DeviceRequest: wantedDevices(2, 1), Offered: 2, Matching: 2, Allocated: 1,
				UsedBy: []string{"default/taken"}, Users: 1},
		},
		"the node offers none": {
			cluster: []string{publishedText("b", "nodeName: b", twoOfA), deviceClaimText("mine", exactRequest("count: 1"), "")},
			want:    report.InsufficientDevices{DeviceRequest: wantedDevices(1, 0)},
		},
		"those of other drivers do not match the class": {
			cluster: []string{"apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: e}\nspec: {driver: e, nodeName: a, " +
				"pool: {name: e, generation: 1, resourceSliceCount: 1}, devices: [{name: e0}]}", deviceClaimText("mine", exactRequest("count: 1"), "")},
			want: report.InsufficientDevices{DeviceRequest: wantedDevices(1, 0), Offered: 1, FailedSelectors: []string{`device.driver == "d"`}},
		},
		"too few match the request": {
			cluster: []string{publishedText("a", "nodeName: a", twoOfA),
				deviceClaimText("mine", exactRequest("count: 2, selectors: [{cel: {expression: '"+large+"'}}]"), "")},
			want: report.InsufficientDevices{DeviceRequest: wantedDevices(2, 1), Offered: 2, Matching: 1, FailedSelectors: []string{large}},
		},
		"some are tainted": {
			cluster: []string{publishedText("a", "nodeName: a", "{name: a0, taints: [{key: hot, value: very, effect: NoSchedule}, "+
				"{key: old, effect: None}]}, {name: a1, taints: [{key: ok, effect: NoExecute}]}, {name: a2}"),
				deviceClaimText("mine", exactRequest("count: 3, tolerations: [{key: ok, operator: Exists}]"), "")},
			want: report.InsufficientDevices{DeviceRequest: wantedDevices(3, 2), Offered: 3, Matching: 3, Tainted: 1,
				Taints: []string{"hot=very:NoSchedule"}},
		},
		"a DeviceTaintRule taints": {
			cluster: []string{publishedText("a", "nodeName: a", twoOfA), deviceClaimText("mine", exactRequest("count: 2"), ""),
				"apiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule\nmetadata: {name: broken}\n" +
					"spec: {deviceSelector: {pool: a, device: a1}, taint: {key: broken, effect: NoSchedule}}"},
			want: report.InsufficientDevices{DeviceRequest: wantedDevices(2, 1), Offered: 2, Matching: 2, Tainted: 1,
				Taints: []string{"broken:NoSchedule"}},
		},
		"all are wanted and one is in use": {
			cluster: []string{publishedText("a", "nodeName: a", twoOfA), deviceClaimText("mine", exactRequest("allocationMode: All"), ""), taken},
			want: report.InsufficientDevices{DeviceRequest: report.DeviceRequest{PodClaim: mineNamed, Request: "r", Class: "gpu",
				Wanted: 2, All: true, Free: 1}, Offered: 2, Matching: 2, Allocated: 1, UsedBy: []string{"default/taken"}, Users: 1},
		},
		"a pool of which a slice is missing": {
			cluster: []string{deviceSliceText("a-1", "a", 2, "nodeName: a", "devices: [{name: a0}]"), deviceClaimText("mine", exactRequest("count: 1"), "")},
			want:    report.InsufficientDevices{DeviceRequest: wantedDevices(1, 0), IncompletePools: []string{"d/a"}},
		},
		"a pool with slices on other nodes is complete": {
			cluster: []string{deviceSliceText("a-1", "a", 2, "nodeName: a", "devices: [{name: a0}]"),
				deviceSliceText("a-2", "a", 2, "nodeName: b", "devices: [{name: a1}]"), deviceClaimText("mine", exactRequest("count: 2"), "")},
			want: report.InsufficientDevices{DeviceRequest: wantedDevices(2, 1), Offered: 1, Matching: 1},
		},
		"a pool in which two devices have one name": {
			cluster: []string{deviceSliceText("a-1", "a", 2, "nodeName: a", "devices: [{name: a0}]"),
				deviceSliceText("a-2", "a", 2, "nodeName: a", "devices: [{name: a0}]"), deviceClaimText("mine", exactRequest("count: 1"), "")},
			want: report.InsufficientDevices{DeviceRequest: wantedDevices(1, 0), IncompletePools: []string{"d/a"}},
		},
		"devices that several nodes reach": {
			cluster: []string{
				publishedText("net", "allNodes: true", "{name: n0}"),
				publishedText("o", "nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: Exists}]}]}",
					"{name: o0}"),
				publishedText("p", "perDeviceNodeSelection: true", "{name: p0, nodeName: a}, {name: p1, nodeName: b}, {name: p2, allNodes: true}"),
				deviceClaimText("mine", exactRequest("count: 5"), "")},
			want: report.InsufficientDevices{DeviceRequest: wantedDevices(5, 4), Offered: 4, Matching: 4},
		},
		"devices that are too small, and one that is shared and too full": {
			cluster: []string{publishedText("a", "nodeName: a", "{name: a0, capacity: {memory: {value: 10Gi}}}, {name: a1}, "+
				"{name: a2, allowMultipleAllocations: true, capacity: {memory: {value: 40Gi}}}"),
				deviceClaimText("mine", exactRequest("count: 1, capacity: {requests: {memory: 20Gi}}"), ""),
				deviceClaimText("half", exactRequest("count: 1"), "status: {allocation: {devices: {results: [{request: r, driver: d, pool: a, device: a2, "+
					"shareID: 5a5a5a5a-0000-4000-8000-000000000000, consumedCapacity: {memory: 30Gi}}]}}}")},
			want: report.InsufficientDevices{DeviceRequest: wantedDevices(1, 0), Offered: 3, Matching: 3, LackCapacity: 3},
		},
		"partitions whose counters are used up": {
			cluster: []string{
				deviceSliceText("a-1", "a", 2, "nodeName: a", "sharedCounters: [{name: card, counters: {memory: {value: 40Gi}}}]"),
				deviceSliceText("a-2", "a", 2, "nodeName: a", "devices: ["+
					"{name: a0, consumesCounters: [{counterSet: card, counters: {memory: {value: 20Gi}}}]}, "+
					"{name: a1, consumesCounters: [{counterSet: card, counters: {memory: {value: 40Gi}}}]}]"),
				deviceClaimText("mine", exactRequest("count: 1"), ""), taken},
			want: report.InsufficientDevices{DeviceRequest: wantedDevices(1, 0), Offered: 2, Matching: 2, Allocated: 1, LackCounters: 1,
				UsedBy: []string{"default/taken"}, Users: 1},
		},
		"enough for each of two requests but not for both": {
			cluster: []string{publishedText("a", "nodeName: a", "{name: a0}"),
				deviceClaimText("mine", "{name: r, exactly: {deviceClassName: gpu}}, {name: s, exactly: {deviceClassName: gpu}}", "")},
			want: report.DevicesNotTogether{Requests: []report.DeviceRequest{wantedDevices(1, 1),
				{PodClaim: mineNamed, Request: "s", Class: "gpu", Wanted: 1, Free: 1}}},
		},
		"enough but not alike": {
			cluster: []string{publishedText("a", "nodeName: a", twoOfA),
				"apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: mine, namespace: default, uid: u}\n" +
					"spec: {devices: {requests: [" + exactRequest("count: 2") + "], constraints: [{matchAttribute: d/model}]}}"},
			want: report.DevicesNotTogether{Requests: []report.DeviceRequest{wantedDevices(2, 2)}, MatchAttributes: []string{"d/model"}},
		},
		"partitions that draw from one counter": {
			cluster: []string{
				deviceSliceText("a-1", "a", 2, "nodeName: a", "sharedCounters: [{name: card, counters: {memory: {value: 40Gi}}}]"),
				deviceSliceText("a-2", "a", 2, "nodeName: a", "devices: ["+
					"{name: a0, consumesCounters: [{counterSet: card, counters: {memory: {value: 20Gi}}}]}, "+
					"{name: a1, consumesCounters: [{counterSet: card, counters: {memory: {value: 40Gi}}}]}]"),
				deviceClaimText("mine", exactRequest("count: 2"), "")},
			want: report.DevicesNotTogether{Requests: []report.DeviceRequest{wantedDevices(2, 2)}, SharedCounters: []string{"d/a/card"}},
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			cluster := append(slices.Clone(test.cluster), deviceClassText, nodeText("a", ""), podText("x", "1", wantsClaim))
			compareDevices(t, cluster, map[string]report.Details{"a": {test.want}})
		})
	}
}

func TestDetailsOfAlternativesOfDevices(t *testing.T) {
	request := "{name: r, firstAvailable: [{name: two, deviceClassName: gpu, count: 2}, {name: four, deviceClassName: gpu, count: 4}]}"
	sub := func(name string, n int64) report.Detail {
		return report.InsufficientDevices{DeviceRequest: report.DeviceRequest{PodClaim: mineNamed, Request: "r/" + name,
			Class: "gpu", Wanted: n, Free: 1}, Offered: 1, Matching: 1}
	}
	compareDevices(t, []string{publishedText("a", "nodeName: a", "{name: a0}"), deviceClaimText("mine", request, ""), deviceClassText,
		nodeText("a", ""), podText("x", "1", wantsClaim)}, map[string]report.Details{"a": {sub("two", 2), sub("four", 4)}})
}

// extendedPod asks for two devices by a resource, in two containers.
const extendedPod = `
apiVersion: v1
kind: Pod
metadata: {name: x, namespace: default, uid: uid-x}
spec:
  containers:
  - {name: one, image: app, resources: {requests: {%[1]s}, limits: {%[1]s}}}
  - {name: two, image: app, resources: {requests: {example.com/gpu: 1}, limits: {example.com/gpu: 1}}}`

func TestDetailsOfExtendedResourcesFromDevices(t *testing.T) {
	short := func(free int) report.InsufficientDevices {
		return report.InsufficientDevices{DeviceRequest: report.DeviceRequest{Resource: "example.com/gpu", Class: "gpu",
			Wanted: 2, Free: free}, Offered: free, Matching: free}
	}
	device := publishedText("a", "nodeName: a", "{name: a0}")
	plugin := "apiVersion: v1\nkind: Node\nmetadata: {name: p}\nstatus: {allocatable: {cpu: 4, memory: 8Gi, pods: 10, example.com/gpu: 2}}"
	stale := "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: x-extended, namespace: default, uid: u, " +
		"annotations: {resource.kubernetes.io/extended-resource-claim: 'true'}, " +
		"ownerReferences: [{apiVersion: v1, kind: Pod, name: x, uid: uid-x, controller: true}]}\n" +
		"spec: {devices: {requests: [" + exactRequest("count: 2") + "]}}"
	for sentence, test := range map[string]struct {
		cluster []string
		want    map[string]report.Details
	}{
		"counted over the containers, and not where a device plugin provides it": {
			cluster: []string{plugin, fmt.Sprintf(extendedPod, "example.com/gpu: 1")},
			want:    map[string]report.Details{"a": {short(1)}, "b": {short(0)}},
		},
		"beside a resource that nobody provides": {
			cluster: []string{fmt.Sprintf(extendedPod, "example.com/gpu: 1, example.com/nic: 1")},
			want: map[string]report.Details{
				"a": {report.InsufficientResource{
					Resource: "example.com/nic", Requested: "1", Used: "0", Allocatable: "0", Missing: "1"}},
				"b": {report.InsufficientResource{
					Resource: "example.com/nic", Requested: "1", Used: "0", Allocatable: "0", Missing: "1"}},
			},
		},
		"a claim of an earlier attempt": {
			cluster: []string{stale, fmt.Sprintf(extendedPod, "example.com/gpu: 1")},
			want: map[string]report.Details{
				"a": {report.StaleResourceClaim{PodClaim: report.PodClaim{Namespace: "default", Name: "x-extended"}}},
				"b": {report.StaleResourceClaim{PodClaim: report.PodClaim{Namespace: "default", Name: "x-extended"}}},
			},
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			compareDevices(t, append(test.cluster, device, deviceClassText, nodeText("a", ""), nodeText("b", "")), test.want)
		})
	}
}

func TestDetailsOfSelectorThatFails(t *testing.T) {
	const taint = "spec: {taints: [{key: k, effect: NoSchedule}]}"
	state := stateOf(t, devices, nodeText("a", ""), nodeText("b", taint),
		podText("x", "1", "resourceClaims: [{name: c, resourceClaimName: one}]"))
	got := detailsBy(names.DynamicResources, explain(t, engineOf(t, state, engine.Options{}), podNamed(t, state, "x")))
	want := map[string]report.Details{"b": {report.DeviceSelectorError{
		PodClaim: report.PodClaim{Claim: "c", Namespace: "default", Name: "one"}, Request: "r", Class: "gpu",
		Selector: `device.attributes["gpu.example.com"].big`, Device: "gpu.example.com/b/g",
		Error: "no such key: big. consider using CEL optional chaining (.? followed by orValue()) or guarding the check " +
			"with has() for optional fields",
	}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("details (-want +got)\n%s", diff)
	}
}

// Where upstream fails for another reason than a selector, what is known of the devices is told and no more.
func TestDetailsOfAllocationThatFails(t *testing.T) {
	var many []string
	for i := range 33 {
		many = append(many, fmt.Sprintf("{name: g%d}", i))
	}
	all := wantedDevices(1, 0)
	all.All = true
	for sentence, test := range map[string]struct {
		cluster []string
		want    report.Detail
	}{
		"all devices of a pool that is not complete": {
			cluster: []string{deviceSliceText("a-1", "a", 2, "nodeName: a", "devices: [{name: a0}]"),
				deviceClaimText("mine", exactRequest("allocationMode: All"), "")},
			want: report.InsufficientDevices{DeviceRequest: all, IncompletePools: []string{"d/a"}},
		},
		"more devices than a claim may have": {
			cluster: []string{publishedText("a", "nodeName: a", strings.Join(many, ", ")),
				deviceClaimText("mine", exactRequest("count: 33"), "")},
			want: report.DevicesRequested{Requests: []report.DeviceRequest{wantedDevices(33, 33)}},
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			// Behind a taint, so that kube-scheduler does not get to the plugin and there is a verdict.
			cluster := append(slices.Clone(test.cluster), deviceClassText, podText("x", "1", wantsClaim),
				nodeText("a", "spec: {taints: [{key: k, effect: NoSchedule}]}"))
			compareDevices(t, cluster, map[string]report.Details{"a": {test.want}})
		})
	}
}
