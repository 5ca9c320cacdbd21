package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// rejectors are the plugins of rejections, each with its first reason.
func rejectors(rejections []report.Rejection) []string {
	out := []string{}
	for _, r := range rejections {
		out = append(out, r.Plugin+": "+r.Reasons[0])
	}
	return out
}

// onNode is an affinity to one node by its name.
func onNode(name string) string {
	return "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: " +
		"[{matchFields: [{key: metadata.name, operator: In, values: [" + name + "]}]}]}}}"
}

// A PreFilter plugin that rejects the Pod is told by its own name, also when another one narrows the nodes.
func TestPreFilterTellsWhoRejects(t *testing.T) {
	for sentence, test := range map[string]struct {
		pod      string
		want     []string
		setAside []string
		next     []string
	}{
		"a claim that is missing, on one node only": {
			podText("web", "1", "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]",
				onNode("a")),
			[]string{`VolumeRestrictions: persistentvolumeclaim "data" not found`},
			[]string{"NodeVolumeLimits", "VolumeBinding", "VolumeRestrictions", "VolumeZone"},
			[]string{"a Feasible", "b NotEvaluated"},
		},
		"a node that does not exist": {
			podText("web", "1", onNode("ghost")),
			[]string{"NodeAffinity: node(s) didn't satisfy plugin(s) [NodeAffinity]"},
			[]string{"NodeAffinity"},
			[]string{"a Feasible", "b Feasible"},
		},
		"a scheduling gate and too little room": {
			podText("web", "5", "schedulingGates: [{name: example.com/quota}]"),
			[]string{"SchedulingGates: waiting for scheduling gates: [example.com/quota]"},
			[]string{"SchedulingGates"},
			[]string{"a Rejected NodeResourcesFit", "b Rejected NodeResourcesFit"},
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			state := stateOf(t, nodeText("a", ""), nodeText("b", ""), test.pod)
			got := explain(t, engineOf(t, state, engine.Options{}), podNamed(t, state, "web"))
			if diff := cmp.Diff(test.want, rejectors(got.PreFilter)); diff != "" {
				t.Errorf("who rejects (-want +got)\n%s", diff)
			}
			if got.Next == nil {
				t.Fatal("nothing comes next")
			}
			if diff := cmp.Diff(test.setAside, got.Next.SetAside); diff != "" {
				t.Errorf("set aside (-want +got)\n%s", diff)
			}
			rest := brief(&report.Explanation{Nodes: got.Next.Nodes})[1:]
			if diff := cmp.Diff(test.next, rest); diff != "" {
				t.Errorf("what comes next (-want +got)\n%s", diff)
			}
		})
	}
}
