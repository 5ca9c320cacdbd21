package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// labeled gives a Pod of podText the label app.
func labeled(app, text string) string {
	return strings.Replace(text, "namespace: default,", "namespace: default, labels: {app: "+app+"},", 1)
}

// budgetText is a PodDisruptionBudget for the Pods with the label app; it allows so many disruptions now.
func budgetText(name, app string, allowed int) string {
	return fmt.Sprintf(`
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: %s, namespace: default}
spec: {minAvailable: 1, selector: {matchLabels: {app: %s}}}
status: {disruptionsAllowed: %d}`, name, app, allowed)
}

func preemptionOf(t *testing.T, state *cluster.State, options engine.Options) *report.Preemption {
	t.Helper()
	return explain(t, engineOf(t, state, options), podNamed(t, state, "x")).Preemption
}

// preemptionLines is what is said of candidates and other nodes, a line each.
func preemptionLines(preemption *report.Preemption) []string {
	lines := []string{strings.TrimSpace(fmt.Sprintf("%s%s", preemption.Reason, preemption.NodeName))}
	for _, pod := range preemption.WaitsFor {
		lines = append(lines, fmt.Sprintf("waits for %s/%s (%d) on %s", pod.Namespace, pod.Name, pod.Priority, pod.NodeName))
	}
	for _, c := range preemption.Candidates {
		line := fmt.Sprintf("%s: %d violations", c.NodeName, c.PDBViolations)
		for _, v := range c.Victims {
			line += fmt.Sprintf(", %s (%d)", v.Name, v.Priority)
			if v.ViolatesPDB {
				line += " violates " + strings.Join(v.PDBs, "+")
			}
			if v.Terminating {
				line += " terminating"
			}
		}
		lines = append(lines, line)
	}
	for _, group := range preemption.Nodes {
		lines = append(lines, strings.Join(slices.DeleteFunc([]string{string(group.Reason), group.Plugin,
			strings.Join(group.Reasons, ", "), strings.Join(group.Nodes, " ")}, func(s string) bool { return s == "" }), "; "))
	}
	return lines
}

func TestWhyPreemption(t *testing.T) {
	const started = "\nstatus: {phase: Running, startTime: 2026-01-0%dT00:00:00Z}"
	const evicted = "\nstatus: {conditions: [{type: DisruptionTarget, status: 'True', reason: PreemptionByScheduler}]}"
	const large, small = "4", "2"
	for sentence, test := range map[string]struct {
		objects []string
		config  string
		want    []string
	}{
		"candidates are ranked by violations, highest priority, sum, number, start and name": {
			objects: []string{
				nodeText("a", ""), labeled("web", podText("a1", large, "nodeName: a", "priority: -9")), budgetText("web", "web", 0),
				nodeText("b", ""), podText("b1", large, "nodeName: b", "priority: 5"),
				nodeText("c", ""), podText("c1", "3", "nodeName: c", "priority: 4"),
				podText("c2", "1", "nodeName: c", "priority: 3"),
				nodeText("d", ""), podText("d1", large, "nodeName: d", "priority: 4", fmt.Sprintf(started, 1)),
				nodeText("f", ""), podText("f1", large, "nodeName: f", "priority: 4", fmt.Sprintf(started, 2)),
				nodeText("e", ""), podText("e1", large, "nodeName: e", "priority: 4", fmt.Sprintf(started, 2)),
				podText("x", large, "priority: 10"),
			},
			want: []string{
				"e", "e: 0 violations, e1 (4)", "f: 0 violations, f1 (4)", "d: 0 violations, d1 (4)",
				"c: 0 violations, c1 (4), c2 (3)", "b: 0 violations, b1 (5)", "a: 1 violations, a1 (-9) violates web",
			},
		},
		"every budget that an eviction would violate is named, and none that it would not": {
			objects: []string{
				nodeText("a", ""),
				labeled("web", podText("a1", small, "nodeName: a", fmt.Sprintf(started, 1))),
				labeled("web", podText("a2", small, "nodeName: a", fmt.Sprintf(started, 2))),
				budgetText("roomy", "web", 5), budgetText("full-2", "web", 0), budgetText("full-1", "web", 0),
				budgetText("other", "db", 0), podText("x", large, "priority: 10"),
			},
			want: []string{"a", "a: 2 violations, a1 (0) violates full-1+full-2, a2 (0) violates full-1+full-2"},
		},
		"a budget that allows one eviction is violated by the second, the less important Pod": {
			objects: []string{
				nodeText("a", ""), budgetText("web", "web", 1), podText("x", large, "priority: 10"),
				labeled("web", podText("young", small, "nodeName: a", fmt.Sprintf(started, 2))),
				labeled("web", podText("old", small, "nodeName: a", fmt.Sprintf(started, 1))),
			},
			want: []string{"a", "a: 1 violations, old (0), young (0) violates web"},
		},
		"a victim that is being deleted already is marked": {
			objects: []string{nodeText("a", ""), deleted(podText("a1", large, "nodeName: a")),
				podText("x", "1", "priority: 10")},
			want: []string{"a", "a: 0 violations, a1 (0) terminating"},
		},
		"a Pod that never preempts": {
			objects: []string{nodeText("a", ""), podText("a1", large, "nodeName: a"),
				podText("x", "1", "priority: 10", "preemptionPolicy: Never")},
			want: []string{"PolicyNever"},
		},
		"the victims of an earlier preemption are not gone yet": {
			objects: []string{nodeText("a", ""), nodeText("b", ""),
				deleted(podText("a1", "3", "nodeName: a", "priority: 1", evicted)), podText("b1", large, "nodeName: b"),
				podText("a2", "1", "nodeName: a", "priority: 1"),
				podText("x", large, "priority: 10", "\nstatus: {nominatedNodeName: a}")},
			want: []string{"VictimTerminating", "waits for default/a1 (1) on a"},
		},
		"a Pod that is terminating for another cause is not waited for": {
			objects: []string{nodeText("a", ""), nodeText("b", ""),
				deleted(podText("a1", large, "nodeName: a", "priority: 1")), podText("b1", large, "nodeName: b"),
				podText("x", large, "priority: 10", "\nstatus: {nominatedNodeName: a}")},
			want: []string{"b", "b: 0 violations, b1 (0)", "a: 0 violations, a1 (1) terminating"},
		},
		"no Pod has a lower priority": {
			objects: []string{nodeText("a", ""), nodeText("b", ""), nodeText("c", "spec: {unschedulable: true}"),
				podText("a1", large, "nodeName: a"), podText("b1", large, "nodeName: b", "priority: 20"),
				podText("c1", large, "nodeName: c", "priority: -1"),
				podText("x", "1")},
			want: []string{"NoLowerPriority", "NoLowerPriority; a b",
				"Unresolvable; NodeUnschedulable; node(s) were unschedulable; c"},
		},
		"every node is rejected whatever is evicted": {
			objects: []string{nodeText("a", "spec: {unschedulable: true}"),
				nodeText("b", "spec: {taints: [{key: k, effect: NoSchedule}]}"),
				podText("a1", large, "nodeName: a"), podText("x", "1", "priority: 10")},
			want: []string{"NotHelpful", "Unresolvable; NodeUnschedulable; node(s) were unschedulable; a",
				"Unresolvable; TaintToleration; node(s) had untolerated taint(s); b"},
		},
		"PreFilter leaves no node": {
			objects: []string{nodeText("a", ""), podText("a1", large, "nodeName: a"), podText("x", "1", "priority: 10",
				"volumes: [{name: data, persistentVolumeClaim: {claimName: missing}}]")},
			want: []string{"NotHelpful", `Unresolvable; VolumeRestrictions; persistentvolumeclaim "missing" not found; a`},
		},
		"a node rejects the Pod even without all Pods of lower priority": {
			objects: []string{nodeText("a", ""), nodeText("b", ""), nodeText("c", ""),
				podText("a1", "3", "nodeName: a", "priority: 10"), podText("a2", "1", "nodeName: a"),
				podText("b1", "3", "nodeName: b", "priority: 10"), podText("b2", "1", "nodeName: b"),
				podText("c1", "4", "nodeName: c", "priority: 10"), podText("x", "2", "priority: 10")},
			want: []string{"StillRejected", "NoLowerPriority; c", "StillRejected; NodeResourcesFit; Insufficient cpu; a b"},
		},
		"the profile has no DefaultPreemption": {
			objects: []string{nodeText("a", ""), podText("a1", large, "nodeName: a"), podText("x", "1", "priority: 10")},
			config: "profiles: [{schedulerName: default-scheduler, plugins: {postFilter: {" +
				"disabled: [{name: DefaultPreemption}]}}}]\n",
			want: []string{"Disabled"},
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			var options engine.Options
			if test.config != "" {
				options.Config = configOf(t, test.config)
			}
			got := preemptionLines(preemptionOf(t, stateOf(t, test.objects...), options))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("preemption (-want +got)\n%s", diff)
			}
		})
	}
}

// An extender may refuse candidates, and may be the one that rejects a node: evicting is then no help.
func TestWhyPreemptionWithExtenders(t *testing.T) {
	state := stateOf(t, nodeText("a", ""), nodeText("b", ""), podText("on-a", "4", "nodeName: a"),
		podText("on-b", "4", "nodeName: b", "priority: 1"), podText("x", "1", "priority: 100"))
	notA := func(args *extenderv1.ExtenderPreemptionArgs) *extenderv1.ExtenderPreemptionResult {
		delete(args.NodeNameToMetaVictims, "a")
		return &extenderv1.ExtenderPreemptionResult{NodeNameToMetaVictims: args.NodeNameToMetaVictims}
	}
	none := func(*extenderv1.ExtenderPreemptionArgs) *extenderv1.ExtenderPreemptionResult {
		return &extenderv1.ExtenderPreemptionResult{}
	}
	for sentence, test := range map[string]struct {
		preempt func(*extenderv1.ExtenderPreemptionArgs) *extenderv1.ExtenderPreemptionResult
		want    []string
	}{
		"the extender refuses the best candidate": {
			preempt: notA,
			want:    []string{"b", "b: 0 violations, on-b (1)", "ExtenderRejects; EXTENDER; a"},
		},
		"the extender refuses all": {
			preempt: none,
			want:    []string{"ExtenderRejects", "ExtenderRejects; EXTENDER; a b"},
		},
		"the extender fails, which refuses all": {want: []string{"ExtenderRejects", "ExtenderRejects; EXTENDER; a b"}},
	} {
		t.Run(sentence, func(t *testing.T) {
			options := extended(t, anExtender{preempt: test.preempt}, "preemptVerb: preempt")
			got := preemptionLines(preemptionOf(t, state, options))
			url := options.Config.KubeSchedulerConfiguration.Extenders[0].URLPrefix
			for i := range got {
				got[i] = strings.ReplaceAll(got[i], url, "EXTENDER")
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("preemption (-want +got)\n%s", diff)
			}
		})
	}
	t.Run("a filter of the extender rejects the node", func(t *testing.T) {
		state := stateOf(t, nodeText("a", ""), podText("on-a", "1", "nodeName: a"), podText("x", "1", "priority: 100"))
		failed := &extenderv1.ExtenderFilterResult{
			NodeNames: &[]string{}, FailedNodes: extenderv1.FailedNodesMap{"a": "no license"}}
		got := preemptionLines(preemptionOf(t, state, extended(t, anExtender{filter: failed}, extenderFilters)))
		if diff := cmp.Diff([]string{"Failed", "Failed; no license; a"}, got); diff != "" {
			t.Errorf("preemption (-want +got)\n%s", diff)
		}
	})
}

// The search for candidates ends after a thousand; every other node is told of all the same.
func TestPreemptionOnManyNodes(t *testing.T) {
	const many = 1005
	state := stateOf(t, podText("x", "4", "priority: 100"))
	for i := range many {
		node, pod := &corev1.Node{}, &corev1.Pod{}
		node.Name = fmt.Sprintf("n%04d", i)
		node.Status.Allocatable = corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourcePods: resource.MustParse("10")}
		pod.Namespace, pod.Name, pod.UID = "default", "on-"+node.Name, types.UID(node.Name)
		pod.Spec.NodeName = node.Name
		pod.Spec.Containers = []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1")}}}}
		state.Nodes, state.Pods = append(state.Nodes, node), append(state.Pods, pod)
	}
	refuses := func(*extenderv1.ExtenderPreemptionArgs) *extenderv1.ExtenderPreemptionResult {
		return &extenderv1.ExtenderPreemptionResult{}
	}
	for sentence, test := range map[string]struct {
		options  engine.Options
		possible bool
		reason   report.PreemptionReason
	}{
		"candidates enough":                   {engine.Options{}, true, ""},
		"candidates that an extender refuses": {extended(t, anExtender{preempt: refuses}, "preemptVerb: preempt"), false, report.ExtenderRejects},
	} {
		t.Run(sentence, func(t *testing.T) {
			got := explain(t, engineOf(t, state, test.options), podNamed(t, state, "x")).Preemption
			if got.Possible != test.possible || got.Reason != test.reason {
				t.Errorf("possible %v, reason %q, want %v, %q", got.Possible, got.Reason, test.possible, test.reason)
			}
			told, notTried := len(got.Candidates), 0
			for _, group := range got.Nodes {
				told += len(group.Nodes)
				if group.Reason == report.NotTried {
					notTried += len(group.Nodes)
				}
			}
			if told != many || notTried != many-1000 {
				t.Errorf("%d nodes are told of, %d as not tried; want %d and %d", told, notTried, many, many-1000)
			}
		})
	}
}
