package engine_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
)

func TestVerdictOfPodsInTheCluster(t *testing.T) {
	for sentence, test := range map[string]struct {
		cluster []string
		options engine.Options
		want    []string
		message string
	}{
		"a Pod that fits gets the better node": {
			cluster: []string{nodeText("a", ""), nodeText("b", ""), podText("other", "2", "nodeName: a"), podText("x", "1")},
			want:    []string{"Schedulable b", "b Feasible", "a Feasible"},
		},
		"among equal nodes the first by name is named": {
			cluster: []string{nodeText("b", ""), nodeText("a", ""), podText("x", "1")},
			want:    []string{"Schedulable a", "a Feasible", "b Feasible"},
		},
		"every filter that rejects a node is listed, the first is kube-scheduler's": {
			cluster: []string{nodeText("a", "spec: {taints: [{key: k, effect: NoSchedule}]}"), nodeText("b", ""),
				podText("x", "9", "nodeSelector: {kubernetes.io/hostname: b}")},
			want: []string{"Unschedulable", "a Rejected TaintToleration NodeAffinity NodeResourcesFit", "b Rejected NodeResourcesFit"},
			message: "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s). " +
				"preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.",
		},
		"a bound Pod is judged as if it were not there yet": {
			cluster: []string{nodeText("a", ""), nodeText("b", ""), podText("other", "1", "nodeName: b"),
				podText("x", "4", "nodeName: a")},
			want: []string{"Bound a", "a Feasible", "b Rejected NodeResourcesFit"},
		},
		"a bound Pod does not keep itself away": {
			cluster: []string{nodeText("a", ""), claimInUse, podText("x", "1", "nodeName: a", `
  affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [
    {labelSelector: {}, topologyKey: kubernetes.io/hostname}]}}
  volumes: [{name: data, persistentVolumeClaim: {claimName: alone}}]`)},
			want: []string{"Bound a", "a Feasible"},
		},
		"a bound Pod on a node that is not there": {
			cluster: []string{nodeText("a", ""), podText("x", "1", "nodeName: gone")},
			want:    []string{"Bound gone", "a Feasible"},
		},
		"a bound Pod that is being deleted stays bound": {
			cluster: []string{nodeText("a", ""), deleted(podText("x", "1", "nodeName: a"))},
			want:    []string{"Bound a", "a Feasible"},
		},
		"a bound Pod that has finished takes nothing from its node": {
			cluster: []string{nodeText("a", ""), podText("done", "4", "nodeName: a", "\nstatus: {phase: Failed}"), podText("x", "4")},
			want:    []string{"Schedulable a", "a Feasible"},
		},
		"a waiting Pod that is being deleted is passed over": {
			cluster: []string{nodeText("a", ""), deleted(podText("x", "1"))},
			want:    []string{"Unschedulable"},
			message: "skip schedule deleting pod: default/x",
		},
		"a Pod that finished without a node is not looked at": {
			cluster: []string{nodeText("a", ""), podText("x", "1", "\nstatus: {phase: Failed}")},
			want:    []string{"Unschedulable"},
			message: "the Pod has finished (phase Failed): kube-scheduler does not look at it",
		},
		"a Pod of another scheduler has no profile": {
			cluster: []string{nodeText("a", ""), podText("x", "1", "schedulerName: other")},
			want:    []string{"NoProfile"},
			message: `no profile serves schedulerName "other": kube-scheduler leaves the Pod to another scheduler ` +
				"(profiles here: default-scheduler)",
		},
		"a profile that is asked for judges every Pod": {
			cluster: []string{nodeText("a", ""), podText("x", "1", "schedulerName: other")},
			options: engine.Options{Profile: "default-scheduler"},
			want:    []string{"Schedulable a", "a Feasible"},
		},
		"a gated Pod is not judged": {
			cluster: []string{nodeText("a", ""), podText("x", "1", "schedulingGates: [{name: example.com/wait}]")},
			want:    []string{"Gated", "a NotEvaluated"},
			message: "waiting for scheduling gates: [example.com/wait]",
		},
		"a cluster without nodes": {
			cluster: []string{podText("x", "1")},
			want:    []string{"Unschedulable"},
			message: "no nodes available to schedule pods",
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			state := stateOf(t, test.cluster...)
			explanation := explain(t, engineOf(t, state, test.options), podNamed(t, state, "x"))
			if diff := cmp.Diff(test.want, brief(explanation)); diff != "" {
				t.Errorf("verdicts (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(test.message, explanation.Message); diff != "" {
				t.Errorf("message (-want +got)\n%s", diff)
			}
		})
	}
}

const claimInUse = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: alone, namespace: default, uid: uid-alone, annotations: {pv.kubernetes.io/bind-completed: "yes"}}
spec: {volumeName: alone, storageClassName: "", accessModes: [ReadWriteOncePod], resources: {requests: {storage: 1Gi}}}
status: {phase: Bound}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: alone}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOncePod]
  claimRef: {namespace: default, name: alone, uid: uid-alone}
  csi: {driver: csi.example.com, volumeHandle: alone}`

func TestProfileThatIsAskedForMustExist(t *testing.T) {
	_, err := engine.New(t.Context(), stateOf(t, nodeText("a", "")), engine.Options{Profile: "batch"})
	if !errors.Is(err, engine.ErrNoSuchProfile) {
		t.Fatalf("got %v, want %v", err, engine.ErrNoSuchProfile)
	}
	if diff := cmp.Diff(`no profile is named "batch": the profiles are default-scheduler`, err.Error()); diff != "" {
		t.Errorf("error (-want +got)\n%s", diff)
	}
}

func TestPreemption(t *testing.T) {
	const important = "priority: 100"
	state := stateOf(t, nodeText("a", ""), nodeText("b", ""),
		podText("old", "4", "nodeName: a", "\nstatus: {startTime: 2026-01-01T00:00:00Z}"),
		podText("new", "4", "nodeName: b", "\nstatus: {startTime: 2026-01-02T00:00:00Z}"),
		podText("x", "1", important), podText("never", "1", important, "preemptionPolicy: Never"))
	e := engineOf(t, state, engine.Options{})
	t.Run("the younger victim is taken", func(t *testing.T) {
		got := explain(t, e, podNamed(t, state, "x")).Preemption
		if got == nil || !got.Possible || got.NodeName != "b" || len(got.Victims) != 1 || got.Victims[0].Name != "new" {
			t.Errorf("got %+v, want Pod new evicted from node b", got)
		}
	})
	t.Run("a Pod that never preempts is told so", func(t *testing.T) {
		got := explain(t, e, podNamed(t, state, "never")).Preemption
		const want = "preemption: not eligible due to preemptionPolicy=Never."
		if got == nil || got.Possible || got.Message != want {
			t.Errorf("got %+v, want the message %q", got, want)
		}
	})
}
