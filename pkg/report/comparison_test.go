package report_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// judged is an explanation with two nodes that fit, one that is rejected and one that was not looked at.
func judged(kind string, a, b []report.Score) *report.Explanation {
	e := report.NewExplanation(report.Metadata{Name: "x", Kind: kind})
	fits := func(name string, scores []report.Score) report.Node {
		node := report.Node{Name: name, Verdict: report.Feasible, Scores: scores}
		for _, score := range scores {
			node.Total += score.Weighted
		}
		return node
	}
	e.PreFilter = []report.Rejection{{Plugin: "NodeAffinity"}}
	e.Nodes = []report.Node{
		fits("a", a), fits("b", b),
		{Name: "full", Verdict: report.Rejected, Filters: []report.Rejection{
			{Plugin: "TaintToleration"}, {Plugin: "NodeResourcesFit"}, {Plugin: "NodeResourcesFit"},
		}},
		{Name: "other", Verdict: report.NotEvaluated},
	}
	return e
}

func score(plugin string, weight, weighted int64) report.Score {
	return report.Score{Plugin: plugin, Weight: weight, Weighted: weighted}
}

func TestCompare(t *testing.T) {
	scoresA := []report.Score{score("Taints", 3, 300), score("Fit", 1, 50)}
	scoresB := []report.Score{score("Taints", 3, 0), score("Fit", 1, 90)}
	none := report.Rejecting{A: []string{}, B: []string{}}
	for sentence, test := range map[string]struct {
		a, b             string
		scoresA, scoresB []report.Score
		want             report.Comparison
	}{
		"the higher total is better": {
			a: "a", b: "b", scoresA: scoresA, scoresB: scoresB,
			want: report.Comparison{Scored: true, Better: "a", RejectedBy: none,
				Plugins: []report.ScoreDifference{
					{Plugin: "Taints", Weight: 3, A: 300, B: 0, Difference: 300},
					{Plugin: "Fit", Weight: 1, A: 50, B: 90, Difference: -40},
				},
				Totals: report.ScoreTotals{A: 350, B: 90, Difference: 260}},
		},
		"differences are those of the first from the second": {
			a: "b", b: "a", scoresA: scoresA, scoresB: scoresB,
			want: report.Comparison{Scored: true, Better: "a", RejectedBy: none,
				Plugins: []report.ScoreDifference{
					{Plugin: "Taints", Weight: 3, A: 0, B: 300, Difference: -300},
					{Plugin: "Fit", Weight: 1, A: 90, B: 50, Difference: 40},
				},
				Totals: report.ScoreTotals{A: 90, B: 350, Difference: -260}},
		},
		"equal totals are a tie": {
			a: "a", b: "b", scoresA: scoresA, scoresB: scoresA,
			want: report.Comparison{Scored: true, Tie: true, RejectedBy: none,
				Plugins: []report.ScoreDifference{
					{Plugin: "Taints", Weight: 3, A: 300, B: 300}, {Plugin: "Fit", Weight: 1, A: 50, B: 50},
				},
				Totals: report.ScoreTotals{A: 350, B: 350}},
		},
		"a score that only one has counts": {
			a: "a", b: "b", scoresA: scoresA[:1], scoresB: []report.Score{score("Taints", 3, 300), score("extender", 1, 7)},
			want: report.Comparison{Scored: true, Better: "b", RejectedBy: none,
				Plugins: []report.ScoreDifference{
					{Plugin: "Taints", Weight: 3, A: 300, B: 300}, {Plugin: "extender", Weight: 1, B: 7, Difference: -7},
				},
				Totals: report.ScoreTotals{A: 300, B: 307, Difference: -7}},
		},
		"a node that fits is better than one that does not": {
			a: "full", b: "b", scoresA: scoresA, scoresB: scoresB,
			want: report.Comparison{Better: "b", Plugins: []report.ScoreDifference{},
				RejectedBy: report.Rejecting{A: []string{"TaintToleration", "NodeResourcesFit"}, B: []string{}}},
		},
		"of two that do not fit none is better": {
			a: "full", b: "other",
			want: report.Comparison{Plugins: []report.ScoreDifference{},
				RejectedBy: report.Rejecting{
					A: []string{"TaintToleration", "NodeResourcesFit"}, B: []string{"NodeAffinity"},
				}},
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			got, err := report.Compare(judged("pod", test.scoresA, test.scoresB), test.a, test.b)
			if err != nil {
				t.Fatal(err)
			}
			test.want.A, test.want.B = test.a, test.b
			if diff := cmp.Diff(&test.want, got); diff != "" {
				t.Errorf("comparison (-want +got)\n%s", diff)
			}
		})
	}
}

func TestCompareRefuses(t *testing.T) {
	if _, err := report.Compare(judged("pod", nil, nil), "a", "gone"); err == nil || err.Error() !=
		`node "gone" was not judged` {
		t.Errorf("a node that is not there: %v", err)
	}
	if _, err := report.Compare(judged("daemonset.apps", nil, nil), "a", "b"); !errors.Is(err, report.ErrNotComparable) {
		t.Errorf("a DaemonSet: %v", err)
	}
}
