package engine

import (
	"cmp"
	"context"
	"slices"

	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine/reason"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

func preFilters(ctx context.Context, judgment *upstream.Judgment, explainer *reason.Explainer) []report.Rejection {
	out := []report.Rejection{}
	for _, status := range judgment.Gates {
		out = append(out, rejection(ctx, status, explainer, nil))
	}
	status := judgment.PreFilter
	if status == nil {
		status = judgment.Absent
	}
	for _, plugin := range judgment.Narrowed {
		out = append(out, rejection(ctx, status.Clone().WithPlugin(plugin), explainer, nil))
	}
	if status != nil && len(judgment.Narrowed) == 0 {
		out = append(out, rejection(ctx, status, explainer, nil))
	}
	return out
}

// rejection tells of one plugin's no, to a node or, when that is nil, to the Pod as a whole.
func rejection(ctx context.Context, status *fwk.Status, explainer *reason.Explainer, node fwk.NodeInfo,
) report.Rejection {
	out := report.Rejection{
		Plugin:  reason.ShownName(status.Plugin()),
		Code:    status.Code().String(),
		Reasons: append([]string{}, explainer.InOrder(status.Plugin(), status.Reasons())...),
	}
	out.Details = explainer.Details(ctx, status, out.Reasons, node)
	return out
}

// nodes lists all nodes, in the order of sortNodes.
func nodes(ctx context.Context, judgment *upstream.Judgment, explainer *reason.Explainer, weights map[string]int64,
) []report.Node {
	scores := make(map[string]*fwk.NodePluginScores, len(judgment.Scores))
	for i := range judgment.Scores {
		scores[judgment.Scores[i].Name] = &judgment.Scores[i]
	}
	out := make([]report.Node, 0, len(judgment.Nodes))
	for i := range judgment.Nodes {
		out = append(out, node(ctx, &judgment.Nodes[i], explainer))
		last := &out[len(out)-1]
		if score := scores[last.Name]; score != nil {
			last.Scores, last.Total = pluginScores(score, weights), score.TotalScore
		}
	}
	sortNodes(out)
	return out
}

// next tells what a judgment without some plugins says.
func next(ctx context.Context, judgment *upstream.Judgment, explainer *reason.Explainer) *report.Next {
	if judgment == nil {
		return nil
	}
	return &report.Next{
		SetAside:  judgment.SetAside,
		PreFilter: preFilters(ctx, judgment, explainer),
		Nodes:     nodes(ctx, judgment, explainer, nil),
	}
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

func node(ctx context.Context, judged *upstream.NodeJudgment, explainer *reason.Explainer) report.Node {
	out := emptyNode(judged.Info.Node().Name)
	if judged.Evaluated {
		out.Verdict = report.Rejected
	}
	if judged.Feasible() {
		out.Verdict = report.Feasible
	}
	for _, status := range judged.Rejections {
		out.Filters = append(out.Filters, rejection(ctx, status, explainer, judged.Seen))
	}
	return out
}

// pluginScores pairs what each plugin returned with what became of it. An extender has no weight in the profile: its
// weighted score is upstream's.
func pluginScores(scores *fwk.NodePluginScores, weights map[string]int64) []report.Score {
	out := make([]report.Score, 0, len(scores.Scores))
	for i, weighted := range scores.Scores {
		score := report.Score{
			Plugin: reason.ShownName(weighted.Name), Weighted: weighted.Score, Normalized: weighted.Score, Weight: 1,
		}
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
