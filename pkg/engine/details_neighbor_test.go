package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

const (
	hostname = "kubernetes.io/hostname"
	zone     = "topology.kubernetes.io/zone"
)

// inZone is a node of a zone; more is added to its document.
func inZone(name, value, more string) string {
	return "apiVersion: v1\nkind: Node\nmetadata: {name: " + name + ", labels: {kubernetes.io/hostname: " + name +
		", topology.kubernetes.io/zone: " + value + "}}\n" +
		`status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}` + "\n" + more
}

// appPod is a Pod of an app in a namespace; spec is in flow style.
func appPod(namespace, name, app, spec string) string {
	return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", namespace: " + namespace + ", uid: uid-" + name +
		", labels: {app: " + app + ", version: v1}}\nspec: {containers: [{name: main, image: app}], " + spec + "}"
}

func namespaceText(name, labels string) string {
	return "apiVersion: v1\nkind: Namespace\nmetadata: {name: " + name + ", labels: {" + labels + "}}"
}

// spreadText is a constraint over zones of skew 1 for Pods of app web.
func spreadText(more string) string {
	return "topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, " +
		"whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}" + more + "}]"
}

func TestDetailsOfPodTopologySpread(t *testing.T) {
	const tainted = "spec: {taints: [{key: dedicated, effect: NoSchedule}]}"
	const nominatedForB = "priority: 10}\nstatus: {nominatedNodeName: b} #"
	tainting := []string{
		inZone("cp", "zc", tainted), inZone("a", "za", ""), inZone("b", "zb", ""),
		appPod("default", "web-1", "web", "nodeName: a"), appPod("default", "web-2", "web", "nodeName: b"),
	}
	over := report.TopologySpread{TopologyKey: zone, LabelSelector: "app=web", MaxSkew: 1, Self: 1}
	with := func(d report.TopologySpread, change func(*report.TopologySpread)) report.TopologySpread {
		change(&d)
		return d
	}
	for sentence, test := range map[string]struct {
		cluster []string
		asked   string
		config  string
		want    map[string]report.Details
	}{
		"the least are in a domain whose only node has a taint, and honoring taints would help": {
			cluster: tainting,
			asked:   appPod("default", "x", "web", spreadText("")),
			want: map[string]report.Details{
				"a": {with(over, func(d *report.TopologySpread) {
					d.Domain, d.Matching, d.Skew, d.Domains = "za", 1, 2, 3
					d.MinimumDomains, d.MinimumDomainCount = []string{"zc"}, 1
					d.ClosedNodes, d.ClosedNodeCount, d.Honor = []string{"cp"}, 1, []string{"nodeTaintsPolicy"}
				})},
				"b": {with(over, func(d *report.TopologySpread) {
					d.Domain, d.Matching, d.Skew, d.Domains = "zb", 1, 2, 3
					d.MinimumDomains, d.MinimumDomainCount = []string{"zc"}, 1
					d.ClosedNodes, d.ClosedNodeCount, d.Honor = []string{"cp"}, 1, []string{"nodeTaintsPolicy"}
				})},
			},
		},
		"taints that are honored do not make a minimum": {
			cluster: tainting,
			asked:   appPod("default", "x", "web", spreadText(", nodeTaintsPolicy: Honor")),
			want:    map[string]report.Details{},
		},
		"node affinity that is ignored makes one, and honoring it would help": {
			cluster: []string{
				inZone("a", "za", ""), inZone("b", "zb", ""), appPod("default", "web-1", "web", "nodeName: a"),
			},
			asked: appPod("default", "x", "web",
				"nodeSelector: {kubernetes.io/hostname: a}, "+spreadText(", nodeAffinityPolicy: Ignore")),
			want: map[string]report.Details{
				"a": {with(over, func(d *report.TopologySpread) {
					d.Domain, d.Matching, d.Skew, d.Domains = "za", 1, 2, 2
					d.MinimumDomains, d.MinimumDomainCount = []string{"zb"}, 1
					d.ClosedNodes, d.ClosedNodeCount, d.Honor = []string{"b"}, 1, []string{"nodeAffinityPolicy"}
				})},
			},
		},
		"a cordoned node of the least domain does not close it while another can take the Pod": {
			cluster: []string{
				inZone("a", "za", ""), inZone("b1", "zb", "spec: {unschedulable: true}"), inZone("b2", "zb", ""),
				appPod("default", "web-1", "web", "nodeName: a"),
			},
			asked: appPod("default", "x", "web", spreadText("")),
			want: map[string]report.Details{
				"a": {with(over, func(d *report.TopologySpread) {
					d.Domain, d.Matching, d.Skew, d.Domains = "za", 1, 2, 2
					d.MinimumDomains, d.MinimumDomainCount = []string{"zb"}, 1
				})},
			},
		},
		"other namespaces, Pods being deleted and nodes without the label do not count, and such nodes lack it": {
			cluster: []string{
				inZone("a", "za", ""), inZone("b", "zb", ""), nodeLabeled("none", "Zone: za"),
				appPod("default", "web-1", "web", "nodeName: a"), appPod("default", "web-2", "web", "nodeName: a"),
				appPod("other", "web-3", "web", "nodeName: a"), deleted(appPod("default", "web-4", "web", "nodeName: a")),
				appPod("default", "web-5", "web", "nodeName: none"), appPod("default", "web-6", "web", "nodeName: b"),
			},
			asked: appPod("default", "x", "web", spreadText("")),
			want: map[string]report.Details{
				"a": {with(over, func(d *report.TopologySpread) {
					d.Domain, d.Matching, d.Minimum, d.Skew, d.Domains = "za", 2, 1, 2, 2
					d.MinimumDomains, d.MinimumDomainCount = []string{"zb"}, 1
				})},
				"none": {report.TopologySpread{TopologyKey: zone, LabelSelector: "app=web", MaxSkew: 1, Missing: true}},
			},
		},
		"with fewer domains than minDomains the minimum is 0 wherever the least are": {
			cluster: []string{inZone("a", "za", ""), appPod("default", "web-1", "web", "nodeName: a")},
			asked:   appPod("default", "x", "web", spreadText(", minDomains: 2")),
			want: map[string]report.Details{
				"a": {with(over, func(d *report.TopologySpread) {
					d.Domain, d.Matching, d.Skew, d.Domains, d.MinDomains = "za", 1, 2, 1, 2
				})},
			},
		},
		"keys of the Pod's own labels narrow the selector": {
			cluster: []string{
				inZone("a", "za", ""), inZone("b", "zb", ""), appPod("default", "web-1", "web", "nodeName: a"),
			},
			asked: appPod("default", "x", "web", spreadText(", matchLabelKeys: [version, none]")),
			want: map[string]report.Details{
				"a": {with(over, func(d *report.TopologySpread) {
					d.LabelSelector, d.Domain, d.Matching, d.Skew, d.Domains = "app=web,version=v1", "za", 1, 2, 2
					d.MinimumDomains, d.MinimumDomainCount = []string{"zb"}, 1
				})},
			},
		},
		"Pods that are nominated for the node count there": {
			cluster: []string{
				inZone("a", "za", ""), inZone("b", "zb", ""), appPod("default", "waits", "web", nominatedForB),
			},
			asked: appPod("default", "x", "web", spreadText("")),
			want: map[string]report.Details{
				"b": {with(over, func(d *report.TopologySpread) {
					d.Domain, d.Matching, d.Skew, d.Domains = "zb", 1, 2, 2
					d.MinimumDomains, d.MinimumDomainCount = []string{"za"}, 1
				})},
			},
		},
		"the profile's default constraints, with the selector of the Pod's Service": {
			cluster: []string{
				inZone("a", "za", ""), inZone("b", "zb", ""), appPod("default", "web-1", "web", "nodeName: a"),
				"apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: default}\nspec: {selector: {app: web}}",
			},
			asked: appPod("default", "x", "web", ""),
			config: `profiles: [{pluginConfig: [{name: PodTopologySpread, args: {defaultingType: List, defaultConstraints: ` +
				`[{maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule}]}}]}]`,
			want: map[string]report.Details{
				"a": {with(over, func(d *report.TopologySpread) {
					d.Defaulted, d.Domain, d.Matching, d.Skew, d.Domains = true, "za", 1, 2, 2
					d.MinimumDomains, d.MinimumDomainCount = []string{"zb"}, 1
				})},
			},
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			options := engine.Options{}
			if test.config != "" {
				options.Config = configOf(t, test.config)
			}
			state := stateOf(t, append(test.cluster, test.asked)...)
			got := detailsBy(names.PodTopologySpread, explain(t, engineOf(t, state, options), podNamed(t, state, "x")))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("details by node (-want +got)\n%s", diff)
			}
		})
	}
}

// podTerm is a required term over a topology key about Pods of an app, in flow style.
func podTerm(rule, key, app, more string) string {
	return "affinity: {" + rule + ": {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: " + key +
		", labelSelector: {matchLabels: {app: " + app + "}}" + more + "}]}}"
}

func TestDetailsOfInterPodAffinity(t *testing.T) {
	nodes := []string{inZone("a", "za", ""), inZone("b", "zb", ""), nodeLabeled("none", "")}
	team := namespaceText("red", "team: red")
	for sentence, test := range map[string]struct {
		cluster []string
		asked   string
		want    map[string]report.Details
	}{
		"affinity says where the Pods are that it asks for, and which label is missing": {
			cluster: append(nodes, appPod("default", "db-0", "db", "nodeName: b"), appPod("other", "db-1", "db", "nodeName: a")),
			asked:   appPod("default", "x", "web", podTerm("podAffinity", zone, "db", "")),
			want: map[string]report.Details{
				"a": {report.PodAffinity{Rule: "Affinity", TopologyKey: zone, Domain: "za", LabelSelector: "app=db",
					Namespaces: []string{"default"}, NamespaceCount: 1, Elsewhere: []string{"zb"}, ElsewhereCount: 1}},
				"none": {report.PodAffinity{Rule: "Affinity", TopologyKey: zone, Missing: true, LabelSelector: "app=db",
					Namespaces: []string{"default"}, NamespaceCount: 1, Elsewhere: []string{"zb"}, ElsewhereCount: 1}},
			},
		},
		"affinity to Pods that are nowhere": {
			cluster: []string{inZone("a", "za", "")},
			asked:   appPod("default", "x", "web", podTerm("podAffinity", zone, "db", ", namespaceSelector: {}")),
			want: map[string]report.Details{
				"a": {report.PodAffinity{Rule: "Affinity", TopologyKey: zone, Domain: "za", LabelSelector: "app=db",
					AllNamespaces: true}},
			},
		},
		"the first Pod of a series needs no other, but the label": {
			cluster: append(nodes, appPod("default", "web-0", "web", "nodeName: none")),
			asked:   appPod("default", "x", "web", podTerm("podAffinity", zone, "web", "")),
			want: map[string]report.Details{
				"none": {report.PodAffinity{Rule: "Affinity", TopologyKey: zone, Missing: true, LabelSelector: "app=web",
					Namespaces: []string{"default"}, NamespaceCount: 1}},
			},
		},
		"a Pod must match all terms at once": {
			cluster: append(nodes, appPod("default", "db-0", "db", "nodeName: a")),
			asked: appPod("default", "x", "web", "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: ["+
				"{topologyKey: topology.kubernetes.io/zone, labelSelector: {matchLabels: {app: db}}}, "+
				"{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {version: v2}}}]}}"),
			want: func() map[string]report.Details {
				first := report.PodAffinity{Rule: "Affinity", TopologyKey: zone, LabelSelector: "app=db",
					Namespaces: []string{"default"}, NamespaceCount: 1, Terms: 2}
				second := first
				second.TopologyKey, second.LabelSelector = hostname, "version=v2"
				on := func(za, host string) report.Details {
					a, b := first, second
					a.Domain, a.Missing, b.Domain, b.Missing = za, za == "", host, host == ""
					return report.Details{a, b}
				}
				return map[string]report.Details{"a": on("za", "a"), "b": on("zb", "b"), "none": on("", "")}
			}(),
		},
		"anti-affinity names the Pods in the node's domain, in the namespaces that it selects": {
			cluster: append(nodes, team, appPod("red", "db-4", "db", "nodeName: a"), appPod("red", "db-3", "db", "nodeName: a"),
				appPod("red", "db-2", "db", "nodeName: a"), appPod("blue", "db-1", "db", "nodeName: a"),
				appPod("default", "db-0", "db", "nodeName: a"), appPod("red", "db-5", "db", "nodeName: none")),
			asked: appPod("default", "x", "web", podTerm("podAntiAffinity", zone, "db",
				", namespaces: [blue], namespaceSelector: {matchLabels: {team: red}}")),
			want: map[string]report.Details{
				"a": {report.PodAffinity{Rule: "AntiAffinity", TopologyKey: zone, Domain: "za", LabelSelector: "app=db",
					Namespaces: []string{"blue", "red"}, NamespaceCount: 2,
					Pods: []string{"blue/db-1", "red/db-2", "red/db-3"}, PodCount: 4}},
			},
		},
		"the Pods are named whose anti-affinity matches the Pod, by term": {
			cluster: append(nodes, team, inZone("a2", "za", ""),
				appPod("default", "db-0", "db", "nodeName: a, "+podTerm("podAntiAffinity", zone, "web", "")),
				appPod("default", "solo", "db", "nodeName: b, "+podTerm("podAntiAffinity", hostname, "web", "")),
				appPod("red", "wide", "db", "nodeName: a2, "+podTerm("podAntiAffinity", hostname, "web",
					", namespaceSelector: {}")),
				appPod("red", "elsewhere", "db", "nodeName: a, "+podTerm("podAntiAffinity", hostname, "web", "")),
				appPod("red", "other", "db", "nodeName: none, "+podTerm("podAntiAffinity", hostname, "web", "")),
			),
			asked: appPod("default", "x", "web", ""),
			want: func() map[string]report.Details {
				db := report.PodAffinity{Rule: "ExistingAntiAffinity", TopologyKey: zone, Domain: "za",
					LabelSelector: "app=web", Namespaces: []string{"default"}, NamespaceCount: 1,
					Pods: []string{"default/db-0"}, PodCount: 1}
				solo, wide := db, db
				solo.TopologyKey, solo.Domain, solo.Pods = hostname, "b", []string{"default/solo"}
				wide.TopologyKey, wide.Domain, wide.Pods = hostname, "a2", []string{"red/wide"}
				wide.Namespaces, wide.NamespaceCount, wide.AllNamespaces = nil, 0, true
				return map[string]report.Details{"a": {db}, "a2": {wide, db}, "b": {solo}}
			}(),
		},
		"a nominated Pod repels the Pod too, and may satisfy affinity only while it is not counted": {
			cluster: []string{inZone("a", "za", ""), inZone("b", "zb", ""), appPod("default", "waits", "db",
				podTerm("podAntiAffinity", zone, "web", "")+", priority: 10}\nstatus: {nominatedNodeName: b} #")},
			asked: appPod("default", "x", "web", podTerm("podAffinity", zone, "db", "")),
			want: map[string]report.Details{
				"a": {report.PodAffinity{Rule: "Affinity", TopologyKey: zone, Domain: "za", LabelSelector: "app=db",
					Namespaces: []string{"default"}, NamespaceCount: 1}},
				"b": {report.PodAffinity{Rule: "ExistingAntiAffinity", TopologyKey: zone, Domain: "zb",
					LabelSelector: "app=web", Namespaces: []string{"default"}, NamespaceCount: 1,
					Pods: []string{"default/waits"}, PodCount: 1}},
			},
		},
		"affinity that only a nominated Pod satisfies lacks a Pod": {
			cluster: []string{inZone("b", "zb", ""),
				appPod("default", "waits", "db", "priority: 10}\nstatus: {nominatedNodeName: b} #")},
			asked: appPod("default", "x", "web", podTerm("podAffinity", zone, "db", "")),
			want: map[string]report.Details{
				"b": {report.PodAffinity{Rule: "Affinity", TopologyKey: zone, Domain: "zb", LabelSelector: "app=db",
					Namespaces: []string{"default"}, NamespaceCount: 1}},
			},
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			state := stateOf(t, append(test.cluster, test.asked)...)
			got := detailsBy(names.InterPodAffinity,
				explain(t, engineOf(t, state, engine.Options{}), podNamed(t, state, "x")))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("details by node (-want +got)\n%s", diff)
			}
		})
	}
}

// With the gate InterPodAffinityHostnameFastPath, terms about host names look at the node alone, though another node
// may have the same label, and a Pod that is the first of a series counts Pods on nodes without the label too.
func TestDetailsOfInterPodAffinityByHostname(t *testing.T) {
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate,
		features.InterPodAffinityHostnameFastPath, true)
	twins := []string{
		nodeLabeled("a", "kubernetes.io/hostname: twin"), nodeLabeled("b", "kubernetes.io/hostname: twin"),
		nodeLabeled("none", ""),
	}
	term := report.PodAffinity{Rule: "Affinity", TopologyKey: hostname, Domain: "twin", LabelSelector: "app=web",
		Namespaces: []string{"default"}, NamespaceCount: 1}
	missing, far, there, repelled := term, term, term, term
	missing.Domain, missing.Missing = "", true
	far.Elsewhere, far.ElsewhereCount = []string{"a"}, 1
	missingFar := missing
	missingFar.Elsewhere, missingFar.ElsewhereCount = []string{"a"}, 1
	there.Rule, there.Pods, there.PodCount = "AntiAffinity", []string{"default/web-0"}, 1
	repelled.Rule, repelled.Pods, repelled.PodCount = "ExistingAntiAffinity", []string{"default/web-0"}, 1
	for sentence, test := range map[string]struct {
		there, asked string
		want         map[string]report.Details
	}{
		"affinity": {
			there: appPod("default", "web-0", "web", "nodeName: a"),
			asked: appPod("default", "x", "web", podTerm("podAffinity", hostname, "web", "")),
			want:  map[string]report.Details{"b": {far}, "none": {missingFar}},
		},
		"affinity that a Pod on a node without the label matches": {
			there: appPod("default", "web-0", "web", "nodeName: none"),
			asked: appPod("default", "x", "web", podTerm("podAffinity", hostname, "web", "")),
			want:  map[string]report.Details{"a": {term}, "b": {term}, "none": {missing}},
		},
		"anti-affinity": {
			there: appPod("default", "web-0", "web", "nodeName: a"),
			asked: appPod("default", "x", "web", podTerm("podAntiAffinity", hostname, "web", "")),
			want:  map[string]report.Details{"a": {there}},
		},
		"another Pod's anti-affinity": {
			there: appPod("default", "web-0", "web", "nodeName: a, "+podTerm("podAntiAffinity", hostname, "web", "")),
			asked: appPod("default", "x", "web", ""),
			want:  map[string]report.Details{"a": {repelled}},
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			state := stateOf(t, append(twins, test.there, test.asked)...)
			got := detailsBy(names.InterPodAffinity,
				explain(t, engineOf(t, state, engine.Options{}), podNamed(t, state, "x")))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("details by node (-want +got)\n%s", diff)
			}
		})
	}
}
