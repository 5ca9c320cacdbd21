package printers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// isDaemonSet tells whether the report is about a DaemonSet: each of its nodes is then the judgment of that node's own
// Pod, and the nodes on which the controller wants none are not evaluated.
func isDaemonSet(e *report.Explanation) bool {
	kind, _, _ := strings.Cut(e.Metadata.Kind, ".")
	judged := e.Verdict == report.Schedulable || e.Verdict == report.Unschedulable
	return kind == "daemonset" && judged && len(e.Pods) == 0 && len(e.Nodes) > 0
}

// daemonSetSentence counts the nodes on which a DaemonSet's Pod fits, of those where its controller wants one.
func daemonSetSentence(e *report.Explanation) string {
	wanted := slices.DeleteFunc(slices.Clone(e.Nodes), func(n report.Node) bool {
		return n.Verdict == report.NotEvaluated
	})
	switch {
	case rejectedByPreFilter(e):
		return preFilterSentence(e)
	case len(wanted) == 0:
		return "it wants none of " + count(len(e.Nodes), "node")
	}
	feasible := countFeasible(wanted)
	sentence := fmt.Sprintf("its Pod fits on %d of %s it wants", feasible, count(len(wanted), "node"))
	if feasible == len(wanted) {
		return sentence
	}
	return sentence + ": " + joinCauses(causes(wanted, nil))
}
