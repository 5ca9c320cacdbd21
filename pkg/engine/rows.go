package engine

import (
	"cmp"
	"slices"

	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine/reason"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

func preFilters(judgment *upstream.Judgment) []report.Rejection {
	out := []report.Rejection{}
	for _, status := range judgment.Gates {
		out = append(out, rejection(status, status.Plugin()))
	}
	status := judgment.PreFilter
	if status == nil {
		status = judgment.Absent
	}
	for _, plugin := range judgment.Narrowed {
		out = append(out, rejection(status, plugin))
	}
	if status != nil && len(judgment.Narrowed) == 0 {
		out = append(out, rejection(status, status.Plugin()))
	}
	return out
}

func rejection(status *fwk.Status, plugin string) report.Rejection {
	return report.Rejection{
		Plugin:  plugin,
		Code:    status.Code().String(),
		Reasons: status.Reasons(),
		Details: []report.Detail{},
	}
}

// nodes lists all nodes, in the order of sortNodes.
func nodes(judgment *upstream.Judgment, explainer *reason.Explainer, weights map[string]int64) []report.Node {
	scores := make(map[string]*fwk.NodePluginScores, len(judgment.Scores))
	for i := range judgment.Scores {
		scores[judgment.Scores[i].Name] = &judgment.Scores[i]
	}
	out := make([]report.Node, 0, len(judgment.Nodes))
	for i := range judgment.Nodes {
		out = append(out, node(&judgment.Nodes[i], explainer))
		last := &out[len(out)-1]
		if score := scores[last.Name]; score != nil {
			last.Scores, last.Total = pluginScores(score, weights), score.TotalScore
		}
	}
	sortNodes(out)
	return out
}

// sortNodes puts the feasible nodes first, by falling total; otherwise it keeps the order, which is by name.
func sortNodes(nodes []report.Node) {
	slices.SortStableFunc(nodes, func(a, b report.Node) int {
		switch aFits, bFits := a.Verdict == report.Feasible, b.Verdict == report.Feasible; {
		case aFits && bFits:
			return cmp.Compare(b.Total, a.Total)
		case aFits:
			return -1
		case bFits:
			return 1
		}
		return 0
	})
}

// emptyNode is a node that nothing is known of.
func emptyNode(name string) report.Node {
	return report.Node{
		Name:    name,
		Verdict: report.NotEvaluated,
		Filters: []report.Rejection{},
		Scores:  []report.Score{},
	}
}

func node(judged *upstream.NodeJudgment, explainer *reason.Explainer) report.Node {
	out := emptyNode(judged.Info.Node().Name)
	if judged.Evaluated {
		out.Verdict = report.Rejected
	}
	if judged.Feasible() {
		out.Verdict = report.Feasible
	}
	for _, status := range judged.Rejections {
		filter := rejection(status, status.Plugin())
		filter.Reasons = explainer.InOrder(filter.Plugin, filter.Reasons)
		filter.Details = explainer.Details(filter.Plugin, filter.Reasons, judged.Seen)
		out.Filters = append(out.Filters, filter)
	}
	return out
}

// pluginScores pairs what each plugin returned with what became of it. An extender has no weight in the profile: its
// weighted score is upstream's.
func pluginScores(scores *fwk.NodePluginScores, weights map[string]int64) []report.Score {
	out := make([]report.Score, 0, len(scores.Scores))
	for i, weighted := range scores.Scores {
		score := report.Score{Plugin: weighted.Name, Weighted: weighted.Score, Normalized: weighted.Score, Weight: 1}
		if weight := weights[weighted.Name]; weight > 0 {
			score.Weight, score.Normalized = weight, weighted.Score/weight
		}
		if i < len(scores.RawScores) && scores.RawScores[i].Name == weighted.Name {
			score.Raw = scores.RawScores[i].Score
		}
		out = append(out, score)
	}
	return out
}
