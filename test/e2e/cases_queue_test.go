//go:build e2e

package e2e

import (
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

func preemptionCases() map[string]explainCase {
	gt := corev1.NodeSelectorOpGt
	return map[string]explainCase{
		"a Pod of higher priority": {
			setup: []object{pod("low", on("n20"), requests("cpu", "31"))},
			pod:   pod("x", priorityClass("high"), requests("cpu", "20")),
			want:  report.Unschedulable, preemptsOn: "n20",
		},
		"no more victims than needed": {
			setup: []object{
				pod("low-1", on("n20"), requests("cpu", "4")),
				pod("low-2", on("n20"), requests("cpu", "10")),
				pod("mid", on("n20"), priorityClass("high"), requests("cpu", "10")),
				pod("tiny", on("n20"), requests("cpu", "1")),
			},
			pod:  pod("x", priorityClass("highest"), requests("cpu", "20")),
			want: report.Unschedulable, preemptsOn: "n20",
		},
		"a Pod of the same priority": {
			setup: []object{pod("equal", on("n20"), priorityClass("high"), requests("cpu", "31"))},
			pod:   pod("x", priorityClass("high"), requests("cpu", "20")), want: report.Unschedulable,
		},
		"a Pod that never preempts": {
			setup: []object{pod("low", on("n20"), requests("cpu", "31"))},
			pod:   pod("x", priorityClass("polite"), requests("cpu", "20")), want: report.Unschedulable,
		},
		"victims that would not make enough room": {
			setup: []object{
				pod("low", on("n20"), requests("cpu", "2")),
				pod("equal", on("n20"), priorityClass("high"), requests("cpu", "20")),
			},
			pod: pod("x", priorityClass("high"), requests("cpu", "20")), want: report.Unschedulable,
		},
		"nothing that preemption could mend": {
			pod: pod("x", priorityClass("high"), nodeSelector("pool", "gold")), want: report.Unschedulable,
		},
		"rather a victim that no disruption budget protects": {
			setup: []object{
				&policyv1.PodDisruptionBudget{
					ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "protected"},
					Spec: policyv1.PodDisruptionBudgetSpec{
						MinAvailable: new(intstr.FromInt32(1)),
						Selector:     selector("app", "protected"),
					},
				},
				pod("on-18", on("n18"), podLabels("app", "protected"), requests("cpu", "4")),
				pod("on-20", on("n20"), requests("cpu", "32")),
			},
			pod: pod("x", priorityClass("high"), requests("cpu", "3"),
				nodeTerms(term(expr("generation", gt, "4")))),
			want: report.Unschedulable, preemptsOn: "n20",
		},
		"a victim that holds a host port": {
			setup: []object{pod("low", on("n18"), hostPort(7070, "TCP"))},
			pod:   pod("x", priorityClass("high"), hostPort(7070, "TCP"), pinned("n18")),
			want:  report.Unschedulable, preemptsOn: "n18",
		},
		"a victim that is not wanted near": {
			setup: []object{pod("low", on("n18"), podLabels("app", "loud"))},
			pod:   pod("x", priorityClass("high"), antiAffinity(host, "app", "loud"), nodeSelector("disk", "ssd")),
			want:  report.Unschedulable, preemptsOn: "n18",
		},
	}
}

func queueCases() map[string]explainCase {
	return map[string]explainCase{
		"a scheduling gate": {
			pod: pod("x", gates("example.com/quota")), want: report.Gated,
		},
		"two scheduling gates on a Pod that would not fit": {
			pod: pod("x", gates("example.com/quota", "example.com/image"), requests("cpu", "64")), want: report.Gated,
		},
		"a scheduler that is not there": {
			pod: pod("x", schedulerName("volcano")), want: report.NoProfile,
		},
		"room that a nominated Pod of higher priority waits for": {
			setup: []object{pod("first", priorityClass("highest"), requests("cpu", "30"), nominated("n20"))},
			pod:   pod("x", requests("cpu", "20")), want: report.Unschedulable,
		},
		"room that a nominated Pod of lower priority waits for": {
			setup: []object{pod("later", requests("cpu", "30"), nominated("n20"))},
			pod:   pod("x", priorityClass("highest"), requests("cpu", "20")), want: report.Schedulable,
		},
		"a nominated node of its own": {
			pod: pod("x", requests("cpu", "1"), nodeSelector("pool", "general"), nominated("n06")), want: report.Schedulable,
		},
		"room that a terminating Pod still takes": {
			setup: []object{terminating(pod("ending", on("n20"), requests("cpu", "31")))},
			pod:   pod("x", requests("cpu", "20")), want: report.Unschedulable,
		},
		"room that it has made already, while the victim ends": {
			setup: []object{terminating(pod("ending", on("n20"), requests("cpu", "31"), preempted))},
			pod:   pod("x", priorityClass("high"), requests("cpu", "20"), nominated("n20")), want: report.Unschedulable,
		},
	}
}

func schedulerName(name string) podEdit { return func(p *corev1.Pod) { p.Spec.SchedulerName = name } }

// nominated makes the Pod wait for room on the node, as if it had preempted others there.
func nominated(nodeName string) podEdit {
	return func(p *corev1.Pod) { p.Status.NominatedNodeName = nodeName }
}

// terminating makes the Pod one that is deleted but stays, because a finalizer holds it.
func terminating(p *corev1.Pod) *corev1.Pod {
	p.Finalizers = []string{"example.com/hold"}
	p.DeletionTimestamp = new(metav1.Now())
	return p
}

// preempted marks the Pod as kube-scheduler marks its victims.
func preempted(p *corev1.Pod) {
	p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{
		Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: corev1.PodReasonPreemptionByScheduler,
	})
}
