package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
)

func TestProfilesPluginsDecide(t *testing.T) {
	documents := []string{nodeText("a", "spec: {unschedulable: true}"), nodeText("b", ""),
		podText("other", "3", "nodeName: b", "\nstatus: {startTime: 2026-01-01T00:00:00Z}"),
		podText("x", "2", "priority: 100"), podText("small", "1"), podText("of-batch", "1", "schedulerName: batch")}
	for sentence, test := range map[string]struct {
		config, pod string
		want        []string
		preemption  bool
	}{
		"by default": {pod: "x", config: "profiles: [{schedulerName: default-scheduler}]", preemption: true,
			want: []string{"Unschedulable", "a Rejected NodeUnschedulable", "b Rejected NodeResourcesFit"}},
		"with preemption disabled nobody is evicted": {pod: "x",
			config: "profiles: [{schedulerName: default-scheduler, plugins: {postFilter: {disabled: [{name: '*'}]}}}]",
			want:   []string{"Unschedulable", "a Rejected NodeUnschedulable", "b Rejected NodeResourcesFit"}},
		"a filter that is disabled rejects nothing": {pod: "small",
			config: "profiles: [{schedulerName: default-scheduler, plugins: {filter: {disabled: [{name: NodeUnschedulable}]}}}]",
			want:   []string{"Schedulable a", "a Feasible", "b Feasible"}},
		"without any score plugin all feasible nodes tie": {pod: "small",
			config: "profiles: [{schedulerName: default-scheduler, plugins: {preScore: {disabled: [{name: '*'}]}, " +
				"score: {disabled: [{name: '*'}]}, filter: {disabled: [{name: NodeUnschedulable}]}}}]",
			want: []string{"Schedulable a", "a Feasible", "b Feasible"}},
		"another profile serves its own Pods": {pod: "of-batch",
			config: "profiles: [{schedulerName: default-scheduler}, {schedulerName: batch, " +
				"pluginConfig: [{name: NodeAffinity, args: {addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " +
				"{nodeSelectorTerms: [{matchExpressions: [{key: batch, operator: Exists}]}]}}}}]}]",
			want: []string{"Unschedulable", "a Rejected NodeUnschedulable NodeAffinity", "b Rejected NodeAffinity"}},
		"a profile that is not there": {pod: "of-batch", config: "profiles: [{schedulerName: default-scheduler}]",
			want: []string{"NoProfile"}},
	} {
		t.Run(sentence, func(t *testing.T) {
			state := stateOf(t, documents...)
			e := engineOf(t, state, engine.Options{Config: configOf(t, test.config)})
			explanation := explain(t, e, podNamed(t, state, test.pod))
			if diff := cmp.Diff(test.want, brief(explanation)); diff != "" {
				t.Errorf("verdicts (-want +got)\n%s", diff)
			}
			if got := explanation.Preemption != nil && explanation.Preemption.Possible; got != test.preemption {
				t.Errorf("preemption possible: %v, want %v (%+v)", got, test.preemption, explanation.Preemption)
			}
		})
	}
}

func TestWithoutScorePluginsEveryFeasibleNodeTies(t *testing.T) {
	state := stateOf(t, nodeText("a", ""), nodeText("b", ""), podText("other", "1", "nodeName: a"), podText("x", "1"))
	e := engineOf(t, state, engine.Options{Config: configOf(t, "profiles: [{schedulerName: default-scheduler, plugins: "+
		"{preScore: {disabled: [{name: '*'}]}, score: {disabled: [{name: '*'}]}}}]")})
	explanation := explain(t, e, podNamed(t, state, "x"))
	if diff := cmp.Diff([]string{"a", "b"}, explanation.Ties); diff != "" {
		t.Errorf("ties (-want +got)\n%s", diff)
	}
}
