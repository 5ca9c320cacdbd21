package printers

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

const (
	spreadZone = "topology.kubernetes.io/zone"
	spreadHost = "kubernetes.io/hostname"
)

func TestFactsOfNeighbors(t *testing.T) {
	over := report.TopologySpread{TopologyKey: spreadZone, Domain: "za", MaxSkew: 1, Matching: 2, Self: 1, Skew: 3,
		Domains: 3, MinimumDomains: []string{"zc"}, MinimumDomainCount: 1}
	spread := func(change func(*report.TopologySpread)) report.TopologySpread {
		d := over
		change(&d)
		return d
	}
	near := report.PodAffinity{Rule: "Affinity", TopologyKey: spreadZone, Domain: "za", LabelSelector: "app=db",
		Namespaces: []string{"shop"}, NamespaceCount: 1}
	affinity := func(change func(*report.PodAffinity)) report.PodAffinity {
		d := near
		change(&d)
		return d
	}
	tests := map[string]struct {
		detail report.Detail
		// brief is without numbers, full with them.
		brief, full string
	}{
		"a spread": {
			detail: over,
			brief:  "over topology.kubernetes.io/zone, maxSkew 1",
			full:   "zone za: 2 matching Pods + itself - 0 in zone zc (least) = 3 > maxSkew 1",
		},
		"a spread of Pods that this one is none of": {
			detail: spread(func(d *report.TopologySpread) {
				d.TopologyKey, d.Self, d.Skew = "rack", 0, 2
				d.MinimumDomains, d.MinimumDomainCount = []string{"r1", "r2"}, 2
			}),
			brief: "over rack, maxSkew 1",
			full:  "rack=za: 2 matching Pods - 0 in rack=r1, rack=r2 (least) = 2 > maxSkew 1",
		},
		"a spread whose least are where the Pod cannot go": {
			detail: spread(func(d *report.TopologySpread) {
				d.TopologyKey, d.Domain, d.MinimumDomains, d.Matching, d.Skew = spreadHost, "w1", []string{"cp"}, 1, 2
				d.ClosedNodes, d.ClosedNodeCount, d.Honor = []string{"cp"}, 1, []string{"nodeTaintsPolicy"}
			}),
			brief: "over kubernetes.io/hostname, maxSkew 1; it cannot go to node cp, yet that counts; " +
				"nodeTaintsPolicy Honor would help",
			full: "node w1: 1 matching Pod + itself - 0 on node cp (least) = 2 > maxSkew 1; it cannot go to node cp, " +
				"yet that counts; nodeTaintsPolicy Honor would help",
		},
		"a spread whose least are in many domains": {
			detail: spread(func(d *report.TopologySpread) {
				d.MinimumDomains, d.MinimumDomainCount = []string{"za", "zb", "zc"}, 7
				d.ClosedNodes, d.ClosedNodeCount = []string{"a", "b", "c"}, 9
			}),
			brief: "over topology.kubernetes.io/zone, maxSkew 1; it cannot go to nodes a, b, c and 6 more, yet those count",
			full: "zone za: 2 matching Pods + itself - 0 in zone za, zb, zc and 4 more (least) = 3 > maxSkew 1; " +
				"it cannot go to nodes a, b, c and 6 more, yet those count",
		},
		"a spread over too few domains": {
			detail: spread(func(d *report.TopologySpread) {
				d.MinimumDomains, d.MinimumDomainCount, d.MinDomains = nil, 0, 5
			}),
			brief: "over topology.kubernetes.io/zone, maxSkew 1",
			full:  "zone za: 2 matching Pods + itself - 0 (3 of minDomains 5) = 3 > maxSkew 1",
		},
		"a spread over no domains": {
			detail: spread(func(d *report.TopologySpread) {
				d.MinimumDomains, d.MinimumDomainCount, d.Domains, d.Matching, d.Self, d.Skew = nil, 0, 0, 0, 2, 2
			}),
			brief: "over topology.kubernetes.io/zone, maxSkew 1",
			full:  "zone za: 0 matching Pods + itself - 0 = 2 > maxSkew 1",
		},
		"a spread whose label is missing": {
			detail: report.TopologySpread{TopologyKey: spreadZone, MaxSkew: 1, Missing: true},
			brief:  "no label topology.kubernetes.io/zone",
			full:   "no label topology.kubernetes.io/zone",
		},
		"affinity to Pods that are elsewhere": {
			detail: affinity(func(d *report.PodAffinity) { d.Elsewhere, d.ElsewhereCount = []string{"zb", "zc"}, 2 }),
			brief:  "no Pod with app=db of namespace shop in zone za, but in zone zb, zc",
			full:   "no Pod with app=db of namespace shop in zone za, but in zone zb, zc",
		},
		"affinity on one node": {
			detail: affinity(func(d *report.PodAffinity) {
				d.TopologyKey, d.Domain, d.Elsewhere, d.ElsewhereCount = spreadHost, "n1", []string{"n2"}, 1
			}),
			brief: "no Pod with app=db of namespace shop there, but on node n2",
			full:  "no Pod with app=db of namespace shop on node n1, but on node n2",
		},
		"affinity to Pods that are nowhere": {
			detail: affinity(func(d *report.PodAffinity) {
				d.LabelSelector, d.Namespaces, d.NamespaceCount, d.AllNamespaces = "", nil, 0, true
			}),
			brief: "no Pod of any namespace in any domain of topology.kubernetes.io/zone",
			full:  "no Pod of any namespace in any domain of topology.kubernetes.io/zone",
		},
		"affinity in namespaces that are none": {
			detail: affinity(func(d *report.PodAffinity) { d.Namespaces, d.NamespaceCount = nil, 0 }),
			brief:  "no Pod with app=db (no namespace is selected) in any domain of topology.kubernetes.io/zone",
			full:   "no Pod with app=db (no namespace is selected) in any domain of topology.kubernetes.io/zone",
		},
		"affinity of several terms": {
			detail: affinity(func(d *report.PodAffinity) { d.Terms = 2 }),
			brief:  "no Pod that matches all 2 terms of its affinity in any domain of topology.kubernetes.io/zone",
			full:   "no Pod that matches all 2 terms of its affinity in any domain of topology.kubernetes.io/zone",
		},
		"affinity whose label is missing": {
			detail: affinity(func(d *report.PodAffinity) { d.Domain, d.Missing = "", true }),
			brief:  "no label topology.kubernetes.io/zone",
			full:   "no label topology.kubernetes.io/zone",
		},
		"anti-affinity in a zone": {
			detail: affinity(func(d *report.PodAffinity) {
				d.Rule, d.Pods, d.PodCount = "AntiAffinity", []string{"shop/web-1"}, 1
			}),
			brief: "its anti-affinity: shop/web-1 is in zone za; it forbids app=db of namespace shop",
			full:  "its anti-affinity: shop/web-1 is in zone za",
		},
		"anti-affinity on one node": {
			detail: affinity(func(d *report.PodAffinity) {
				d.Rule, d.TopologyKey, d.Domain = "AntiAffinity", spreadHost, "n1"
				d.Pods, d.PodCount = []string{"shop/a", "shop/b", "shop/c"}, 5
			}),
			brief: "its anti-affinity: Pods are there; it forbids app=db of namespace shop",
			full:  "its anti-affinity: shop/a, shop/b, shop/c and 2 more are on node n1",
		},
		"another Pod's anti-affinity in a zone": {
			detail: affinity(func(d *report.PodAffinity) {
				d.Rule, d.Pods, d.PodCount = "ExistingAntiAffinity", []string{"shop/db-0"}, 1
			}),
			brief: "anti-affinity of shop/db-0 in zone za repels it; it forbids app=db of namespace shop",
			full:  "anti-affinity of shop/db-0 in zone za repels it",
		},
		"another Pod's anti-affinity on one node": {
			detail: affinity(func(d *report.PodAffinity) {
				d.Rule, d.TopologyKey, d.Domain = "ExistingAntiAffinity", "rack", ""
				d.Pods, d.PodCount = []string{"shop/db-0"}, 1
			}),
			brief: "anti-affinity of Pods there repels it; it forbids app=db of namespace shop",
			full:  `anti-affinity of shop/db-0 in rack="" repels it`,
		},
	}
	for sentence, test := range tests {
		t.Run(sentence, func(t *testing.T) {
			got := []string{factText(test.detail, withoutNumbers), factText(test.detail, withNumbers)}
			if diff := cmp.Diff([]string{test.brief, test.full}, got); diff != "" {
				t.Errorf("brief and full text (-want +got)\n%s", diff)
			}
		})
	}
}

func TestNeighborsSay(t *testing.T) {
	one := report.PodAffinity{Rule: "ExistingAntiAffinity", Pods: []string{"shop/db-0"}, PodCount: 1}
	own := report.PodAffinity{Rule: "AntiAffinity", Pods: []string{"shop/db-0"}, PodCount: 1}
	tests := map[string]struct {
		details report.Details
		want    predicate
	}{
		"a spread": {
			report.Details{report.TopologySpread{TopologyKey: spreadZone}},
			predicate{"would break its spread over topology.kubernetes.io/zone",
				"would break its spread over topology.kubernetes.io/zone"}},
		"spreads, of which one misses its label": {
			report.Details{report.TopologySpread{TopologyKey: spreadZone},
				report.TopologySpread{TopologyKey: "rack", Missing: true}},
			predicate{"lacks label rack", "lack label rack"}},
		"affinity in two terms that miss labels": {
			report.Details{report.PodAffinity{TopologyKey: "rack", Missing: true},
				report.PodAffinity{TopologyKey: spreadZone, Missing: true},
				report.PodAffinity{TopologyKey: "rack", Missing: true}},
			predicate{"lacks labels rack and topology.kubernetes.io/zone",
				"lack labels rack and topology.kubernetes.io/zone"}},
		"affinity": {
			report.Details{report.PodAffinity{Rule: "Affinity"}},
			predicate{"has no Pod nearby that its affinity asks for", "have no Pod nearby that its affinity asks for"}},
		"anti-affinity to one Pod": {
			report.Details{own}, predicate{"has a Pod nearby that its anti-affinity forbids",
				"have a Pod nearby that its anti-affinity forbids"}},
		"anti-affinity of one Pod": {
			report.Details{one}, predicate{"has a Pod nearby whose anti-affinity forbids it",
				"have a Pod nearby whose anti-affinity forbids it"}},
		"anti-affinity of several Pods": {
			report.Details{one, one}, predicate{"has a Pod nearby whose anti-affinity forbids it",
				"have a Pod nearby whose anti-affinity forbids it"}},
	}
	for sentence, test := range tests {
		t.Run(sentence, func(t *testing.T) {
			if got := detailsPredicate(test.details); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}
