//go:build e2e

package e2e

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kubectl-sched/kubectl-sched/test/e2e/controlplane"
)

const (
	// decisionTimeout is how long kube-scheduler may take to start and to decide, on a busy machine.
	decisionTimeout = time.Minute
	pollInterval    = 50 * time.Millisecond
)

// decision is what kube-scheduler did with a Pod first.
type decision struct {
	nodeName string // the node it bound the Pod to, or
	note     string // the text of the Pod's FailedScheduling event
}

// startScheduler starts a kube-scheduler, with more flags than it needs, that ends with the test.
func startScheduler(t *testing.T, flags ...string) *controlplane.Process {
	t.Helper()
	scheduler, err := env.StartScheduler(flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(scheduler.Kill)
	return scheduler
}

// waitDecision waits until the scheduler has bound the Pod or written that it cannot.
func waitDecision(ctx context.Context, t *testing.T, scheduler *controlplane.Process, pod *corev1.Pod) decision {
	t.Helper()
	var decided decision
	poll(ctx, t, scheduler, "a decision about Pod "+pod.Name, func(ctx context.Context) (bool, error) {
		var err error
		decided, err = currentDecision(ctx, pod)
		return decided.nodeName != "" || decided.note != "", err
	})
	return decided
}

// waitBound waits until the Pod has a node.
func waitBound(ctx context.Context, t *testing.T, scheduler *controlplane.Process, pod *corev1.Pod) string {
	t.Helper()
	var nodeName string
	poll(ctx, t, scheduler, "Pod "+pod.Name+" to be bound", func(ctx context.Context) (bool, error) {
		current, err := env.Client.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		nodeName = current.Spec.NodeName
		return nodeName != "", nil
	})
	return nodeName
}

// currentDecision reads what the API server knows of the scheduler's decision; it is empty before there is one.
func currentDecision(ctx context.Context, pod *corev1.Pod) (decision, error) {
	// The Pod first: when it is bound, the event of a failure before that is there too.
	current, err := env.Client.CoreV1().Pods(pod.Namespace).Get(ctx, pod.Name, metav1.GetOptions{})
	if err != nil {
		return decision{}, err
	}
	events, err := env.Client.EventsV1().Events(pod.Namespace).List(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("reason", "FailedScheduling").String(),
	})
	if err != nil {
		return decision{}, err
	}
	for _, event := range events.Items {
		if event.Regarding.UID == current.UID {
			return decision{note: event.Note}, nil
		}
	}
	return decision{nodeName: current.Spec.NodeName}, nil
}

// poll asks until done says so, and fails the test after decisionTimeout or when the scheduler ends.
func poll(ctx context.Context, t *testing.T, scheduler *controlplane.Process, what string,
	done wait.ConditionWithContextFunc,
) {
	t.Helper()
	err := wait.PollUntilContextTimeout(ctx, pollInterval, decisionTimeout, true, func(ctx context.Context) (bool, error) {
		if err := scheduler.Exited(); err != nil {
			return false, err
		}
		return done(ctx)
	})
	if err != nil {
		t.Fatalf("waiting for %s: %v", what, err)
	}
}
