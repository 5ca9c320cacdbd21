//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/clock"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// terminate asks it to end as a kubelet does, and checks that it ends well.
func (r *runProcess) terminate(t *testing.T) {
	t.Helper()
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Errorf("terminating %q: %v", r.cmd.Args, err)
	}
	r.waitEnd(t, 0)
}

// waitEnd waits until the process has ended by itself, and checks how.
func (r *runProcess) waitEnd(t *testing.T, code int) {
	t.Helper()
	select {
	case <-r.done:
	case <-clock.RealClock{}.After(stopTimeout):
		t.Fatalf("%q has not ended in %s", r.cmd.Args, stopTimeout)
	}
	if got := r.cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("%q ended with %s, want exit code %d", r.cmd.Args, r.cmd.ProcessState, code)
	}
	r.stream.check(t)
}

// checkRun checks what must be true when all is over: every Pod is bound, once, no node has more than it can take, and
// the runs have told the truth.
func checkRun(ctx context.Context, t *testing.T, watch *podWatch, pods []*corev1.Pod, runs ...*runProcess) {
	t.Helper()
	after := readAftermath(ctx, t)
	watch.catchUp(ctx, t, after)
	wantNone(t, after.lost(pods), after.unbound(pods), after.moved(watch), after.broken())
	for _, run := range runs {
		wantNone(t, after.mistold(run.decisions()))
	}
}

// mistold complains about Pods of which a run says twice that they are bound, or that they are on a node where they are
// not. Two runs may both say so of a Pod, when they have chosen the same node.
func (a *aftermath) mistold(decisions []report.Decision) []string {
	nodes := map[string]string{}
	for _, pod := range a.pods {
		nodes[pod.Namespace+"/"+pod.Name] = pod.Spec.NodeName
	}
	told := map[string]bool{}
	var complaints []string
	for _, decision := range decisions {
		if decision.Result != report.ResultBound {
			continue
		}
		name := decision.Metadata.Namespace + "/" + decision.Metadata.Name
		if told[name] {
			complaints = append(complaints, fmt.Sprintf("Pod %s is said to be bound twice", name))
		}
		told[name] = true
		if node, exists := nodes[name]; exists && node != decision.NodeName {
			complaints = append(complaints, fmt.Sprintf("Pod %s is said to be bound to %q, and is on %q", name,
				decision.NodeName, node))
		}
	}
	return complaints
}

// beganAt is when the first decision was made.
func beganAt(decisions []report.Decision) time.Time {
	var first time.Time
	for _, decision := range decisions {
		if first.IsZero() || decision.Time.Time.Before(first) {
			first = decision.Time.Time
		}
	}
	return first
}

// waitAllBound waits until all Pods have a node.
func waitAllBound(ctx context.Context, t *testing.T, pods []*corev1.Pod) {
	t.Helper()
	var left []string
	var waiting *aftermath
	err := wait.PollUntilContextTimeout(ctx, pollInterval, decisionTimeout, true, func(ctx context.Context) (bool, error) {
		list, err := env.Client.CoreV1().Pods("").List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName="})
		if err != nil {
			return false, err
		}
		waiting = &aftermath{pods: list.Items}
		left = waiting.unbound(pods)
		return len(left) == 0, nil
	})
	if err != nil {
		t.Fatalf("waiting for all Pods to be bound: %v; %d are not: %.300q; %.1000q", err, len(left), left,
			waiting.blamed(pods))
	}
}

// blamed complains about Pods without a node of which it is written that they could not be scheduled.
func (a *aftermath) blamed(pods []*corev1.Pod) []string {
	var complaints []string
	for _, pod := range pods {
		now := a.find(pod.UID)
		if now == nil || now.Spec.NodeName != "" {
			continue
		}
		for _, condition := range now.Status.Conditions {
			if condition.Type == corev1.PodScheduled {
				complaints = append(complaints, fmt.Sprintf("Pod %s is said to be %s: %s", pod.Name, condition.Reason,
					condition.Message))
			}
		}
	}
	return complaints
}
