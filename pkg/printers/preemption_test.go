package printers_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/printers"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// preemptionRemark prints a report with this preemption and returns what follows "Preemption: ", in one line.
func preemptionRemark(t *testing.T, options printers.Options, preemption report.Preemption) string {
	t.Helper()
	e := report.NewExplanation(report.Metadata{Namespace: "shop", Name: "x", Kind: "pod"})
	e.Verdict, e.Message, e.Preemption = report.Unschedulable, "0/9 nodes are available.", &preemption
	e.Nodes = []report.Node{{Name: "n1", Verdict: report.NotEvaluated}}
	_, remark, found := strings.Cut(show(t, options, e), "\nPreemption: ")
	if !found {
		t.Fatal("there is no remark on preemption")
	}
	remark, _, _ = strings.Cut(remark, "\n\n")
	return strings.ReplaceAll(remark, "\n ", "")
}

func TestPreemptionRemark(t *testing.T) {
	victim := report.Victim{Namespace: "batch", Name: "etl", Priority: -100}
	ending := report.Victim{Namespace: "batch", Name: "old", Terminating: true}
	guarded := report.Victim{Namespace: "shop", Name: "web-0", ViolatesPDB: true, PDBs: []string{"web"}}
	guardedTwice := report.Victim{Namespace: "shop", Name: "web-1", ViolatesPDB: true, PDBs: []string{"all", "web"}}
	on := func(node string, victims ...report.Victim) report.Candidate {
		return report.Candidate{NodeName: node, Victims: victims}
	}
	possible := func(candidates ...report.Candidate) report.Preemption {
		return report.Preemption{Possible: true, NodeName: candidates[0].NodeName, Victims: candidates[0].Victims,
			Candidates: candidates}
	}
	against := on("b", guarded, guardedTwice)
	against.PDBViolations = 2
	many := []report.Candidate{on("a", victim)}
	for i := range 12 {
		many = append(many, on(fmt.Sprintf("n%02d", i), victim))
	}
	fit := report.NoCandidates{Reason: report.StillRejected, Plugin: "NodeResourcesFit", Nodes: []string{"n1", "n3"}}
	none := report.NoCandidates{Reason: report.NoLowerPriority, Nodes: []string{"n4"}}
	taint := report.NoCandidates{Reason: report.Unresolvable, Plugin: "TaintToleration", Nodes: []string{"n5", "n7"}}
	cordon := report.NoCandidates{Reason: report.Unresolvable, Plugin: "NodeUnschedulable", Nodes: []string{"n6"}}
	for sentence, test := range map[string]struct {
		preemption report.Preemption
		want, wide string
	}{
		"one candidate": {
			preemption: possible(on("a", victim)),
			want:       "kube-scheduler would evict batch/etl (priority -100) on a",
		},
		"one more": {
			preemption: possible(on("a", victim), on("b", victim, guarded)),
			want:       "kube-scheduler would evict batch/etl (priority -100) on a; b (2 Pods) would do too",
			wide: "kube-scheduler would evict batch/etl (priority -100) on a; b without batch/etl (priority -100) and shop/web-0 " +
				"(priority 0, violates PodDisruptionBudget web) would do too",
		},
		"victims of budgets": {
			preemption: possible(on("a", guarded, guardedTwice), against),
			want: "kube-scheduler would evict shop/web-0 (priority 0, violates PodDisruptionBudget web) and shop/web-1 " +
				"(priority 0, violates PodDisruptionBudgets all and web) on a; b (2 Pods, 2 against a " +
				"PodDisruptionBudget) would do too",
			wide: "kube-scheduler would evict shop/web-0 (priority 0, violates PodDisruptionBudget web) and shop/web-1 " +
				"(priority 0, violates PodDisruptionBudgets all and web) on a; b without shop/web-0 (priority 0, violates " +
				"PodDisruptionBudget web) and shop/web-1 (priority 0, violates PodDisruptionBudgets all and web) would do too",
		},
		"many candidates": {
			preemption: possible(many...),
			want: "kube-scheduler would evict batch/etl (priority -100) on a; 12 other nodes would do: n00 (1 Pod), " +
				"n01 (1 Pod), n02 (1 Pod) and 9 more",
			wide: "kube-scheduler would evict batch/etl (priority -100) on a; 12 other nodes would do: n00 without batch/etl (priority -100), " +
				"n01 without batch/etl (priority -100), n02 without batch/etl (priority -100), n03 without batch/etl (priority -100), n04 without batch/etl (priority -100), n05 without batch/etl (priority -100), n06 without batch/etl (priority -100), " +
				"n07 without batch/etl (priority -100), n08 without batch/etl (priority -100), n09 without batch/etl (priority -100) and 2 more",
		},
		"many victims": {
			preemption: possible(on("a", victim, victim, victim, victim, victim)),
			want: "kube-scheduler would evict batch/etl (priority -100), batch/etl (priority -100), batch/etl (priority " +
				"-100) and 2 more on a",
			wide: "kube-scheduler would evict batch/etl (priority -100), batch/etl (priority -100), batch/etl (priority " +
				"-100), batch/etl (priority -100) and batch/etl (priority -100) on a",
		},
		"a victim that is terminating already": {
			preemption: possible(on("a", victim, ending)),
			want: "kube-scheduler would evict batch/etl (priority -100) on a, where batch/old (priority 0) is terminating " +
				"already",
		},
		"only such victims": {
			preemption: possible(on("a", ending)),
			want:       "kube-scheduler would evict nothing more on a, where batch/old (priority 0) is terminating already",
		},
		"no victim": {
			preemption: possible(on("a")),
			want:       "kube-scheduler would nominate it for a and evict nothing",
		},
		"preemptionPolicy": {
			preemption: report.Preemption{Reason: report.PolicyNever},
			want:       "not tried: the Pod's preemptionPolicy is Never",
		},
		"an earlier victim": {
			preemption: report.Preemption{Reason: report.VictimTerminating,
				WaitsFor: []report.TerminatingPod{{Namespace: "batch", Name: "x", NodeName: "n1"}}},
			want: "kube-scheduler waits for batch/x on n1, which is terminating",
		},
		"earlier victims": {
			preemption: report.Preemption{Reason: report.VictimTerminating, WaitsFor: []report.TerminatingPod{
				{Namespace: "batch", Name: "x", NodeName: "n1"}, {Namespace: "batch", Name: "y", NodeName: "n1"}}},
			want: "kube-scheduler waits for batch/x and batch/y on n1, which are terminating",
		},
		"no plugin": {
			preemption: report.Preemption{Reason: report.PreemptionDisabled},
			want:       "not tried: the profile has no DefaultPreemption plugin",
		},
		"another plugin": {
			preemption: report.Preemption{Reason: report.OtherPlugin, Message: "quota is used up"},
			want:       "not tried: another PostFilter plugin answers first: quota is used up",
		},
		"nobody of lower priority": {
			preemption: report.Preemption{Reason: report.NoLowerPriority, Nodes: []report.NoCandidates{
				{Reason: report.NoLowerPriority, Nodes: []string{"n1", "n2"}}, cordon, taint}},
			want: "would not help: no Pod of lower priority than 0 on the 2 nodes that it could use (3 nodes reject it " +
				"whatever is evicted)",
			wide: "would not help: no Pod of lower priority than 0 on the 2 nodes that it could use, n1 and n2 (n5, n6 and n7 " +
				"reject it whatever is evicted (NodeUnschedulable, TaintToleration))",
		},
		"nobody of lower priority on one node": {
			preemption: report.Preemption{Priority: -5, Reason: report.NoLowerPriority, Nodes: []report.NoCandidates{none}},
			want:       "would not help: no Pod of lower priority than -5 on n4, the only node that it could use",
		},
		"rejected everywhere": {
			preemption: report.Preemption{Reason: report.NotHelpful, Nodes: []report.NoCandidates{cordon, taint}},
			want:       "would not help: all 3 nodes reject it whatever is evicted",
			wide:       "would not help: all 3 nodes reject it whatever is evicted (NodeUnschedulable, TaintToleration)",
		},
		"rejected everywhere by one plugin": {
			preemption: report.Preemption{Reason: report.NotHelpful, Nodes: []report.NoCandidates{taint}},
			want:       "would not help: all 2 nodes reject it whatever is evicted (TaintToleration)",
		},
		"rejected on the only node": {
			preemption: report.Preemption{Reason: report.NotHelpful, Nodes: []report.NoCandidates{cordon}},
			want:       "would not help: n6, the only node, rejects it whatever is evicted (NodeUnschedulable)",
		},
		"still rejected": {
			preemption: report.Preemption{Priority: 10, Reason: report.StillRejected,
				Nodes: []report.NoCandidates{none, fit, cordon, taint}},
			want: "would not help: 2 nodes reject it even without all Pods of lower priority than 10 (NodeResourcesFit), " +
				"1 node has no Pod of lower priority than 10, 3 nodes reject it whatever is evicted",
			wide: "would not help: n1 and n3 reject it even without all Pods of lower priority than 10 (NodeResourcesFit), " +
				"n4 has no Pod of lower priority than 10, n5, n6 and n7 reject it whatever is evicted (NodeUnschedulable, " +
				"TaintToleration)",
		},
		"a report without a reason": {
			preemption: report.Preemption{Message: "preemption: no candidate"},
			want:       "no: no candidate",
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			if diff := cmp.Diff(test.want, preemptionRemark(t, printers.Options{}, test.preemption)); diff != "" {
				t.Errorf("table (-want +got)\n%s", diff)
			}
			wide := test.wide
			if wide == "" {
				wide = test.want
			}
			if diff := cmp.Diff(wide, preemptionRemark(t, printers.Options{Output: "wide"}, test.preemption)); diff != "" {
				t.Errorf("wide table (-want +got)\n%s", diff)
			}
		})
	}
}
