package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// The node that a Pod is nominated for is looked at first and taken if it fits; for other Pods it is kept.
func TestNominatedPods(t *testing.T) {
	const nominatedForB = "\nstatus: {nominatedNodeName: b}"
	for sentence, test := range map[string]struct {
		cluster []string
		want    []string
	}{
		"the nominated node is chosen before a better one": {
			cluster: []string{nodeText("a", ""), nodeText("b", ""), podText("other", "2", "nodeName: b"),
				podText("x", "1", nominatedForB)},
			want: []string{"Schedulable b", "a Feasible", "b Feasible"},
		},
		"the nominated node is chosen among equal ones": {
			cluster: []string{nodeText("a", ""), nodeText("b", ""), podText("x", "1", nominatedForB)},
			want:    []string{"Schedulable b", "a Feasible", "b Feasible"},
		},
		"a nominated node that does not fit is given up": {
			cluster: []string{nodeText("a", ""), nodeText("b", "spec: {unschedulable: true}"),
				podText("x", "1", nominatedForB)},
			want: []string{"Schedulable a", "a Feasible", "b Rejected NodeUnschedulable"},
		},
		"a nominated node is judged though PreFilter left it out": {
			cluster: []string{nodeText("a", "spec: {unschedulable: true}"),
				nodeText("b", "spec: {taints: [{key: k, effect: NoSchedule}]}"), nodeText("c", ""),
				podText("x", "1", onlyOnA, nominatedForB)},
			want: []string{"Unschedulable", "a Rejected NodeUnschedulable", "b Rejected TaintToleration NodeAffinity",
				"c NotEvaluated"},
		},
		"a node is kept for a more important Pod": {
			cluster: []string{nodeText("b", ""), podText("other", "4", "priority: 10", nominatedForB), podText("x", "1")},
			want:    []string{"Unschedulable", "b Rejected NodeResourcesFit"},
		},
		"a node is not kept for a less important Pod": {
			cluster: []string{nodeText("b", ""), podText("other", "4", nominatedForB), podText("x", "1", "priority: 10")},
			want:    []string{"Schedulable b", "b Feasible"},
		},
		"a node is not kept for another scheduler's Pod": {
			cluster: []string{nodeText("b", ""),
				podText("other", "4", "priority: 10", "schedulerName: other", nominatedForB), podText("x", "1")},
			want: []string{"Schedulable b", "b Feasible"},
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			state := stateOf(t, test.cluster...)
			explanation := explain(t, engineOf(t, state, engine.Options{}), podNamed(t, state, "x"))
			if diff := cmp.Diff(test.want, brief(explanation)); diff != "" {
				t.Errorf("verdicts (-want +got)\n%s", diff)
			}
			answer := newCore(t, state).ask(podNamed(t, state, "x"))
			if diff := disagreement(explanation, answer); diff != "" {
				t.Errorf("we disagree (-kube-scheduler +ours)\n%s", diff)
			}
		})
	}
}

const onlyOnA = `affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
    {matchFields: [{key: metadata.name, operator: In, values: [a]}]}]}}}`

// Filters run twice on a node that Pods are nominated for, with them and without. One that rejects the node only
// without them is a rejection too, though another filter was the first with them.
func TestNominatedPodOnceSatisfiesAFilter(t *testing.T) {
	const needsFeature = `
apiVersion: v1
kind: Pod
metadata: {name: x, namespace: default, uid: uid-x}
spec:
  containers:
  - name: main
    image: app
    restartPolicy: Never
    restartPolicyRules: [{action: RestartAllContainers, exitCodes: {operator: In, values: [42]}}]
  affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [
    {labelSelector: {matchLabels: {app: db}}, topologyKey: kubernetes.io/hostname}]}}`
	nominated := strings.Replace(podText("db", "1", "priority: 10", "\nstatus: {nominatedNodeName: b}"), "{name: db,",
		"{name: db, labels: {app: db},", 1)
	state := stateOf(t, nodeText("b", ""), nominated, needsFeature)
	explanation := explain(t, engineOf(t, state, engine.Options{}), podNamed(t, state, "x"))
	want := []string{"Unschedulable", "b Rejected NodeDeclaredFeatures InterPodAffinity"}
	if diff := cmp.Diff(want, brief(explanation)); diff != "" {
		t.Errorf("verdicts (-want +got)\n%s", diff)
	}
}

// kube-scheduler never takes a gated Pod off its queue, so that it does not notice that the Pod is being deleted.
func TestGatedPodThatIsBeingDeletedIsGated(t *testing.T) {
	state := stateOf(t, nodeText("a", ""), deleted(podText("x", "1", "schedulingGates: [{name: example.com/wait}]")))
	explanation := explain(t, engineOf(t, state, engine.Options{}), podNamed(t, state, "x"))
	if explanation.Verdict != report.Gated {
		t.Errorf("the verdict is %s (%s), want %s", explanation.Verdict, explanation.Message, report.Gated)
	}
}
