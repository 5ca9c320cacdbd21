//go:build e2e

package e2e

import "testing"

// The harness itself: kube-scheduler binds a Pod to the only node, and says why it cannot bind a second one.
func TestControlPlaneSchedules(t *testing.T) {
	ctx := t.Context()
	create(ctx, t, node("alone"))
	fits := pod("fits", requests("cpu", "3"))
	create(ctx, t, fits)
	scheduler := startScheduler(t)
	if got := waitDecision(ctx, t, scheduler, fits); got.nodeName != "alone" {
		t.Fatalf("kube-scheduler decided %+v, want the Pod on node alone", got)
	}

	tooBig := pod("too-big", requests("cpu", "2"))
	create(ctx, t, tooBig)
	want := "0/1 nodes are available: 1 Insufficient cpu. " +
		"preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod."
	if got := waitDecision(ctx, t, scheduler, tooBig); got.note != want {
		t.Errorf("kube-scheduler decided %+v, want the note %q", got, want)
	}

	if out := env.kubectl.run(ctx, t, "get", "pod/fits", "-n", namespace, "-o", "name"); out.stdout != "pod/fits\n" {
		t.Errorf("kubectl get: %+v", out)
	}
}
