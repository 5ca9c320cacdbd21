package engine_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// verdict is what our engine and kube-scheduler must agree on, in a form in which they can be compared.
type verdict struct {
	Verdict string
	Message string
	// Feasible, Absent and First (the first rejection) tell the nodes apart.
	Feasible []string
	Absent   []string
	First    map[string]rejection
	// PreFilter is what PreFilter said of the Pod as a whole.
	PreFilter []string
	// Plugins are kube-scheduler's UnschedulablePlugins.
	Plugins []string
	// Totals are the scores, by node.
	Totals map[string]int64
	Scores map[string]map[string]int64
	// Preemption
	Nominated  string
	PostFilter string
}

type rejection struct {
	Plugin  string
	Code    string
	Reasons []string
}

func rejectionOf(status *fwk.Status) rejection {
	return rejection{Plugin: status.Plugin(), Code: status.Code().String(), Reasons: slices.Clone(status.Reasons())}
}

// ours is the verdict of an explanation.
func ours(explanation *report.Explanation) *verdict {
	v := &verdict{Verdict: string(explanation.Verdict), Message: explanation.Message, First: map[string]rejection{}}
	plugins := sets.New[string]()
	for _, pre := range explanation.PreFilter {
		v.PreFilter = append(v.PreFilter, pre.Plugin)
		plugins.Insert(pre.Plugin)
	}
	for _, node := range explanation.Nodes {
		switch node.Verdict {
		case report.Feasible:
			v.Feasible = append(v.Feasible, node.Name)
			v.score(node)
		case report.NotEvaluated:
			v.Absent = append(v.Absent, node.Name)
		case report.Rejected:
			first := node.Filters[0]
			v.First[node.Name] = rejection{Plugin: first.Plugin, Code: first.Code, Reasons: first.Reasons}
			plugins.Insert(first.Plugin)
		}
	}
	slices.Sort(v.Feasible)
	slices.Sort(v.Absent)
	if explanation.Verdict == report.Unschedulable {
		v.Plugins = sets.List(plugins)
	}
	if explanation.Preemption != nil {
		v.Nominated, v.PostFilter = explanation.Preemption.NodeName, explanation.Preemption.Message
	}
	return v
}

func (v *verdict) score(node report.Node) {
	if len(node.Scores) == 0 {
		return
	}
	if v.Totals == nil {
		v.Totals, v.Scores = map[string]int64{}, map[string]map[string]int64{}
	}
	v.Totals[node.Name] = node.Total
	v.Scores[node.Name] = map[string]int64{}
	for _, score := range node.Scores {
		v.Scores[node.Name][score.Plugin] = score.Weighted
	}
}

// theirs is the verdict of kube-scheduler's core over the named nodes.
func theirs(answer *answer, nodes []string) *verdict {
	v := &verdict{First: map[string]rejection{}}
	if answer.gatedBy != "" {
		v.Verdict, v.PreFilter, v.Absent = string(report.Gated), []string{answer.gatedBy}, nodes
		return v
	}
	v.Verdict, v.Message = string(report.Unschedulable), answer.message
	if answer.host != "" {
		v.Verdict = string(report.Schedulable)
	}
	if !answer.preFilter.IsSuccess() && answer.preFilter.Plugin() != "" {
		v.PreFilter = []string{answer.preFilter.Plugin()}
	} else {
		v.PreFilter = sets.List(answer.narrowedBy)
	}
	for _, name := range nodes {
		status, filtered := answer.filters[name]
		switch {
		case !filtered:
			v.Absent = append(v.Absent, name)
		case status.IsSuccess():
			v.Feasible = append(v.Feasible, name)
		default:
			v.First[name] = rejectionOf(status)
		}
	}
	if answer.diagnosis != nil {
		v.Plugins = sets.List(answer.diagnosis.UnschedulablePlugins)
	}
	v.theirScores(answer)
	if answer.postFilter != nil {
		v.Nominated, v.PostFilter = answer.nominated, answer.postFilter.Message()
	}
	return v
}

func (v *verdict) theirScores(answer *answer) {
	if len(answer.scores) == 0 {
		return
	}
	v.Totals, v.Scores = map[string]int64{}, map[string]map[string]int64{}
	for _, node := range answer.scores {
		v.Totals[node.Name] = node.TotalScore
		v.Scores[node.Name] = map[string]int64{}
		for _, score := range node.Scores {
			v.Scores[node.Name][score.Name] = score.Score
		}
	}
}

// disagreement tells in what our explanation and the core's answer differ; it is empty when they agree.
func disagreement(explanation *report.Explanation, answer *answer) string {
	nodes := sortedNames(explanation)
	we, they := ours(explanation), theirs(answer, nodes)
	if they.Verdict == string(report.Gated) {
		they.Message = we.Message // the queue keeps the plugin and not its words
		if slices.Contains(we.PreFilter, answer.gatedBy) {
			they.PreFilter = we.PreFilter // it stops at the first that gates the Pod, in no order
		}
	}
	if onNomination(answer, nodes) {
		they.restrict(we)
	}
	if diff := cmp.Diff(they, we, cmpopts.EquateEmpty()); diff != "" {
		return diff
	}
	free := len(answer.scores) > 0 // to choose among ties
	if answer.host == explanation.NodeName || free && slices.Contains(explanation.Ties, answer.host) {
		return ""
	}
	return fmt.Sprintf("kube-scheduler chose %s, we chose %s (ties %v)",
		answer.host, explanation.NodeName, explanation.Ties)
}

func sortedNames(explanation *report.Explanation) []string {
	names := make([]string, 0, len(explanation.Nodes))
	for _, node := range explanation.Nodes {
		names = append(names, node.Name)
	}
	slices.Sort(names)
	return names
}

// onNomination tells whether the Pod went to the node it was nominated for before any other node was looked at.
func onNomination(answer *answer, nodes []string) bool {
	return answer.host != "" && len(answer.filters) == 1 && len(nodes) > 1
}

// restrict leaves of our verdict what kube-scheduler's can be compared with when it looked at one node only.
func (v *verdict) restrict(we *verdict) {
	one := v.Feasible[0]
	if slices.Contains(we.Feasible, one) {
		v.Feasible = we.Feasible
	}
	v.Absent, v.First, v.Totals, v.Scores = we.Absent, maps.Clone(we.First), we.Totals, we.Scores
}
