//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// What is bound is what was asked for: by name, by label, by profile, and no more than that.
func TestBindOfASelection(t *testing.T) {
	ctx := t.Context()
	const bound, skipped = report.ResultBound, report.ResultSkipped
	for name, test := range map[string]struct {
		args []string
		exit int
		want []report.Result // of web-0, web-1, db, foreign; empty for none
	}{
		"two names":         {args: []string{"pod/web-1", "db"}, want: []report.Result{"", bound, bound, ""}},
		"a label":           {args: []string{"-l", "app=web"}, want: []report.Result{bound, bound, "", ""}},
		"at most one":       {args: []string{"-l", "app=web", "--max=1"}, want: []report.Result{bound, "", "", ""}},
		"no profile serves": {args: []string{"pod/foreign"}, exit: 1, want: []report.Result{"", "", "", skipped}},
		"a profile by name": {
			args: []string{"pod/foreign", "--scheduler-name=default-scheduler"}, want: []report.Result{"", "", "", bound},
		},
		"no events": {args: []string{"pod/db", "--events=false"}, want: []report.Result{"", "", bound, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			pods := []*corev1.Pod{
				pod("web-0", podLabels("app", "web")), pod("web-1", podLabels("app", "web")),
				pod("db", podLabels("app", "db")), pod("foreign", schedulerName("volcano")),
			}
			create(ctx, t, node("only"))
			createMany(ctx, t, pods)
			run := runBind(ctx, t, append(test.args, "-n", namespace)...)
			run.wantExit(t, test.exit)
			got := make([]report.Result, len(pods))
			after := readAftermath(ctx, t)
			for i, pod := range pods {
				result := resultOf(run.results, pod)
				got[i] = result.Result
				if node := after.find(pod.UID).Spec.NodeName; node != told(&result) {
					t.Errorf("Pod %s is on node %q, its result is %s", pod.Name, node, result.Result)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("results of web-0, web-1, db, foreign (-want +got):\n%s", diff)
			}
			if silent := len(after.scheduled[pods[2].UID]) == 0; got[2] == bound && silent != (name == "no events") {
				t.Errorf("the Scheduled event of Pod db is missing: %v", silent)
			}
		})
	}
}

// Without -o a run speaks kubectl's way: a line for a Pod that was named, a table and a sum for many.
func TestBindForReaders(t *testing.T) {
	ctx := t.Context()
	pods := several(3, func(i int) *corev1.Pod { return pod(fmt.Sprintf("web-%d", i), requests("cpu", "2")) })
	create(ctx, t, node("only"))
	createMany(ctx, t, pods)
	waitCaches(ctx, t)
	out := env.kubectl.run(ctx, t, "sched", "bind", "pod/web-0", "-n", namespace)
	if want := "pod/web-0 bound to only\n"; out.exitCode != 0 || out.stdout != want || out.stderr != "" {
		t.Errorf("bind pod/web-0: %+v, want %q and exit code 0", out, want)
	}
	waitCaches(ctx, t)
	out = env.kubectl.run(ctx, t, "sched", "bind", "--pending", "-n", namespace)
	header, _, _ := strings.Cut(out.stdout, "\n")
	want := []string{"NAMESPACE", "POD", "NODE", "RESULT", "TRIES", "REASON"}
	if diff := cmp.Diff(want, strings.Fields(header)); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	if sum := "2 Pods: 1 bound, 1 unschedulable\n"; out.exitCode != 1 || !strings.HasSuffix(out.stderr, sum) {
		t.Errorf("bind --pending: %+v, want exit code 1 and stderr to end in %q", out, sum)
	}
}
