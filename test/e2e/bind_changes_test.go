//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// A run sees nodes and Pods go while it binds: nothing goes to a node long gone or cordoned, Pods that are gone are told,
// whether or not others have their names, and all that stay are bound.
func TestBindWhileNodesAndPodsGo(t *testing.T) {
	ctx := t.Context()
	pods := crowd(ctx, t, 320)
	removed, cordonedNode := []string{"n05", "n06", "n07"}, "n08"
	createMany(ctx, t, several(4, func(i int) *corev1.Node { return node(fmt.Sprintf("spare-%d", i)) }))
	deleted, stay := pods[len(pods)-30:], pods[:len(pods)-30]
	watch := watchPods(ctx, t)
	running := startBind(ctx, t, env.kubectl, "--pending", "-A")

	watch.waitBound(ctx, t, 20)
	removeNodes(ctx, t, removed)
	cordon(ctx, t, cordonedNode)
	boundBefore := len(watch.order())
	heirs := replace(ctx, t, deleted)
	run := endOf(t, running)
	after := readAftermath(ctx, t)
	watch.catchUp(ctx, t, after)
	wantNone(t, after.lost(stay), after.unbound(stay), after.moved(watch, removed...), after.broken(),
		after.untrue(run.results, stay), untoldDeletions(run.results, deleted))
	t.Logf("%d Pods were bound when the nodes went, exit code %d, results of the deleted Pods: %v",
		boundBefore, run.exitCode, tally(run.results, deleted))
	if left := after.unbound(heirs); len(left) != len(heirs) {
		t.Errorf("of %d Pods that came later under the names of others only %q are not bound", len(heirs), left)
	}

	// Requests in flight, and what the watch has not told yet, may still go to a node that has just gone; no more.
	const inFlight = 60
	for i, uid := range watch.order() {
		pod := after.find(uid)
		if i > boundBefore+inFlight && pod != nil && slices.Contains(append(removed, cordonedNode), pod.Spec.NodeName) {
			t.Errorf("Pod %s was bound to node %s as number %d; the node went after %d",
				pod.Name, pod.Spec.NodeName, i+1, boundBefore)
		}
	}
}

func removeNodes(ctx context.Context, t *testing.T, names []string) {
	t.Helper()
	for _, name := range names {
		if err := env.Client.CoreV1().Nodes().Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

func cordon(ctx context.Context, t *testing.T, name string) {
	t.Helper()
	patch := []byte(`{"spec":{"unschedulable":true}}`)
	_, err := env.Client.CoreV1().Nodes().Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
}

// replace deletes the Pods, and gives the names of the last third to new ones that no node takes.
func replace(ctx context.Context, t *testing.T, pods []*corev1.Pod) (heirs []*corev1.Pod) {
	t.Helper()
	for _, old := range pods {
		err := env.Client.CoreV1().Pods(old.Namespace).Delete(ctx, old.Name, *metav1.NewDeleteOptions(0))
		if err != nil && !apierrors.IsNotFound(err) {
			t.Fatal(err)
		}
	}
	for _, old := range pods[len(pods)*2/3:] {
		heirs = append(heirs, pod(old.Name, requests("cpu", "64")))
	}
	createMany(ctx, t, heirs)
	return heirs
}

// untoldDeletions complains about deleted Pods whose result is neither that they were bound before nor that they are gone.
func untoldDeletions(results []report.Binding, deleted []*corev1.Pod) []string {
	var complaints []string
	for _, pod := range deleted {
		if got := resultOf(results, pod); got.Result != report.ResultBound && got.Result != report.ResultGone {
			complaints = append(complaints, fmt.Sprintf("the result of Pod %s, which was deleted, is %q: %s",
				pod.Name, got.Result, got.Reason))
		}
	}
	return complaints
}
