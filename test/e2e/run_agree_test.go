//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/test/e2e/controlplane"
)

// Why a Pod has no node is told in the same words by the stream, by `kubectl sched explain`, in the Pod's condition and in
// its event.
func TestRunSaysWhatExplainSays(t *testing.T) {
	ctx := t.Context()
	needs := bagNeeds()
	create(ctx, t, slices.Concat(shop(), arena(), needs)...)
	waitVolumes(ctx, t, needs)
	pods := bag()
	createMany(ctx, t, pods)
	before := explainPending(ctx, t)
	run := startRun(ctx, t, env.kubectl)
	run.waitFor(ctx, t, "a decision about every Pod", func(decisions []report.Decision) bool {
		return countOf(decisions, report.ResultUnschedulable) == len(pods)
	})
	said := lastOf(run.decisions())
	if noble := said["noble"]; noble.NominatedNodeName != "arena" {
		t.Errorf("the decision about Pod noble is %+v, want node arena nominated", noble)
	}
	after := explainPending(ctx, t)
	after["noble"] = before["noble"] // it has made its room meanwhile, and explain says so
	wantNone(t, disagreements(said, pods, "explain before", before), disagreements(said, pods, "explain after", after))
	waitTold(ctx, t, said, pods)
	run.stop(t)
	t.Logf("%d Pods, %d decisions, %d messages", len(pods), len(run.decisions()), len(messagesOf(run.decisions())))
}

// waitTold waits until the conditions and the events of the Pods, which are written by and by, say what was decided.
func waitTold(ctx context.Context, t *testing.T, said map[string]report.Decision, pods []*corev1.Pod) {
	t.Helper()
	var conditions, events []string
	_ = wait.PollUntilContextTimeout(ctx, pollInterval, decisionTimeout, true, func(context.Context) (bool, error) {
		conditions = disagreements(said, pods, "the condition", conditionsOf(ctx, t))
		events = disagreements(asNotes(said), pods, "the event", notesOf(ctx, t))
		return len(conditions)+len(events) == 0, nil
	})
	wantNone(t, conditions, events)
}

// disagreements says which Pods have another message elsewhere.
func disagreements(said map[string]report.Decision, pods []*corev1.Pod, where string, messages map[string]string) []string {
	var complaints []string
	for _, pod := range pods {
		if diff := cmp.Diff(said[pod.Name].Message, messages[pod.Name]); diff != "" {
			complaints = append(complaints, fmt.Sprintf("message about Pod %s (-run +%s):\n%s", pod.Name, where, diff))
		}
	}
	return complaints
}

// asNotes cuts the messages as kube-scheduler does for events.
func asNotes(said map[string]report.Decision) map[string]report.Decision {
	notes := map[string]report.Decision{}
	for name, decision := range said {
		decision.Message = asNote(decision.Message)
		notes[name] = decision
	}
	return notes
}

// messagesOf returns the different messages.
func messagesOf(decisions []report.Decision) map[string]bool {
	messages := map[string]bool{}
	for _, decision := range decisions {
		messages[decision.Message] = true
	}
	return messages
}

// explainPending returns what `explain` says of the Pods that have no node, by their names.
func explainPending(ctx context.Context, t *testing.T) map[string]string {
	t.Helper()
	waitCaches(ctx, t)
	out := env.kubectl.run(ctx, t, "sched", "explain", "--pending", "-A", "--scheduler-name=default-scheduler", "-o", "json")
	all, err := itemsOf[report.Explanation](out.stdout)
	if err != nil {
		t.Fatalf("explain did not print Explanations: %v\n%+v", err, out)
	}
	messages := map[string]string{}
	for _, one := range all {
		messages[one.Metadata.Name] = one.Message
	}
	return messages
}

// notesOf returns the texts of the events FailedScheduling, by the Pods' names.
func notesOf(ctx context.Context, t *testing.T) map[string]string {
	t.Helper()
	events, err := env.Client.EventsV1().Events(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	notes := map[string]string{}
	for _, event := range events.Items {
		if event.Reason == "FailedScheduling" && event.ReportingController == ownScheduler {
			notes[event.Regarding.Name] = event.Note
		}
	}
	return notes
}

// conditionsOf returns why Pods are not scheduled by their conditions, by their names.
func conditionsOf(ctx context.Context, t *testing.T) map[string]string {
	t.Helper()
	pods, err := env.Client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	messages := map[string]string{}
	for _, pod := range pods.Items {
		for _, condition := range pod.Status.Conditions {
			if condition.Type == corev1.PodScheduled {
				messages[pod.Name] = condition.Message
			}
		}
	}
	return messages
}

// A single pass says by its exit code whether all Pods are bound, and a dry run changes nothing.
func TestRunOnce(t *testing.T) {
	ctx := t.Context()
	create(ctx, t, node("n1"))
	fits := own(pod("fits", requests("cpu", "1")))
	huge := own(pod("huge", requests("cpu", "64")))
	create(ctx, t, fits, pod("other", requests("cpu", "1")))
	t.Run("a dry run of Pods of which one does not fit", func(t *testing.T) {
		create(ctx, t, huge)
		before := resourceVersions(ctx, t)
		run := pass(ctx, t, "--dry-run=client")
		if diff := cmp.Diff(before, resourceVersions(ctx, t)); diff != "" {
			t.Errorf("resource versions (-before +after):\n%s", diff)
		}
		run.want(t, 1, map[string]report.Result{"fits": report.ResultBound, "huge": report.ResultUnschedulable})
		for _, decision := range run.decisions {
			if decision.DryRun != report.DryRunClient {
				t.Errorf("the decision %+v does not say that it is one of a dry run", decision)
			}
		}
	})
	t.Run("all fit", func(t *testing.T) {
		run := pass(ctx, t)
		run.want(t, 0, map[string]report.Result{"fits": report.ResultBound})
		if node := nodeOf(ctx, t, fits); node != "n1" {
			t.Errorf("the Pod is on node %q, want n1", node)
		}
	})
	t.Run("one does not fit", func(t *testing.T) {
		huge.ResourceVersion, huge.UID = "", ""
		create(ctx, t, huge)
		run := pass(ctx, t)
		run.want(t, 1, map[string]report.Result{"huge": report.ResultUnschedulable})
		note := notesOf(ctx, t)["huge"] // written before it ends
		if want := run.decisions[0].Message; note != want {
			t.Errorf("the event says %q, want %q", note, want)
		}
	})
	t.Run("none waits", func(t *testing.T) {
		run := pass(ctx, t)
		run.want(t, 0, map[string]report.Result{})
	})
	t.Run("there is no server", func(t *testing.T) {
		nobody := filepath.Join(t.TempDir(), "kubeconfig")
		config := &rest.Config{Host: "https://" + freeAddress(t)}
		if err := controlplane.WriteKubeconfig(config, nobody); err != nil {
			t.Fatal(err)
		}
		run := passThrough(ctx, t, env.kubectl.through(nobody))
		run.want(t, 2, map[string]report.Result{})
		if !strings.Contains(run.stderr, "connection refused") {
			t.Errorf("stderr is %q, want it to say that nobody answers", run.stderr)
		}
	})
}

// want checks how a pass ended, and what became of each Pod.
func (r passRun) want(t *testing.T, code int, want map[string]report.Result) {
	t.Helper()
	got := map[string]report.Result{}
	for name, decision := range lastOf(r.decisions) {
		got[name] = decision.Result
	}
	if diff := cmp.Diff(want, got); r.exitCode != code || diff != "" {
		t.Errorf("exit code %d, want %d; results (-want +got):\n%s\nstderr: %s", r.exitCode, code, diff, r.stderr)
	}
}
