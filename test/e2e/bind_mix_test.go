//go:build e2e

package e2e

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// yardClasses are the priority and storage classes of the bind tests.
func yardClasses() []object {
	onBinding := storagev1.VolumeBindingWaitForFirstConsumer
	return []object{
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "low"}, Value: -10},
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 1000},
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "highest"}, Value: 2000},
		&storagev1.StorageClass{
			ObjectMeta: metav1.ObjectMeta{Name: "disk"}, Provisioner: "disk.example.com", VolumeBindingMode: &onBinding,
		},
		&storagev1.StorageClass{
			ObjectMeta: metav1.ObjectMeta{Name: "local"}, Provisioner: "kubernetes.io/no-provisioner",
			VolumeBindingMode: &onBinding,
		},
	}
}

// yardNodes are 40 nodes of many kinds in three zones.
func yardNodes() []*corev1.Node {
	return several(40, func(i int) *corev1.Node {
		return node(fmt.Sprintf("n%02d", i+1), append(yardKind(i), zone(string("abc"[i%3])))...)
	})
}

func yardKind(i int) []nodeEdit {
	switch {
	case i < 24:
		return []nodeEdit{nodeLabels("pool", "general")}
	case i < 28:
		return []nodeEdit{nodeLabels("pool", "db"), taint("dedicated", "db", corev1.TaintEffectNoSchedule)}
	case i < 32:
		return []nodeEdit{allocatable("example.com/gpu", "4"), taint("gpu", "true", corev1.TaintEffectNoSchedule)}
	case i < 36:
		return []nodeEdit{nodeLabels("disk", "ssd"), allocatable("pods", "10")}
	case i < 38:
		return []nodeEdit{cordoned, taint(corev1.TaintNodeUnschedulable, "", corev1.TaintEffectNoSchedule)}
	default:
		return []nodeEdit{allocatable("cpu", "1")}
	}
}

// sort is Pods of one kind in the mix, and what is to become of them.
type sort struct {
	name  string
	count int
	edits func(i int) []podEdit
	// want counts the results; nil leaves them open: they depend on the order of Pods of equal priority.
	want map[report.Result]int
}

// all says that all of them have the result.
func all(result report.Result, count int) map[report.Result]int {
	return map[report.Result]int{result: count}
}

// some says that just so many are bound, and that no node takes the others.
func some(bound, count int) map[report.Result]int {
	return map[report.Result]int{report.ResultBound: bound, report.ResultUnschedulable: count - bound}
}

func (s sort) pods() []*corev1.Pod {
	return several(s.count, func(i int) *corev1.Pod {
		return pod(fmt.Sprintf("%s-%d", s.name, i), append([]podEdit{podLabels("app", s.name)}, s.edits(i)...)...)
	})
}

// alike gives every Pod the same edits.
func alike(edits ...podEdit) func(int) []podEdit {
	return func(int) []podEdit { return edits }
}

// mix is 500 pending Pods for the yard: more than it has room for, so that the last ones, fillers of low priority,
// stay.
func mix() []sort {
	sorts := slices.Concat(ordinarySorts(), volumeSorts(), refusedSorts())
	rest := 500
	for _, s := range sorts {
		rest -= s.count
	}
	return append(sorts, sort{
		name: "filler", count: rest, edits: alike(priorityClass("low"), requests("cpu", "800m", "memory", "256Mi")),
	})
}

func ordinarySorts() []sort {
	web := selector("app", "web")
	const bound = report.ResultBound
	return []sort{
		{name: "web", count: 150, want: all(bound, 150), edits: func(i int) []podEdit {
			edits := []podEdit{requests("cpu", "100m", "memory", "64Mi"), spread(zones, web)}
			if i%3 > 0 {
				edits = append(edits, priorityClass([]string{"high", "highest"}[i%3-1]))
			}
			return edits
		}},
		{name: "general", count: 20, want: all(bound, 20),
			edits: alike(nodeSelector("pool", "general"), requests("cpu", "50m", "memory", "128Mi"))},
		{name: "solo", count: 40, edits: alike(antiAffinity(host, "app", "solo"), requests("cpu", "50m"))},
		{name: "port", count: 40, edits: alike(hostPort(8080, "TCP"), requests("cpu", "50m"))},
		{name: "db", count: 20, want: all(bound, 20), edits: alike(nodeSelector("pool", "db"),
			tolerates("dedicated", "db", corev1.TaintEffectNoSchedule), requests("cpu", "500m"))},
		{name: "gpu", count: 20, want: some(16, 20), edits: alike(requests("example.com/gpu", "1"),
			tolerates("gpu", "true", corev1.TaintEffectNoSchedule))},
		// They come first and can be placed only after those they want to be near.
		{name: "near", count: 5, want: all(bound, 5),
			edits: alike(priorityClass("highest"), affinity(zones, "app", "center"))},
		{name: "center", count: 5, want: all(bound, 5), edits: alike(requests("cpu", "100m"))},
	}
}

func volumeSorts() []sort {
	own := func(prefix string) func(int) []podEdit {
		return func(i int) []podEdit {
			return []podEdit{claims(fmt.Sprintf("%s-%d", prefix, i)), priorityClass("high"), requests("cpu", "50m")}
		}
	}
	card := func(name, class string) func(int) []podEdit { return alike(deviceClaims(name), priorityClass(class)) }
	return []sort{
		{name: "disk", count: 20, want: all(report.ResultBound, 20), edits: own("disk")},
		{name: "onepod", count: 4, want: all(report.ResultBound, 4), edits: own("onepod")},
		{name: "rivals", count: 2, want: some(1, 2), edits: alike(claims("onepod-shared"), priorityClass("high"))},
		{name: "local", count: 5, want: some(4, 5), edits: own("local")},
		{name: "card", count: 1, want: all(report.ResultBound, 1), edits: card("card", "highest")},
		{name: "cards", count: 1, want: all(report.ResultUnschedulable, 1), edits: card("cards", "high")},
		// Devices that are asked for as an extended resource: kube-scheduler makes the claim.
		{name: "drive", count: 3, want: some(2, 3), edits: alike(requests("example.com/drive", "1"))},
	}
}

func refusedSorts() []sort {
	const unschedulable = report.ResultUnschedulable
	return []sort{
		{name: "gated", count: 10, want: all(report.ResultRefused, 10), edits: alike(gates("example.com/quota"))},
		{name: "other", count: 10, want: all(report.ResultSkipped, 10), edits: alike(schedulerName("volcano"))},
		{name: "huge", count: 10, want: all(unschedulable, 10), edits: alike(priorityClass("high"), requests("cpu", "64"))},
		{name: "gold", count: 5, want: all(unschedulable, 5), edits: alike(nodeSelector("pool", "gold"))},
		// Its node is full of a Pod that it could preempt.
		{name: "noble", count: 1, want: all(unschedulable, 1),
			edits: alike(priorityClass("highest"), pinned("n24"), requests("cpu", "2"))},
	}
}

// mixNeeds are the claims, volumes and devices of the mix, and the Pod that fills node n24.
func mixNeeds() []object {
	objects := append(deviceDriver(), driveDriver()...)
	objects = append(objects, deviceClaim("card", "card", 1), deviceClaim("cards", "card", 2),
		onePodClaim("onepod-shared", "disk"), pod("settler", on("n24"), requests("cpu", "4")))
	for i := range 20 {
		objects = append(objects, claim(fmt.Sprintf("disk-%d", i), "disk"))
	}
	for i := range 4 {
		hostname := expr(corev1.LabelHostname, corev1.NodeSelectorOpIn, fmt.Sprintf("n%02d", i+1))
		objects = append(objects, onePodClaim(fmt.Sprintf("onepod-%d", i), "disk"),
			volume(fmt.Sprintf("local-%d", i), "local", hostname))
	}
	for i := range 5 {
		objects = append(objects, claim(fmt.Sprintf("local-%d", i), "local"))
	}
	return objects
}
