package printers

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

func TestFactsOfNodes(t *testing.T) {
	port := report.PortInUse{
		HostIP: "0.0.0.0", Protocol: "TCP", Port: 8080, HeldIP: "0.0.0.0", Namespace: "shop", Name: "web-0"}
	with := func(d report.PortInUse, change func(*report.PortInUse)) report.PortInUse {
		change(&d)
		return d
	}
	tests := map[string]struct {
		detail report.Detail
		// brief is without numbers, full with them, and wide says everything; empty when it is as full.
		brief, full, wide string
	}{
		"a resource": {
			detail: report.InsufficientResource{
				Resource: "cpu", Requested: "2", Used: "3500m", Allocatable: "4", Missing: "1500m"},
			full: "wants 2, 500m of 4 free",
		},
		"a resource that is used up": {
			detail: report.InsufficientResource{Resource: "cpu", Requested: "2", Used: "5", Allocatable: "4", Missing: "3"},
			full:   "wants 2, none of 4 free",
		},
		"a taint with a value": {
			detail: report.UntoleratedTaint{Key: "team", Value: "red", Effect: "NoSchedule", Toleration: report.Toleration{
				Key: "team", Operator: "Equal", Value: "red", Effect: "NoSchedule"}},
			brief: "team=red:NoSchedule",
			full:  "team=red:NoSchedule",
			wide: `team=red:NoSchedule, tolerated by ` +
				`{key: team, operator: Equal, value: "red", effect: NoSchedule}`,
		},
		"a taint without a value": {
			detail: report.UntoleratedTaint{Key: "maint", Effect: "NoExecute", Toleration: report.Toleration{
				Key: "maint", Operator: "Exists", Effect: "NoExecute"}},
			brief: "maint:NoExecute",
			full:  "maint:NoExecute",
			wide:  "maint:NoExecute, tolerated by {key: maint, operator: Exists, effect: NoExecute}",
		},
		"a cordon": {
			detail: report.CordonedNode{Toleration: report.Toleration{Key: "off", Operator: "Exists", Effect: "NoSchedule"}},
			brief:  "cordoned",
			full:   "cordoned",
			wide:   "cordoned, tolerated by {key: off, operator: Exists, effect: NoSchedule}",
		},
		"another node": {
			detail: report.WrongNode{Wanted: "n2", Exists: true},
			brief:  "it names node n2",
			full:   "it names node n2",
		},
		"a node that does not exist": {
			detail: report.WrongNode{Wanted: "n2"},
			brief:  "it names node n2, which does not exist",
			full:   "it names node n2, which does not exist",
		},
		"a port": {
			detail: port,
			brief:  "8080/TCP",
			full:   "8080/TCP held by shop/web-0",
		},
		"a port on every IP that is held on one": {
			detail: with(port, func(d *report.PortInUse) { d.HeldIP = "127.0.0.1" }),
			brief:  "8080/TCP",
			full:   "8080/TCP held on 127.0.0.1 by shop/web-0",
		},
		"a port on one IP that is held on every": {
			detail: with(port, func(d *report.PortInUse) { d.HostIP = "fd00::1" }),
			brief:  "[fd00::1]:8080/TCP",
			full:   "[fd00::1]:8080/TCP held on every IP by shop/web-0",
		},
		"a port that is kept for a Pod to come": {
			detail: with(port, func(d *report.PortInUse) { d.Nominated = true }),
			brief:  "8080/TCP",
			full:   "8080/TCP kept for shop/web-0, nominated here",
		},
		"a feature": {
			detail: report.MissingFeature{Feature: "Nice", KubeletVersion: "v1.36.1"},
			brief:  "Nice not declared",
			full:   "Nice not declared by kubelet v1.36.1",
		},
		"a feature on a node of unknown version": {
			detail: report.MissingFeature{Feature: "Nice"},
			brief:  "Nice not declared",
			full:   "Nice not declared",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if test.wide == "" {
				test.wide = test.full
			}
			want := []string{test.brief, test.full, test.wide}
			got := []string{
				factText(test.detail, withoutNumbers), factText(test.detail, withNumbers), factText(test.detail, withPlugins)}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("without numbers, with them, with plugins (-want +got)\n%s", diff)
			}
		})
	}
}

func TestPredicatesOfNodes(t *testing.T) {
	web := report.PortInUse{HostIP: "0.0.0.0", Protocol: "TCP", Port: 8080, Name: "a"}
	sameByAnother, dns := web, web
	sameByAnother.Name, dns.Port, dns.Protocol = "b", 53, "UDP"
	tests := map[string]struct {
		details report.Details
		want    predicate
	}{
		"resources, by name": {
			report.Details{report.InsufficientResource{Resource: "pods"}, report.InsufficientResource{Resource: "memory"},
				report.InsufficientResource{Resource: "cpu"}},
			predicate{"lacks cpu, memory and places for Pods", "lack cpu, memory and places for Pods"},
		},
		"taints": {
			report.Details{report.UntoleratedTaint{Key: "a", Effect: "NoSchedule"},
				report.UntoleratedTaint{Key: "b", Value: "c", Effect: "NoExecute"}},
			predicate{"has taints a:NoSchedule and b=c:NoExecute", "have taints a:NoSchedule and b=c:NoExecute"},
		},
		"a cordon": {
			report.Details{report.CordonedNode{}},
			predicate{"is cordoned", "are cordoned"},
		},
		"another node": {
			report.Details{report.WrongNode{Wanted: "x", Exists: true}},
			predicate{"is not node x, which it names", "are not node x, which it names"},
		},
		"a port with several holders": {
			report.Details{web, sameByAnother},
			predicate{"has port 8080/TCP in use", "have port 8080/TCP in use"},
		},
		"ports": {
			report.Details{web, sameByAnother, dns},
			predicate{"has ports 8080/TCP and 53/UDP in use", "have ports 8080/TCP and 53/UDP in use"},
		},
		"a feature": {
			report.Details{report.MissingFeature{Feature: "Nice", KubeletVersion: "v1.36.1"}},
			predicate{"does not declare feature Nice", "do not declare feature Nice"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := detailsPredicate(test.details); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}
