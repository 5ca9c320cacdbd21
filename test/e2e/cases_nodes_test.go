//go:build e2e

package e2e

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

func nodeCases() map[string]explainCase {
	const in, notIn, gt = corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn, corev1.NodeSelectorOpGt
	return map[string]explainCase{
		"a pool": {
			pod: pod("x", nodeSelector("pool", "general"), requests("cpu", "1")), want: report.Schedulable,
		},
		"a pool that does not exist": {
			pod: pod("x", nodeSelector("pool", "gold")), want: report.Unschedulable,
		},
		"a pool whose taint is not tolerated": {
			pod: pod("x", nodeSelector("pool", "db")), want: report.Unschedulable,
		},
		"a pool whose taint is tolerated": {
			pod:  pod("x", nodeSelector("pool", "db"), tolerates("dedicated", "db", corev1.TaintEffectNoSchedule)),
			want: report.Schedulable,
		},
		"a toleration of another value": {
			pod:  pod("x", nodeSelector("pool", "db"), tolerates("dedicated", "web", corev1.TaintEffectNoSchedule)),
			want: report.Unschedulable,
		},
		"a toleration of another effect": {
			pod:  pod("x", nodeSelector("pool", "batch"), tolerates("dedicated", "batch", corev1.TaintEffectNoSchedule)),
			want: report.Unschedulable,
		},
		"every taint tolerated": {
			pod: pod("x", toleratesAll, requests("cpu", "1")), want: report.Schedulable,
		},
		"a taint that only counts against a node": {
			pod: pod("x", nodeTerms(term(expr("pool", in, "spot", "general")))), want: report.Schedulable,
		},
		"a cordoned node with its taint": {
			pod: pod("x", pinned("n07")), want: report.Unschedulable,
		},
		"a cordoned node without its taint": {
			pod: pod("x", pinned("n08")), want: report.Unschedulable,
		},
		"a cordoned node for a daemon": {
			pod:  pod("x", pinned("n07"), tolerates(corev1.TaintNodeUnschedulable, "", corev1.TaintEffectNoSchedule)),
			want: report.Schedulable,
		},
		"a node that is not ready": {
			pod: pod("x", pinned("n16")), want: report.Unschedulable,
		},
		"a node that does not exist": {
			pod: pod("x", pinned("gone")), want: report.Unschedulable,
		},
		"either of two terms": {
			pod:  pod("x", nodeTerms(term(expr("disk", in, "ssd")), term(expr("pool", in, "batch")))),
			want: report.Schedulable,
		},
		"two expressions that exclude each other": {
			pod:  pod("x", nodeTerms(term(expr("disk", in, "ssd"), expr("generation", gt, "7")))),
			want: report.Unschedulable,
		},
		"a label greater than a number": {
			pod: pod("x", nodeTerms(term(expr("generation", gt, "4")))), want: report.Schedulable,
		},
		"a label that is not one of some, or not there": {
			pod:  pod("x", nodeTerms(term(expr("pool", notIn, "general", "spot")))),
			want: report.Schedulable,
		},
		"an architecture, and too much CPU": {
			pod: pod("x", nodeSelector(corev1.LabelArchStable, "arm64"), requests("cpu", "10")), want: report.Unschedulable,
		},
		"a preferred disk": {
			pod: pod("x", prefersNodes(50, expr("disk", in, "ssd"))), want: report.Schedulable,
		},
		"two preferences that pull apart": {
			pod: pod("x", prefersNodes(10, expr("disk", in, "hdd")), prefersNodes(20, expr("pool", in, "spot")),
				requests("cpu", "2")),
			want: report.Schedulable,
		},
	}
}

func portCases() map[string]explainCase {
	return map[string]explainCase{
		"a host port that is taken on some nodes": {
			pod: pod("x", hostPort(8080, "TCP"), nodeSelector("pool", "general")), want: report.Schedulable,
		},
		"a host port that is taken": {
			pod: pod("x", hostPort(8080, "TCP"), pinned("n01")), want: report.Unschedulable,
		},
		"the same port of another protocol": {
			pod: pod("x", hostPort(8080, "UDP"), pinned("n01")), want: report.Schedulable,
		},
		"a host port that is taken, and too little CPU elsewhere": {
			setup: []object{
				pod("port-3", on("n03"), hostPort(9090, "TCP")),
				pod("port-6", on("n06"), hostPort(9090, "TCP")),
			},
			pod: pod("x", hostPort(9090, "TCP"), requests("cpu", "3800m"),
				nodeSelector("pool", "general", corev1.LabelTopologyZone, "c")),
			want: report.Unschedulable,
		},
	}
}
