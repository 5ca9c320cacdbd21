package printers

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

func TestFactsOfLabels(t *testing.T) {
	first, second := 0, 1
	hdd, nine, four, empty, name := "hdd", "nine", "4", "", "n1"
	tests := map[string]struct {
		detail report.Detail
		// brief is without numbers, full with them.
		brief, full string
	}{
		"a label of the nodeSelector that differs": {
			detail: report.UnmatchedNodeSelector{Source: "NodeSelector", Key: "disk", Operator: "In", Values: []string{"ssd"},
				Actual: &hdd},
			brief: "wants disk=ssd",
			full:  "wants disk=ssd but has hdd",
		},
		"a label that is missing": {
			detail: report.UnmatchedNodeSelector{Source: "NodeSelector", Key: "gpu", Operator: "In", Values: []string{"a100"},
				Missing: true},
			brief: "wants gpu=a100",
			full:  "wants gpu=a100 but the label is missing",
		},
		"a label without a value": {
			detail: report.UnmatchedNodeSelector{Source: "NodeSelector", Key: "gpu", Operator: "In", Values: []string{"a100"},
				Actual: &empty},
			brief: "wants gpu=a100",
			full:  `wants gpu=a100 but has ""`,
		},
		"many values of the only term": {
			detail: report.UnmatchedNodeSelector{Source: "NodeAffinity", Term: &first, Terms: 1, Key: "zone", Operator: "In",
				Values: []string{"a", "b", "c", "d", "e"}, Actual: &hdd},
			brief: "wants zone in (a, b, c and 2 more)",
			full:  "wants zone in (a, b, c and 2 more) but has hdd",
		},
		"one term of several": {
			detail: report.UnmatchedNodeSelector{Source: "NodeAffinity", Term: &second, Terms: 2, Key: "disk",
				Operator: "NotIn", Values: []string{"hdd"}, Actual: &hdd},
			brief: "term 2 wants disk not in (hdd)",
			full:  "term 2 wants disk not in (hdd) but has hdd",
		},
		"a label that should be there": {
			detail: report.UnmatchedNodeSelector{Source: "NodeAffinity", Key: "gpu", Operator: "Exists", Missing: true},
			brief:  "wants label gpu",
			full:   "wants label gpu",
		},
		"a label that should not be there": {
			detail: report.UnmatchedNodeSelector{Source: "NodeAffinity", Key: "gpu", Operator: "DoesNotExist", Actual: &four},
			brief:  "wants no label gpu",
			full:   "wants no label gpu but has 4",
		},
		"a number that is too small": {
			detail: report.UnmatchedNodeSelector{Source: "NodeAffinity", Key: "gen", Operator: "Gt", Values: []string{"5"},
				Actual: &four},
			brief: "wants gen > 5",
			full:  "wants gen > 5 but has 4",
		},
		"a number that is none": {
			detail: report.UnmatchedNodeSelector{Source: "NodeAffinity", Key: "gen", Operator: "Lt", Values: []string{"5"},
				Actual: &nine},
			brief: "wants gen < 5",
			full:  "wants gen < 5 but has nine, no integer",
		},
		"the node's name": {
			detail: report.UnmatchedNodeSelector{Source: "NodeAffinity", Key: "metadata.name", Operator: "In",
				Values: []string{"n2"}, Field: true, Actual: &name},
			brief: "wants name in (n2)",
			full:  "wants name in (n2)",
		},
		"what the profile adds": {
			detail: report.UnmatchedNodeSelector{Source: "AddedAffinity", Term: &first, Terms: 1, Key: "pool", Operator: "In",
				Values: []string{"edge"}, Missing: true},
			brief: "the profile wants pool in (edge)",
			full:  "the profile wants pool in (edge) but the label is missing",
		},
		"one of several terms that the profile adds": {
			detail: report.UnmatchedNodeSelector{Source: "AddedAffinity", Term: &second, Terms: 2, Key: "pool",
				Operator: "Exists", Missing: true},
			brief: "the profile's term 2 wants label pool",
			full:  "the profile's term 2 wants label pool",
		},
		"an empty term": {
			detail: report.UnmatchedNodeSelector{Source: "NodeAffinity", Term: &second, Terms: 2, Empty: true},
			brief:  "term 2 is empty and matches nothing",
			full:   "term 2 is empty and matches nothing",
		},
		"the only term, which is empty": {
			detail: report.UnmatchedNodeSelector{Source: "NodeAffinity", Term: &first, Terms: 1, Empty: true},
			brief:  "its node affinity is empty and matches nothing",
			full:   "its node affinity is empty and matches nothing",
		},
		"no terms": {
			detail: report.UnmatchedNodeSelector{Source: "NodeAffinity", Empty: true},
			brief:  "its node affinity has no terms and matches nothing",
			full:   "its node affinity has no terms and matches nothing",
		},
		"an operator that there is not": {
			detail: report.UnmatchedNodeSelector{Source: "NodeAffinity", Key: "gen", Operator: "Like", Values: []string{"n"},
				Actual: &nine, Invalid: true},
			brief: "wants gen Like n, which cannot be read",
			full:  "wants gen Like n, which cannot be read",
		},
		"a node that is asked for by name": {
			detail: report.NodesByName{Names: []string{"n1"}, Count: 1},
			brief:  "it asks for node n1 by name",
			full:   "it asks for node n1 by name",
		},
		"names of which some do not exist": {
			detail: report.NodesByName{Names: []string{"n1", "n2", "n3"}, Count: 5, Absent: []string{"n2"}, AbsentCount: 1},
			brief:  "it asks for nodes n1, n2, n3 and 2 more by name; n2 does not exist",
			full:   "it asks for nodes n1, n2, n3 and 2 more by name; n2 does not exist",
		},
		"names that exclude each other": {
			detail: report.NodesByName{Names: []string{"n1", "n2"}, Count: 2, Conflict: true},
			brief:  "its node affinity asks for several names at once: n1, n2",
			full:   "its node affinity asks for several names at once: n1, n2",
		},
	}
	for sentence, test := range tests {
		t.Run(sentence, func(t *testing.T) {
			got := []string{factText(test.detail, withoutNumbers), factText(test.detail, withNumbers)}
			if diff := cmp.Diff([]string{test.brief, test.full}, got); diff != "" {
				t.Errorf("brief and full text (-want +got)\n%s", diff)
			}
		})
	}
}

func TestLabelsSay(t *testing.T) {
	disk := report.UnmatchedNodeSelector{Source: "NodeSelector", Key: "disk", Operator: "In", Values: []string{"ssd"}}
	gpu := report.UnmatchedNodeSelector{Source: "NodeSelector", Key: "gpu", Operator: "In", Values: []string{"a100"}}
	gen := report.UnmatchedNodeSelector{Source: "NodeAffinity", Key: "gen", Operator: "Gt", Values: []string{"5"}}
	pool := report.UnmatchedNodeSelector{Source: "AddedAffinity", Key: "pool", Operator: "Exists"}
	tests := map[string]struct {
		details report.Details
		want    predicate
	}{
		"one label of the nodeSelector": {
			report.Details{disk}, predicate{"does not match nodeSelector disk=ssd", "do not match nodeSelector disk=ssd"}},
		"one requirement of the node affinity": {
			report.Details{gen}, predicate{"does not match node affinity gen > 5", "do not match node affinity gen > 5"}},
		"one requirement of the profile": {
			report.Details{pool}, predicate{"does not match the profile's node affinity label pool",
				"do not match the profile's node affinity label pool"}},
		"several labels of the nodeSelector": {
			report.Details{disk, gpu}, predicate{"does not match its nodeSelector", "do not match its nodeSelector"}},
		"requirements of all": {
			report.Details{pool, disk, gen}, predicate{
				"does not match the profile's node affinity, its nodeSelector and its node affinity",
				"do not match the profile's node affinity, its nodeSelector and its node affinity"}},
		"node affinity that is empty": {
			report.Details{report.UnmatchedNodeSelector{Source: "NodeAffinity", Empty: true}},
			predicate{"does not match its node affinity", "do not match its node affinity"}},
	}
	for sentence, test := range tests {
		t.Run(sentence, func(t *testing.T) {
			if got := detailsPredicate(test.details); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}
