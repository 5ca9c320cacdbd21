package engine_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/test/random"
)

func TestDetailsOfGates(t *testing.T) {
	state := stateOf(t, nodeText("a", ""), podText("x", "1", "schedulingGates: [{name: example.com/quota}, {name: scan}]"))
	got := detailsBy(names.SchedulingGates, explain(t, engineOf(t, state, engine.Options{}), podNamed(t, state, "x")))
	want := map[string]report.Details{"": {report.Gate{Name: "example.com/quota"}, report.Gate{Name: "scan"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("details (-want +got)\n%s", diff)
	}
}

// memberText is a Pod of group g.
func memberText(name string, more ...string) string {
	return podText(name, "1", append([]string{"schedulingGroup: {podGroupName: g}"}, more...)...)
}

func gangText(name string, minCount int, more string) string {
	return fmt.Sprintf("apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\n"+
		"metadata: {name: %s, namespace: default, uid: uid-%[1]s}\nspec: {schedulingPolicy: {gang: {minCount: %d}}%s}",
		name, minCount, more)
}

func compositeText(name string, minGroupCount int, more string) string {
	return fmt.Sprintf("apiVersion: scheduling.k8s.io/v1alpha3\nkind: CompositePodGroup\n"+
		"metadata: {name: %s, namespace: default, uid: uid-%[1]s}\nspec: {schedulingPolicy: {gang: {minGroupCount: %d}}%s}",
		name, minGroupCount, more)
}

func TestDetailsOfGangs(t *testing.T) {
	const parent = ", parentCompositePodGroupName: %s"
	tooSmall := report.PodGroupTooSmall{Namespace: "default", Name: "g", MinCount: 4, Pods: 3, Missing: 1, Scheduled: 1,
		Members: []string{"bound", "w", "x"}}
	gates := []featuregate.Feature{features.GenericWorkload}
	trees := []featuregate.Feature{features.GenericWorkload, features.TopologyAwareWorkloadScheduling,
		features.CompositePodGroup}
	for sentence, test := range map[string]struct {
		gates   []featuregate.Feature
		cluster []string
		want    report.Details
	}{
		"the group does not exist": {
			gates: gates,
			want:  report.Details{report.MissingPodGroup{Kind: "PodGroup", Namespace: "default", Name: "g"}},
		},
		"fewer Pods than wanted, of which one has a node": {
			gates:   gates,
			cluster: []string{gangText("g", 4, ""), memberText("w"), memberText("bound", "nodeName: a")},
			want:    report.Details{tooSmall},
		},
		"a finished Pod is none": {
			gates:   gates,
			cluster: []string{gangText("g", 2, ""), memberText("done", "nodeName: a", "\nstatus: {phase: Succeeded}")},
			want: report.Details{report.PodGroupTooSmall{Namespace: "default", Name: "g", MinCount: 2, Pods: 1, Missing: 1,
				Members: []string{"x"}}},
		},
		"three members are named, the others counted": {
			gates:   gates,
			cluster: []string{gangText("g", 6, ""), memberText("w"), memberText("v"), memberText("u"), memberText("z")},
			want: report.Details{report.PodGroupTooSmall{Namespace: "default", Name: "g", MinCount: 6, Pods: 5, Missing: 1,
				Members: []string{"u", "v", "w"}}},
		},
		"enough, counting the Pod with a node": {
			gates:   gates,
			cluster: []string{gangText("g", 3, ""), memberText("w"), memberText("bound", "nodeName: a")},
		},
		"with trees, a group without a parent": {
			gates:   trees,
			cluster: []string{gangText("g", 4, ""), memberText("w"), memberText("bound", "nodeName: a")},
			want:    report.Details{tooSmall},
		},
		"the group above does not exist": {
			gates:   trees,
			cluster: []string{gangText("g", 1, fmt.Sprintf(parent, "top"))},
			want:    report.Details{report.MissingPodGroup{Kind: "CompositePodGroup", Namespace: "default", Name: "top"}},
		},
		"a sibling that is not complete": {
			gates: trees,
			cluster: []string{compositeText("top", 2, ""), compositeText("mid", 1, fmt.Sprintf(parent, "top")),
				gangText("g", 1, fmt.Sprintf(parent, "top")), gangText("h", 3, fmt.Sprintf(parent, "mid"))},
			want: report.Details{
				report.CompositePodGroupTooSmall{Namespace: "default", Name: "top", MinGroupCount: 2, Groups: 2, Complete: 1},
				report.CompositePodGroupTooSmall{Namespace: "default", Name: "mid", MinGroupCount: 1, Groups: 1},
				report.PodGroupTooSmall{Namespace: "default", Name: "h", MinCount: 3, Missing: 3},
			},
		},
		"groups that hold each other": {
			gates: trees,
			cluster: []string{compositeText("one", 1, fmt.Sprintf(parent, "two")), compositeText("two", 1,
				fmt.Sprintf(parent, "one")), gangText("g", 1, fmt.Sprintf(parent, "one"))},
			want: report.Details{report.PodGroupCycle{Namespace: "default", Names: []string{"one", "two"}}},
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			overrides := featuregatetesting.FeatureOverrides{}
			for _, gate := range test.gates {
				overrides[gate] = true
			}
			featuregatetesting.SetFeatureGatesDuringTest(t, utilfeature.DefaultFeatureGate, overrides)
			state := stateOf(t, append(test.cluster, nodeText("a", ""), memberText("x"))...)
			explanation := explain(t, engineOf(t, state, engine.Options{}), podNamed(t, state, "x"))
			if got := detailsBy(names.GangScheduling, explanation)[""]; cmp.Diff(test.want, got) != "" {
				t.Errorf("details (-want +got)\n%s\n%s", cmp.Diff(test.want, got), asJSON(t, explanation.PreFilter))
			}
		})
	}
}

// The plugin looks only at Pods that wait to grow, as those of a node do; here one without a node stands in.
func TestDetailsOfDeferredPods(t *testing.T) {
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate,
		features.InPlacePodVerticalScalingSchedulerPreemption, true)
	state := stateOf(t, nodeText("a", "spec: {podPreemptionPolicy: {disableResizePreemption: [example.com/z, example.com/a]}}"),
		nodeText("b", ""),
		podText("x", "1", "\nstatus: {conditions: [{type: PodResizePending, status: 'True', reason: Deferred}]}"))
	got := detailsBy(names.DeferredPodScheduling,
		explain(t, engineOf(t, state, engine.Options{}), podNamed(t, state, "x")))
	want := map[string]report.Details{
		"a": {report.ResizePreemptionDisabled{Owners: []string{"example.com/a", "example.com/z"}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("details (-want +got)\n%s", diff)
	}
}

// Every gate of a Pod that waits for gates is a detail, in the Pod's order.
func TestDetailsOfGatesAreTrue(t *testing.T) {
	seen := 0
	eachCluster(t, 8, func(t *testing.T, made *random.Cluster) {
		e := engineOf(t, made.State, engine.Options{})
		for _, pod := range made.Pods {
			var want report.Details
			for _, gate := range pod.Spec.SchedulingGates {
				want = append(want, report.Gate{Name: gate.Name})
			}
			if diff := cmp.Diff(want, detailsBy(names.SchedulingGates, explain(t, e, pod))[""]); diff != "" {
				t.Errorf("pod %s/%s (-want +got)\n%s", pod.Namespace, pod.Name, diff)
			}
			seen += len(want)
		}
	})
	if seen == 0 {
		t.Error("no Pod had a gate")
	}
}
