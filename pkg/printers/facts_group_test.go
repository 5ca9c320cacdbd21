package printers

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

func TestFactsOfGroups(t *testing.T) {
	claim := report.PodClaim{Claim: "gpu", Namespace: "ml", Name: "claim-b"}
	request := report.DeviceRequest{PodClaim: claim, Request: "gpu", Class: "gpu.example.com", Wanted: 2, Free: 1}
	other := report.DeviceRequest{PodClaim: claim, Request: "nic", Class: "nic.example.com", Wanted: 1, Free: 1}
	all := report.DeviceRequest{PodClaim: claim, Request: "gpu", Class: "gpu.example.com", Wanted: 3, All: true, Free: 1}
	c := "c"
	for sentence, test := range map[string]struct {
		detail report.Detail
		// brief is without numbers; empty when it is as full.
		brief, full string
	}{
		"a gate": {detail: report.Gate{Name: "example.com/quota"}, full: "waits for gate example.com/quota"},
		"disabled preemption": {
			detail: report.ResizePreemptionDisabled{Owners: []string{"a", "b"}},
			full:   "preemption for resizes is disabled by a and b",
		},
		"a node that is not the Pod's": {detail: report.ResizeElsewhere{NodeName: "n2"}, full: "the Pod is on n2"},
		"a group that is missing": {
			detail: report.MissingPodGroup{Kind: "PodGroup", Namespace: "train", Name: "g"},
			full:   "there is no PodGroup train/g",
		},
		"a group of which nothing exists": {
			detail: report.PodGroupTooSmall{Namespace: "train", Name: "g", MinCount: 4},
			full:   "0 of 4 Pods of group train/g exist",
		},
		"a group of which some exist": {
			detail: report.PodGroupTooSmall{
				Namespace: "train", Name: "g", MinCount: 4, Pods: 2, Members: []string{"g-0", "g-1"}},
			full: "2 of 4 Pods of group train/g exist (g-0 and g-1)",
		},
		"a group of which many exist": {
			detail: report.PodGroupTooSmall{
				Namespace: "train", Name: "g", MinCount: 9, Pods: 7, Members: []string{"g-0", "g-1", "g-2"}},
			full: "7 of 9 Pods of group train/g exist (g-0, g-1, g-2 and 4 more)",
		},
		"a group of groups": {
			detail: report.CompositePodGroupTooSmall{Namespace: "train", Name: "top", MinGroupCount: 2, Groups: 3, Complete: 1},
			full:   "1 of 2 groups of group train/top is complete",
		},
		"a cycle": {
			detail: report.PodGroupCycle{Namespace: "train", Names: []string{"a", "b"}},
			full:   "groups a and b of train hold each other",
		},
		"a claim that is missing": {
			detail: report.MissingResourceClaim{PodClaim: claim},
			full:   "claim gpu: there is no ResourceClaim ml/claim-b",
		},
		"a claim that names nothing": {
			detail: report.MissingResourceClaim{PodClaim: report.PodClaim{Claim: "gpu", Namespace: "ml"}},
			full:   "claim gpu names neither a ResourceClaim nor a template",
		},
		"a claim that is not made yet": {
			detail: report.ResourceClaimNotCreated{PodClaim: report.PodClaim{Claim: "gpu", Namespace: "ml"}, Template: "tpl"},
			full:   "claim gpu: no ResourceClaim was made from template ml/tpl yet",
		},
		"a claim that is being deleted": {
			detail: report.ResourceClaimDeleting{PodClaim: claim},
			full:   "claim gpu: ResourceClaim ml/claim-b is being deleted",
		},
		"a claim of somebody else": {
			detail: report.ForeignResourceClaim{PodClaim: claim, Owner: "Pod/other"},
			full:   "claim gpu: ResourceClaim ml/claim-b belongs to Pod/other",
		},
		"a class that is missing": {
			detail: report.MissingDeviceClass{PodClaim: claim, Request: "r", Class: "tpu"},
			full:   "claim gpu: there is no DeviceClass tpu",
		},
		"a claim on other nodes": {
			detail: report.ResourceClaimElsewhere{PodClaim: claim, Devices: []string{"d/p/g0"}, Nodes: []string{"n2"}, NodeCount: 1},
			full:   "claim gpu: ResourceClaim ml/claim-b has d/p/g0, reached only from n2",
		},
		"a claim in another zone": {
			detail: report.ResourceClaimElsewhere{PodClaim: claim, Devices: []string{"d/p/g0"}, Labels: []report.UnmetLabel{
				{Key: "zone", Operator: "In", Values: []string{"a", "b"}, Value: &c}, {Key: "fabric", Operator: "Exists"}}},
			full: "claim gpu: ResourceClaim ml/claim-b has d/p/g0, reached only with label zone In [a b] (here c), " +
				"reached only with label fabric Exists (the node lacks it)",
		},
		"a device that failed": {
			detail: report.DeviceNotReady{PodClaim: claim, Device: "d/p/g0", Failed: "Broken", Reason: "Fabric", Message: "no link"},
			full:   "claim gpu: device d/p/g0 failed with Broken Fabric: no link",
		},
		"a device that is not ready": {
			detail: report.DeviceNotReady{PodClaim: claim, Device: "d/p/g0", WaitsFor: []string{"Attached"}},
			full:   "claim gpu: device d/p/g0 waits for Attached",
		},
		"a stale claim": {
			detail: report.StaleResourceClaim{PodClaim: report.PodClaim{Namespace: "ml", Name: "x"}},
			full:   "ResourceClaim ml/x of an earlier attempt has to be deleted first",
		},
		"a claim in use": {
			detail: report.ResourceClaimInUse{PodClaim: claim, Devices: 1, ReservedFor: []string{"pods/a"}, Users: 1},
			full:   "claim gpu: ResourceClaim ml/claim-b has 1 device, reserved for pods/a",
		},
		"devices that others use": {
			detail: report.InsufficientDevices{
				DeviceRequest: request, Offered: 5, Matching: 4, Allocated: 3, UsedBy: []string{"ml/claim-a"}, Users: 1},
			brief: "claim gpu: wants 2 of class gpu.example.com",
			full:  "claim gpu: wants 2 of class gpu.example.com, 1 free of 4 (used by ml/claim-a)",
		},
		"no device at all": {
			detail: report.InsufficientDevices{DeviceRequest: request},
			brief:  "claim gpu: wants 2 of class gpu.example.com",
			full:   "claim gpu: wants 2 of class gpu.example.com, the node offers no device",
		},
		"no device that matches": {
			detail: report.InsufficientDevices{
				DeviceRequest: request, Offered: 5, FailedSelectors: []string{`device.driver == "d"`}},
			brief: "claim gpu: wants 2 of class gpu.example.com",
			full:  `claim gpu: wants 2 of class gpu.example.com, none of 5 matches device.driver == "d"`,
		},
		"all devices of which some are no good": {
			detail: report.InsufficientDevices{DeviceRequest: all, Offered: 9, Matching: 6, Tainted: 1,
				Taints: []string{"hot:NoSchedule"}, LackCapacity: 2, LackCounters: 2, IncompletePools: []string{"d/p"}},
			brief: "claim gpu: wants all of class gpu.example.com",
			full: "claim gpu: wants all (3) of class gpu.example.com, 1 free of 6, 1 tainted hot:NoSchedule, " +
				"2 with too little capacity, 2 without enough shared counters, pool d/p is incomplete",
		},
		"devices for an extended resource": {
			detail: report.InsufficientDevices{DeviceRequest: report.DeviceRequest{
				Resource: "example.com/gpu", Class: "gpu.example.com", Wanted: 1}, Offered: 2, Matching: 2},
			brief: "example.com/gpu: wants 1 of class gpu.example.com",
			full:  "example.com/gpu: wants 1 of class gpu.example.com, 0 free of 2",
		},
		"devices that do not go together": {
			detail: report.DevicesNotTogether{Requests: []report.DeviceRequest{request, other},
				MatchAttributes: []string{"d/numa"}, DistinctAttributes: []string{"d/id"}, SharedCounters: []string{"d/p/card"}},
			brief: "claim gpu: wants 2 of class gpu.example.com, request nic of claim gpu: wants 1 of class nic.example.com, " +
				"but not all together with equal d/numa with different d/id",
			full: "claim gpu: wants 2 of class gpu.example.com, 1 free, request nic of claim gpu: wants 1 of class " +
				"nic.example.com, 1 free, but not all together with equal d/numa with different d/id from shared d/p/card",
		},
		"requests without more": {
			detail: report.DevicesRequested{Requests: []report.DeviceRequest{request}},
			brief:  "claim gpu: wants 2 of class gpu.example.com",
			full:   "claim gpu: wants 2 of class gpu.example.com, 1 free",
		},
		"a selector that fails": {
			detail: report.DeviceSelectorError{PodClaim: claim, Request: "gpu", Selector: "x.y", Device: "d/p/g0", Error: "no such key"},
			brief:  "claim gpu: selector x.y fails",
			full:   "claim gpu: selector x.y fails on d/p/g0: no such key",
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			if test.brief == "" {
				test.brief = test.full
			}
			want := []string{test.brief, test.full, test.full}
			got := []string{
				factText(test.detail, withoutNumbers), factText(test.detail, withNumbers), factText(test.detail, withPlugins)}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("without numbers, with them, with plugins (-want +got)\n%s", diff)
			}
		})
	}
}

func TestPredicatesOfGroups(t *testing.T) {
	claim := report.PodClaim{Claim: "gpu", Namespace: "ml", Name: "claim-b"}
	request := report.DeviceRequest{PodClaim: claim, Request: "gpu", Class: "gpu.example.com"}
	for sentence, test := range map[string]struct {
		detail report.Detail
		want   predicate
	}{
		"no matching device": {
			report.InsufficientDevices{DeviceRequest: request, Offered: 3},
			predicate{"has no device for claim gpu", "have no device for claim gpu"},
		},
		"too few": {
			report.InsufficientDevices{DeviceRequest: request, Offered: 3, Matching: 2},
			predicate{"has too few free devices for claim gpu", "have too few free devices for claim gpu"},
		},
		"not together": {
			report.DevicesNotTogether{},
			predicate{"cannot give it all its devices together", "cannot give it all its devices together"},
		},
		"a selector that fails": {
			report.DeviceSelectorError{PodClaim: claim},
			predicate{"has a device on which a selector of claim gpu fails", "have a device on which a selector of claim gpu fails"},
		},
		"elsewhere": {
			report.ResourceClaimElsewhere{PodClaim: claim},
			predicate{"is out of reach of the devices of claim gpu", "are out of reach of the devices of claim gpu"},
		},
		"not ready": {
			report.DeviceNotReady{PodClaim: claim},
			predicate{"waits for a device of claim gpu", "wait for a device of claim gpu"},
		},
		"a stale claim": {
			report.StaleResourceClaim{PodClaim: report.PodClaim{Namespace: "ml", Name: "x"}},
			predicate{"waits until ResourceClaim ml/x is deleted", "wait until ResourceClaim ml/x is deleted"},
		},
		"a gate": {report.Gate{Name: "quota"}, predicate{"waits for gate quota", "wait for gate quota"}},
		"disabled preemption": {
			report.ResizePreemptionDisabled{},
			predicate{"has preemption for resizes disabled", "have preemption for resizes disabled"},
		},
		"another node":         {report.ResizeElsewhere{NodeName: "n2"}, predicate{"is not its node", "are not its node"}},
		"nothing short to say": {report.ResourceClaimInUse{PodClaim: claim}, predicate{}},
	} {
		t.Run(sentence, func(t *testing.T) {
			if got := detailsPredicate(report.Details{test.detail}); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}
