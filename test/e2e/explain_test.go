//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/test/e2e/controlplane"
)

// explainCase is one Pod that is explained first and given to kube-scheduler then.
type explainCase struct {
	// setup is what the case needs beside the shop.
	setup []object
	pod   *corev1.Pod
	// want is the verdict, so that a case cannot pass for another reason than its own.
	want report.Verdict
	// preemptsOn is the node on which kube-scheduler makes room; empty when it cannot.
	preemptsOn string
}

// What `kubectl sched explain` says of a Pod is what kube-scheduler then does: the message is word for word that of the
// FailedScheduling event, and a Pod that is called schedulable gets one of the best nodes.
func TestExplainAgreesWithKubeScheduler(t *testing.T) {
	create(t.Context(), t, shop()...)
	t.Run("a Pod that has a node", func(t *testing.T) {
		said := explain(t.Context(), t, pod("web-1"))
		if said.Verdict != report.Bound || said.NodeName != "n01" {
			t.Errorf("explain says %s on node %q, want Bound on n01", said.Verdict, said.NodeName)
		}
	})
	for _, topic := range []struct {
		name  string
		cases map[string]explainCase
	}{
		{"resources", resourceCases()},
		{"nodes", nodeCases()},
		{"ports", portCases()},
		{"affinity", affinityCases()},
		{"spread", spreadCases()},
		{"volumes", volumeCases()},
		{"preemption", preemptionCases()},
		{"devices", deviceCases()},
		{"queue", queueCases()},
	} {
		t.Run(topic.name, func(t *testing.T) {
			for _, name := range slices.Sorted(maps.Keys(topic.cases)) {
				t.Run(name, func(t *testing.T) { topic.cases[name].check(t.Context(), t) })
			}
		})
	}
}

// check explains the Pod while no kube-scheduler runs, starts one and compares.
func (c explainCase) check(ctx context.Context, t *testing.T) {
	t.Helper()
	create(ctx, t, c.setup...)
	waitVolumes(ctx, t, c.setup)
	create(ctx, t, c.pod)
	said := explain(ctx, t, c.pod)
	if said.Verdict != c.want {
		t.Errorf("explain says %s, want %s: %q", said.Verdict, c.want, said.Message)
	}

	scheduler := startScheduler(t)
	switch c.want {
	case report.Schedulable:
		checkBound(t, c.pod, said, waitDecision(ctx, t, scheduler, c.pod))
	case report.Unschedulable:
		checkNote(t, said, waitDecision(ctx, t, scheduler, c.pod))
		c.checkPreemption(ctx, t, said, scheduler)
	default:
		checkIgnored(ctx, t, scheduler, c.pod)
	}
}

// explain runs `kubectl sched explain pod/NAME -o json` and checks that the exit code tells the verdict too.
func explain(ctx context.Context, t *testing.T, pod *corev1.Pod) report.Explanation {
	t.Helper()
	waitCaches(ctx, t)
	out := env.kubectl.run(ctx, t, "sched", "explain", "pod/"+pod.Name, "-n", pod.Namespace, "-o", "json")
	var explanation report.Explanation
	if err := json.Unmarshal([]byte(out.stdout), &explanation); err != nil {
		t.Fatalf("explain did not print an Explanation: %v\nexit code %d\nstdout: %s\nstderr: %s",
			err, out.exitCode, out.stdout, out.stderr)
	}
	wantExit := 1
	if explanation.Verdict == report.Schedulable || explanation.Verdict == report.Bound {
		wantExit = 0
	}
	if out.exitCode != wantExit {
		t.Errorf("explain says %s with exit code %d, want %d\nstderr: %s",
			explanation.Verdict, out.exitCode, wantExit, out.stderr)
	}
	return explanation
}

func checkBound(t *testing.T, pod *corev1.Pod, said report.Explanation, did decision) {
	t.Helper()
	named := said.Ties
	if len(named) == 0 {
		named = []string{said.NodeName}
	}
	if !slices.Contains(named, did.nodeName) {
		t.Errorf("kube-scheduler bound the Pod to %q (note %q), explain named %q", did.nodeName, did.note, named)
	}
	if best := bestNodes(said); !slices.Equal(named, best) && said.NodeName != pod.Status.NominatedNodeName {
		t.Errorf("explain named %q, by its own totals the best nodes are %q", named, best)
	}
}

// bestNodes returns the feasible nodes with the highest total, sorted by name.
func bestNodes(said report.Explanation) []string {
	var best []string
	var highest int64
	for _, node := range said.Nodes {
		switch {
		case node.Verdict != report.Feasible:
		case len(best) == 0 || node.Total > highest:
			best, highest = []string{node.Name}, node.Total
		case node.Total == highest:
			best = append(best, node.Name)
		}
	}
	slices.Sort(best)
	return best
}

func checkNote(t *testing.T, said report.Explanation, did decision) {
	t.Helper()
	if did.nodeName != "" {
		t.Fatalf("kube-scheduler bound the Pod to %s, explain says %q", did.nodeName, said.Message)
	}
	if diff := cmp.Diff(did.note, asNote(said.Message)); diff != "" {
		t.Errorf("message (-kube-scheduler +explain):\n%s", diff)
	}
	if len(said.PreFilter) > 0 {
		return // the note does not tell then which nodes were looked at
	}
	if reasons := firstReasons(said); !strings.HasPrefix(said.Message, reasons) {
		t.Errorf("the first reasons of the nodes add up to %q, the message is %q", reasons, said.Message)
	}
}

// asNote cuts a message as kube-scheduler does for an event; the Pod's condition has all of it.
func asNote(message string) string {
	const limit, dots = 1024, " ..."
	if len(message) <= limit {
		return message
	}
	return message[:limit-len(dots)] + dots
}

// firstReasons counts the reasons of each node's first rejection, in the form of kube-scheduler's note.
func firstReasons(said report.Explanation) string {
	counts := map[string]int{}
	for _, node := range said.Nodes {
		if len(node.Filters) == 0 {
			continue
		}
		for _, reason := range node.Filters[0].Reasons {
			counts[reason]++
		}
	}
	lines := make([]string, 0, len(counts))
	for reason, count := range counts {
		lines = append(lines, fmt.Sprintf("%d %s", count, reason))
	}
	slices.Sort(lines)
	return fmt.Sprintf("0/%d nodes are available: %s.", len(said.Nodes), strings.Join(lines, ", "))
}

// checkPreemption checks the node on which kube-scheduler makes room, and that just the named victims go.
func (c explainCase) checkPreemption(ctx context.Context, t *testing.T, said report.Explanation,
	scheduler *controlplane.Process,
) {
	t.Helper()
	preemption := said.Preemption
	if preemption == nil {
		preemption = &report.Preemption{}
	}
	if preemption.NodeName != c.preemptsOn || preemption.Possible != (c.preemptsOn != "") {
		t.Errorf("explain says preemption %+v, want it on node %q", *preemption, c.preemptsOn)
	}
	if c.preemptsOn == "" {
		return
	}
	if got := waitBound(ctx, t, scheduler, c.pod); got != c.preemptsOn {
		t.Errorf("kube-scheduler made room on %s, want %s", got, c.preemptsOn)
	}
	named := []string{}
	for _, victim := range preemption.Victims {
		named = append(named, victim.Name)
	}
	slices.Sort(named)
	if diff := cmp.Diff(c.gone(ctx, t), named); diff != "" {
		t.Errorf("victims (-kube-scheduler +explain):\n%s", diff)
	}
}

// gone returns the names of the case's own Pods that exist no more.
func (c explainCase) gone(ctx context.Context, t *testing.T) []string {
	t.Helper()
	names := []string{}
	for _, o := range c.setup {
		victim, isPod := o.(*corev1.Pod)
		if !isPod {
			continue
		}
		_, err := env.Client.CoreV1().Pods(victim.Namespace).Get(ctx, victim.Name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			names = append(names, victim.Name)
		case err != nil:
			t.Fatal(err)
		}
	}
	slices.Sort(names)
	return names
}

// checkIgnored checks that kube-scheduler leaves the Pod alone: it decides about a Pod that came later, and not about
// this one.
func checkIgnored(ctx context.Context, t *testing.T, scheduler *controlplane.Process, ignored *corev1.Pod) {
	t.Helper()
	probe := pod("probe")
	create(ctx, t, probe)
	waitBound(ctx, t, scheduler, probe)
	got, err := currentDecision(ctx, ignored)
	if err != nil {
		t.Fatal(err)
	}
	if got != (decision{}) {
		t.Errorf("kube-scheduler decided %+v about a Pod it should not look at", got)
	}
}
