//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// A Pod for which there is no room has one of lower priority evicted, is nominated to its node meanwhile, and gets it
// when that one is gone.
func TestRunThatPreempts(t *testing.T) {
	ctx := t.Context()
	create(ctx, t, yardClasses()...)
	create(ctx, t, node("n1"))
	settler := pod("settler", on("n1"), priorityClass("low"), requests("cpu", "3"))
	settler.Finalizers = []string{"example.com/hold"} // it ends when the test lets it
	noble := own(pod("noble", priorityClass("high"), requests("cpu", "2")))
	create(ctx, t, settler, noble)
	watch := watchPods(ctx, t)
	checkDryPreemption(ctx, t, settler)

	run := startRun(ctx, t, env.kubectl)
	run.waitFor(ctx, t, "the eviction", func(decisions []report.Decision) bool {
		return countOf(decisions, report.ResultPreempted) == 1 && countOf(decisions, report.ResultUnschedulable) == 1
	})
	checkNominated(ctx, t, lastOf(run.decisions())["noble"], noble)
	checkEvicted(ctx, t, lastOf(run.decisions())["settler"], settler)
	removeMany(ctx, t, []*corev1.Pod{settler})
	run.waitFor(ctx, t, "the Pod to be bound", func(decisions []report.Decision) bool {
		return countOf(decisions, report.ResultBound) == 1
	})
	run.stop(t)
	checkRun(ctx, t, watch, []*corev1.Pod{noble}, run)
	if node := nodeOf(ctx, t, noble); node != "n1" {
		t.Errorf("the Pod is on node %q, want n1", node)
	}
}

// own makes the Pod one that `run` schedules.
func own(pod *corev1.Pod) *corev1.Pod {
	pod.Spec.SchedulerName = ownScheduler
	return pod
}

// checkDryPreemption checks that a dry run says where room could be made, and makes none.
func checkDryPreemption(ctx context.Context, t *testing.T, settler *corev1.Pod) {
	t.Helper()
	dry := pass(ctx, t, "--dry-run=client")
	noble := lastOf(dry.decisions)["noble"]
	if dry.exitCode != 1 || noble.Result != report.ResultUnschedulable || noble.NominatedNodeName != "n1" {
		t.Errorf("the dry run ends with exit code %d, the Pod is %s, nominated to %q; want 1, Unschedulable, n1\nstderr: %s",
			dry.exitCode, noble.Result, noble.NominatedNodeName, dry.stderr)
	}
	stored, err := env.Client.CoreV1().Pods(settler.Namespace).Get(ctx, settler.Name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if stored.ResourceVersion != settler.ResourceVersion {
		t.Error("the dry run has changed the Pod that is in the way")
	}
}

// checkNominated checks that the node waits for the Pod.
func checkNominated(ctx context.Context, t *testing.T, decision report.Decision, noble *corev1.Pod) {
	t.Helper()
	if decision.Result != report.ResultUnschedulable || decision.NominatedNodeName != "n1" || decision.NodeName != "" {
		t.Errorf("the Pod is %s on node %q, nominated to %q; want Unschedulable, nominated to n1", decision.Result,
			decision.NodeName, decision.NominatedNodeName)
	}
	stored, err := env.Client.CoreV1().Pods(noble.Namespace).Get(ctx, noble.Name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if stored.Status.NominatedNodeName != "n1" {
		t.Errorf("the Pod's nominatedNodeName is %q, want n1", stored.Status.NominatedNodeName)
	}
}

// checkEvicted checks what is told, and what is written, of a Pod that makes room for the noble one.
func checkEvicted(ctx context.Context, t *testing.T, decision report.Decision, victim *corev1.Pod) {
	t.Helper()
	by := decision.Preemptor
	if decision.Result != report.ResultPreempted || decision.NodeName != "n1" || by == nil || by.Name != "noble" ||
		by.Namespace != namespace {
		t.Errorf("the victim is %s on node %q by %+v, want Preempted on n1 by noble", decision.Result, decision.NodeName, by)
	}
	stored, err := env.Client.CoreV1().Pods(victim.Namespace).Get(ctx, victim.Name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	marked := slices.ContainsFunc(stored.Status.Conditions, func(condition corev1.PodCondition) bool {
		return condition.Type == corev1.DisruptionTarget && condition.Reason == corev1.PodReasonPreemptionByScheduler
	})
	if stored.DeletionTimestamp == nil || !marked {
		t.Errorf("the victim is terminating: %v, and marked: %v", stored.DeletionTimestamp != nil, marked)
	}
	event := waitEvent(ctx, t, victim, func(event eventsv1.Event) bool { return event.Reason == "Preempted" })
	if event.ReportingController != ownScheduler {
		t.Errorf("the event is of %q, want %s", event.ReportingController, ownScheduler)
	}
}

// waitEvent waits for an event about the Pod that is as wanted.
func waitEvent(ctx context.Context, t *testing.T, pod *corev1.Pod, wanted func(eventsv1.Event) bool) eventsv1.Event {
	t.Helper()
	var found eventsv1.Event
	err := wait.PollUntilContextTimeout(ctx, pollInterval, decisionTimeout, true, func(ctx context.Context) (bool, error) {
		events, err := env.Client.EventsV1().Events(pod.Namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		for _, event := range events.Items {
			if event.Regarding.UID == pod.UID && wanted(event) {
				found = event
				return true, nil
			}
		}
		return false, nil
	})
	if err != nil {
		t.Fatalf("waiting for an event about Pod %s: %v", pod.Name, err)
	}
	return found
}

// The Pods of a gang wait for each other, and are bound when there are enough of them; the permissions that are
// deployed suffice.
func TestRunOfAGang(t *testing.T) {
	ctx := t.Context()
	serveGangs(ctx, t)
	create(ctx, t, node("n1"), node("n2"), gang("crew", 4))
	crew := several(4, func(i int) *corev1.Pod {
		return own(pod(fmt.Sprintf("crew-%d", i), requests("cpu", "1900m"), memberOf("crew")))
	})
	probe := own(pod("probe", requests("cpu", "100m")))
	watch := watchPods(ctx, t)

	run := startRun(ctx, t, deployedKubectl(ctx, t), "--feature-gates=GenericWorkload=true", "-v=2")
	createMany(ctx, t, crew[:3])
	create(ctx, t, probe)
	watch.waitBound(ctx, t, 1)
	for _, pod := range crew[:3] {
		if node := nodeOf(ctx, t, pod); node != "" {
			t.Errorf("Pod %s is on node %s before its gang is complete", pod.Name, node)
		}
	}
	create(ctx, t, crew[3])
	pods := slices.Concat(crew, []*corev1.Pod{probe})
	run.waitFor(ctx, t, "the gang to be bound", func(decisions []report.Decision) bool {
		return countOf(decisions, report.ResultBound) == len(pods)
	})
	run.stop(t)
	checkRun(ctx, t, watch, pods, run)
	wantNothingForbidden(t, run)
}

func wantNothingForbidden(t *testing.T, run *runProcess) {
	t.Helper()
	for line := range strings.Lines(run.stderr.String()) {
		if strings.Contains(line, "forbidden") {
			t.Errorf("something is forbidden: %s", line)
		}
	}
}
