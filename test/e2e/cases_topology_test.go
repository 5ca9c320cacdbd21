//go:build e2e

package e2e

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

const (
	host  = corev1.LabelHostname
	zones = corev1.LabelTopologyZone
)

func affinityCases() map[string]explainCase {
	return map[string]explainCase{
		"beside a Pod on its node": {
			pod: pod("x", affinity(host, "app", "web")), want: report.Schedulable,
		},
		"beside a Pod whose node has a taint": {
			pod: pod("x", affinity(host, "app", "db")), want: report.Unschedulable,
		},
		"in the zone of a Pod": {
			pod: pod("x", affinity(zones, "app", "db"), requests("cpu", "2")), want: report.Schedulable,
		},
		"beside a Pod that does not exist": {
			pod: pod("x", affinity(host, "app", "ghost")), want: report.Unschedulable,
		},
		"the first of Pods that want each other": {
			pod: pod("x", podLabels("app", "club"), affinity(zones, "app", "club")), want: report.Schedulable,
		},
		"beside two Pods that are nowhere together": {
			pod: pod("x", affinity(host, "app", "web"), affinity(host, "app", "quiet")), want: report.Unschedulable,
		},
		"on no node with a Pod": {
			pod: pod("x", antiAffinity(host, "app", "web"), nodeSelector("pool", "general")), want: report.Schedulable,
		},
		"in no zone with a Pod": {
			pod: pod("x", antiAffinity(zones, "app", "web")), want: report.Schedulable,
		},
		"in no zone with a Pod, and only in those": {
			pod:  pod("x", antiAffinity(zones, "app", "web"), nodeSelector(zones, "a")),
			want: report.Unschedulable,
		},
		"a Pod that another one does not want in its zone": {
			pod: pod("x", podLabels("app", "noisy"), nodeSelector(zones, "c")), want: report.Unschedulable,
		},
		"a Pod that another one does not want in its zone, elsewhere": {
			pod: pod("x", podLabels("app", "noisy")), want: report.Schedulable,
		},
		"beside a Pod of another namespace": {
			setup: []object{inNamespace("ops", pod("agent", on("n05"), podLabels("app", "agent")))},
			pod: pod("x", affinityTerm(corev1.PodAffinityTerm{
				TopologyKey: host, LabelSelector: selector("app", "agent"), NamespaceSelector: selector("team", "ops"),
			})),
			want: report.Schedulable,
		},
		"beside a Pod that another namespace has": {
			setup: []object{inNamespace("ops", pod("agent", on("n05"), podLabels("app", "agent")))},
			pod:   pod("x", affinity(host, "app", "agent")), want: report.Unschedulable,
		},
		"away from Pods of the same revision": {
			setup: []object{pod("old", on("n05"), podLabels("app", "api", "rev", "1"))},
			pod: pod("x", podLabels("app", "api", "rev", "2"), nodeSelector(zones, "b", "pool", "general"),
				antiAffinityTerm(corev1.PodAffinityTerm{
					TopologyKey: zones, LabelSelector: selector("app", "api"), MatchLabelKeys: []string{"rev"},
				})),
			want: report.Schedulable,
		},
		"preferably near some Pods": {
			pod: pod("x", prefersPods(100, zones, "app", "db"), requests("cpu", "1")), want: report.Schedulable,
		},
		"preferably away from some Pods": {
			pod:  pod("x", podLabels("app", "web"), prefersPods(-100, zones, "app", "web"), requests("cpu", "1")),
			want: report.Schedulable,
		},
	}
}

func spreadCases() map[string]explainCase {
	web := selector("app", "web")
	return map[string]explainCase{
		"over zones": {
			pod: pod("x", podLabels("app", "web"), spread(zones, web), requests("cpu", "1")), want: report.Schedulable,
		},
		"over zones, with room only where it is crowded": {
			pod:  pod("x", podLabels("app", "web"), spread(zones, web), requests("cpu", "10")),
			want: report.Unschedulable,
		},
		"over zones, on a node in no zone": {
			pod: pod("x", podLabels("app", "web"), spread(zones, web), pinned("n20")), want: report.Unschedulable,
		},
		"over more zones than there are": {
			setup: []object{pod("web-c", on("n06"), podLabels("app", "web"))},
			pod:   pod("x", podLabels("app", "web"), spread(zones, web, minDomains(4))), want: report.Unschedulable,
		},
		"over hosts": {
			pod:  pod("x", podLabels("app", "web"), spread(host, web), nodeSelector("pool", "general")),
			want: report.Schedulable,
		},
		"over pools, with tainted ones counted": {
			setup: oneWebIn("n09", "n17"),
			pod:   pod("x", podLabels("app", "web"), spread("pool", web), requests("cpu", "100m")),
			want:  report.Unschedulable,
		},
		"over pools, with taints honored": {
			setup: oneWebIn("n09", "n17"),
			pod:   pod("x", podLabels("app", "web"), spread("pool", web, honorTaints), requests("cpu", "100m")),
			want:  report.Schedulable,
		},
		"preferably over zones": {
			pod: pod("x", podLabels("app", "web"), spread(zones, web, anyway), requests("cpu", "1")), want: report.Schedulable,
		},
		"by default, as one of a Service": {
			setup: []object{&corev1.Service{
				ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "web"},
				Spec: corev1.ServiceSpec{
					Selector: pairsOf("app", "web"),
					Ports:    []corev1.ServicePort{{Port: 80}},
				},
			}},
			pod: pod("x", podLabels("app", "web"), requests("cpu", "1")), want: report.Schedulable,
		},
		"over zones and hosts, with Pods it must not meet": {
			pod: pod("x", podLabels("app", "web"), spread(zones, web), spread(host, web),
				antiAffinity(host, "app", "quiet"), requests("cpu", "1")),
			want: report.Schedulable,
		},
	}
}

// oneWebIn puts one more web Pod onto each of the nodes.
func oneWebIn(nodeNames ...string) []object {
	var pods []object
	for _, name := range nodeNames {
		pods = append(pods, pod("web-"+name, on(name), podLabels("app", "web")))
	}
	return pods
}

func inNamespace(name string, p *corev1.Pod) *corev1.Pod {
	p.Namespace = name
	return p
}
