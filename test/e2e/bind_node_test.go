//go:build e2e

package e2e

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// A node that is asked for is judged: one that does not fit is refused with the reasons, unless it is forced.
func TestBindToANode(t *testing.T) {
	ctx := t.Context()
	for name, test := range map[string]struct {
		args   []string
		exit   int
		want   report.Binding
		reason string
		stderr string
	}{
		"that fits": {
			args: []string{"--node", "free"},
			want: report.Binding{Result: report.ResultBound, NodeName: "free", Tries: 1},
		},
		"that does not fit": {
			args: []string{"--node", "full"}, exit: 1,
			want: report.Binding{Result: report.ResultUnschedulable}, reason: "Insufficient cpu",
		},
		"that does not fit, by force": {
			args: []string{"--node", "full", "--force"},
			want: report.Binding{Result: report.ResultBound, NodeName: "full", Forced: true, Tries: 1},
		},
		"that does not exist":           {args: []string{"--node", "nowhere"}, exit: 2, stderr: "--node"},
		"that does not exist, by force": {args: []string{"--node", "nowhere", "--force"}, exit: 2, stderr: "--node"},
	} {
		t.Run(name, func(t *testing.T) {
			x := pod("x", requests("cpu", "2"))
			create(ctx, t, node("full"), node("free"), pod("filler", on("full"), requests("cpu", "3")), x)
			run := runBind(ctx, t, append([]string{"pod/x", "-n", namespace}, test.args...)...)
			run.wantExit(t, test.exit)
			got := resultOf(run.results, x)
			if got.Result != test.want.Result || got.NodeName != test.want.NodeName || got.Forced != test.want.Forced ||
				got.Tries != test.want.Tries || !strings.Contains(got.Reason, test.reason) {
				t.Errorf("the result is %+v, want %+v with reason %q", got, test.want, test.reason)
			}
			if !strings.Contains(run.stderr, test.stderr) || (test.exit == 2 && !strings.Contains(run.stderr, "nowhere")) {
				t.Errorf("stderr is %q, want it to name %q and the node", run.stderr, test.stderr)
			}
			if node := nodeOf(ctx, t, x); node != test.want.NodeName {
				t.Errorf("the Pod is on node %q, want %q", node, test.want.NodeName)
			}
		})
	}
}

// By force a node gets more than it has; then the result says what of and by how much.
func TestBindByForceTellsWhatTheNodeLacks(t *testing.T) {
	ctx := t.Context()
	x := pod("x", requests("cpu", "2"))
	create(ctx, t, node("full"), pod("filler", on("full"), requests("cpu", "3")), x)
	run := runBind(ctx, t, "pod/x", "-n", namespace, "--node", "full", "--force")
	over := resultOf(run.results, x).Overcommitted
	want := report.Overcommitment{Resource: "cpu", Requested: "5", Allocatable: "4", Over: "1"}
	if len(over) != 1 || over[0] != want {
		t.Errorf("the result tells overcommitted %+v, want %+v", over, want)
	}
}

func nodeOf(ctx context.Context, t *testing.T, pod *corev1.Pod) string {
	t.Helper()
	current, err := env.Client.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return current.Spec.NodeName
}
