package run_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-sched/kubectl-sched/pkg/run"
)

func TestEveryPodIsDecidedOnWhatTheOthersTake(t *testing.T) {
	const high, low = "priority: 10", "priority: 1"
	affine := `affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [
    {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: z-leader}}}]}}`
	for what, c := range map[string]struct {
		objects []string
		options run.Options
		want    []string
	}{
		"the room on a node is given away once": {
			objects: []string{nodeText("n1"), podText("a", "3"), podText("b", "3")},
			want:    []string{"a Bound n1", "b Unschedulable: 0/1 nodes are available: 1 Insufficient cpu."},
		},
		"the more important Pod comes first": {
			objects: []string{nodeText("n1"), podText("a", "3", low), podText("b", "3", high)},
			want:    []string{"a Unschedulable: 0/1 nodes are available: 1 Insufficient cpu.", "b Bound n1"},
		},
		"among equal nodes the first by name": {
			objects: []string{nodeText("n3"), nodeText("n2"), nodeText("n1"), podText("a", "1")},
			want:    []string{"a Bound n1"},
		},
		"a Pod that needs a later one is taken up again": {
			objects: []string{nodeText("n1"), nodeText("n2"), podText("a", "1", affine), podText("z-leader", "1")},
			want:    []string{"a Bound n1", "z-leader Bound n1"},
		},
		"Pods that need no node, or another's": {
			objects: []string{
				nodeText("n1"), podText("bound", "1", "nodeName: n1"), podText("custom", "1", "schedulerName: mine"),
				podText("done", "1") + "\nstatus: {phase: Succeeded}", podText("gated", "1", "schedulingGates: [{name: wait}]"),
				strings.Replace(podText("going", "1"), "uid:", "deletionTimestamp: 2026-01-01T00:00:00Z, uid:", 1),
				podText("grouped", "1", "schedulingGroup: {podGroupName: team}"),
			},
			want: []string{
				"bound Refused n1: it is on node n1 already",
				"custom Skipped: it is for scheduler mine; --scheduler-name schedules it all the same",
				"done Refused: it has finished (Succeeded)",
				"gated Refused: it is gated: waiting for scheduling gates: [wait]",
				"going Refused: it is being deleted",
				"grouped Refused: it is one of Pod group team, which is bound whole: use --feature-gates GenericWorkload=true",
			},
		},
		"a profile that is asked for schedules any Pod": {
			objects: []string{nodeText("n1"), podText("a", "1", "schedulerName: mine")},
			options: run.Options{Profile: "default-scheduler"},
			want:    []string{"a Bound n1"},
		},
		"no more than asked for": {
			objects: []string{nodeText("n1"), podText("a", "1"), podText("b", "1"), podText("c", "1", high)},
			options: run.Options{Max: 2},
			want:    []string{"a Bound n1", "b Skipped: --max does not let it in", "c Bound n1"},
		},
		"on the one node that is asked for": {
			objects: []string{nodeText("n1"), nodeText("n2"), podText("a", "3"), podText("b", "3")},
			options: run.Options{Node: "n2"},
			want:    []string{"a Bound n2", "b Unschedulable: 0/1 nodes are available: 1 Insufficient cpu."},
		},
		"forced onto a node that is full": {
			objects: []string{nodeText("n1"), nodeText("n2"), podText("a", "30", "nodeSelector: {no: where}")},
			options: run.Options{Node: "n2", Force: true},
			want:    []string{"a Bound n2"},
		},
		"never forced onto a node that does not exist": {
			objects: []string{nodeText("n1"), podText("a", "1")},
			options: run.Options{Node: "n9", Force: true},
			want:    []string{"a Failed: node n9 does not exist"},
		},
		"each on its own node": {
			objects: []string{nodeText("n1"), nodeText("n2"), podText("a", "1"), podText("b", "1")},
			options: run.Options{Nodes: map[types.UID]string{"uid-a": "n2", "uid-b": "n1"}},
			want:    []string{"a Bound n2", "b Bound n1"},
		},
		"Pods of files that lack UIDs": {
			objects: []string{
				nodeText("n1"), strings.Replace(podText("a", "3"), "uid: uid-a,", "", 1),
				strings.Replace(podText("b", "3"), "uid: uid-b,", "", 1),
			},
			want: []string{"a Bound n1", "b Unschedulable: 0/1 nodes are available: 1 Insufficient cpu."},
		},
		"nobody is evicted": {
			objects: []string{nodeText("n1"), podText("a", "4", "nodeName: n1", low), podText("b", "1", high)},
			want: []string{
				"a Refused n1: it is on node n1 already", "b Unschedulable: 0/1 nodes are available: 1 Insufficient cpu.",
			},
		},
	} {
		t.Run(what, func(t *testing.T) {
			state := stateOf(t, c.objects...)
			session := sessionOf(t, state, c.options)
			known, err := session.State()
			if err != nil {
				t.Fatal(err)
			}
			bindings, err := session.Bind(t.Context(), known.Pods)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, lines(bindings)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Volumes and devices that one Pod is to get are not offered to the next one.
func TestClaimsAreAssumed(t *testing.T) {
	state := stateOf(t, nodeText("n1"), nodeText("n2"), localClass, localVolumeText("pv", "n2"),
		localClaimText("one"), localClaimText("two"),
		podText("a", "1", "volumes: [{name: data, persistentVolumeClaim: {claimName: one}}]"),
		podText("b", "1", "volumes: [{name: data, persistentVolumeClaim: {claimName: two}}]"))
	want := []string{
		"a Bound n2",
		"b Unschedulable: 0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind.",
	}
	got := bindAll(t, state, run.Options{})
	for i := range got {
		got[i] = strings.TrimSuffix(got[i], " not found")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A Pod group is bound whole or not at all.
func TestGroupsAreBoundWhole(t *testing.T) {
	withPodGroups(t)
	group := gangText(3)
	member := func(name string) string { return memberText(name, "3") }
	gang := []string{group, member("a"), member("b"), member("c"), podText("single", "1")}
	for what, c := range map[string]struct {
		objects []string
		leave   string
		want    []string
	}{
		"there is room for all": {
			objects: append(gang, nodeText("n1"), nodeText("n2"), nodeText("n3")),
			want:    []string{"a Bound n1", "b Bound n2", "c Bound n3", "single Bound n1"},
		},
		"there is room for some": {
			objects: append(gang, nodeText("n1"), nodeText("n2")),
			want:    []string{"a Unschedulable", "b Unschedulable", "c Unschedulable", "single Bound n1"},
		},
		"some are not asked for": {
			objects: append(gang, nodeText("n1"), nodeText("n2"), nodeText("n3")),
			leave:   "c",
			want:    []string{"a Refused", "b Refused", "single Bound n1"},
		},
		"too few are there": {
			objects: []string{group, member("a"), member("b"), nodeText("n1"), nodeText("n2"), nodeText("n3")},
			want:    []string{"a Refused", "b Refused"},
		},
		"the group does not exist": {
			objects: []string{member("a"), nodeText("n1")},
			want:    []string{"a Refused"},
		},
	} {
		t.Run(what, func(t *testing.T) {
			state := stateOf(t, c.objects...)
			var pods []*corev1.Pod
			for _, pod := range state.Pods {
				if pod.Name != c.leave {
					pods = append(pods, pod)
				}
			}
			bindings, err := sessionOf(t, state, run.Options{}).Bind(t.Context(), pods)
			if err != nil {
				t.Fatal(err)
			}
			got := lines(bindings)
			for i := range got {
				got[i], _, _ = strings.Cut(got[i], ":")
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, strings.Join(lines(bindings), "\n"))
			}
		})
	}
}

func TestNothingIsBegunAfterTheEnd(t *testing.T) {
	state := stateOf(t, nodeText("n1"), podText("a", "1"), podText("b", "1"))
	ctx, stop := context.WithCancel(t.Context())
	stop()
	binder := &fakeBinder{}
	bindings, err := sessionOf(t, state, run.Options{Binder: binder}).Bind(ctx, state.Pods)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want that the run was stopped", err)
	}
	want := []string{
		"a Skipped: not reached before the run was stopped", "b Skipped: not reached before the run was stopped",
	}
	if diff := cmp.Diff(want, lines(bindings)); diff != "" || len(binder.asked) > 0 {
		t.Errorf("bound %v (-want +got):\n%s", binder.asked, diff)
	}
}
