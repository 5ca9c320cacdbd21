//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// bindTimeout is how long one run of `bind` may take, on a busy machine.
const bindTimeout = 90 * time.Second

// bindRun is a run of `kubectl sched bind -o json`.
type bindRun struct {
	output
	results []report.Binding
}

// runBind runs `kubectl sched bind` with the arguments and waits until it has ended.
func runBind(ctx context.Context, t *testing.T, args ...string) bindRun {
	t.Helper()
	return runBindThrough(ctx, t, env.kubectl, args...)
}

func runBindThrough(ctx context.Context, t *testing.T, kubectl kubectl, args ...string) bindRun {
	t.Helper()
	return endOf(t, startBind(ctx, t, kubectl, args...))
}

// startBind starts `kubectl sched bind`, which then knows all that the test has done before.
func startBind(ctx context.Context, t *testing.T, kubectl kubectl, args ...string) *running {
	t.Helper()
	waitCaches(ctx, t)
	ctx, cancel := context.WithTimeout(ctx, bindTimeout)
	t.Cleanup(cancel)
	return kubectl.start(ctx, t, append([]string{"sched", "bind", "-o", "json"}, args...)...)
}

// endOf waits until a run has ended and reads its results.
func endOf(t *testing.T, running *running) bindRun {
	t.Helper()
	run := bindRun{output: running.wait(t)}
	var err error
	if run.results, err = itemsOf[report.Binding](run.stdout); err != nil {
		t.Fatalf("%q did not print Bindings: %v\nexit code %d\nstdout: %s\nstderr: %s",
			running.cmd.Args, err, run.exitCode, run.stdout, run.stderr)
	}
	for _, result := range run.results {
		if result.Kind != "Binding" {
			t.Fatalf("%q printed a %q, want Bindings only", running.cmd.Args, result.Kind)
		}
	}
	return run
}

// itemsOf reads what -o json printed: nothing, one object, or a List of them.
func itemsOf[T any](stdout string) ([]T, error) {
	if stdout == "" {
		return nil, nil
	}
	var list struct {
		Kind  string
		Items []T
	}
	if err := json.Unmarshal([]byte(stdout), &list); err != nil || list.Kind == "List" {
		return list.Items, err
	}
	var item T
	err := json.Unmarshal([]byte(stdout), &item)
	return []T{item}, err
}

// resultOf returns the result of the Pod; an empty one when there is none.
func resultOf(results []report.Binding, pod *corev1.Pod) report.Binding {
	for _, result := range results {
		if result.Metadata.Namespace == pod.Namespace && result.Metadata.Name == pod.Name {
			return result
		}
	}
	return report.Binding{}
}

// tally counts the results of the Pods.
func tally(results []report.Binding, pods []*corev1.Pod) map[report.Result]int {
	counts := map[report.Result]int{}
	for _, pod := range pods {
		counts[resultOf(results, pod).Result]++
	}
	return counts
}

// wantExit checks how a run ended.
func (r bindRun) wantExit(t *testing.T, code int) {
	t.Helper()
	if r.exitCode != code {
		t.Errorf("bind ended with exit code %d, want %d\nstderr: %s\nnot bound: %s", r.exitCode, code, r.stderr, r.notBound())
	}
}

// notBound tells the first results that are no bindings.
func (r bindRun) notBound() string {
	const limit = 10
	var lines []string
	for _, result := range r.results {
		if result.Result != report.ResultBound {
			lines = append(lines, fmt.Sprintf("  %s %s on %q: %s",
				result.Metadata.Name, result.Result, result.NodeName, result.Reason))
		}
	}
	return fmt.Sprintf("%d\n%s", len(lines), strings.Join(lines[:min(limit, len(lines))], "\n"))
}

// wantNone fails the test with every complaint, but not endlessly.
func wantNone(t *testing.T, complaints ...[]string) {
	t.Helper()
	const limit = 10
	for _, kind := range complaints {
		for i, complaint := range kind {
			if i == limit {
				t.Errorf("... and %d more", len(kind)-limit)
				break
			}
			t.Error(complaint)
		}
	}
}
