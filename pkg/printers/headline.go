package printers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// maxNames is how many names of nodes or Pods a sentence lists before it counts the rest.
const maxNames = 3

// headline says in one line who was asked about, what was decided, where the Pod goes and why.
func (p *tablePrinter) headline(e *report.Explanation) string {
	if isDaemonSet(e) {
		return subject(e) + ": " + daemonSetSentence(e)
	}
	return subject(e) + ": " + p.colors.paint(string(e.Verdict)) + why(e)
}

// subject names the Pods: "pod/web-0 in shop", "3 identical Pods of replicaset/web in shop".
func subject(e *report.Explanation) string {
	kind, _, _ := strings.Cut(cmp.Or(e.Metadata.Kind, kindPod), ".")
	name := kind + "/" + e.Metadata.Name
	switch pods := len(e.Pods); {
	case pods > 1 && kind == kindPod:
		name = fmt.Sprintf("%s and %d identical", name, pods-1)
	case pods > 1:
		name = fmt.Sprintf("%d identical Pods of %s", pods, name)
	case pods == 1 && kind != kindPod:
		name = fmt.Sprintf("%s/%s of %s", kindPod, e.Pods[0], name)
	}
	if e.Metadata.Namespace == "" {
		return name
	}
	return name + " in " + e.Metadata.Namespace
}

// why follows the verdict; it is empty when the report says no more.
func why(e *report.Explanation) string {
	switch e.Verdict {
	case report.Schedulable:
		return " - " + bestSentence(e)
	case report.Unschedulable:
		return " - " + noNodeSentence(e)
	case report.Bound:
		return " - " + boundSentence(e)
	case report.Gated:
		return " - " + joinPlugins(e.PreFilter, "the scheduler") + " keeps it out of the scheduling queue"
	case report.NoProfile:
		return " - " + cmp.Or(e.Message, "no scheduler profile serves its schedulerName")
	case report.Invalid:
		return " - " + withMessage("the API server would refuse it", e.Message)
	default:
		return ""
	}
}

func withMessage(sentence, message string) string {
	if message == "" {
		return sentence
	}
	return sentence + ": " + message
}

// bestSentence says why the chosen node was chosen.
func bestSentence(e *report.Explanation) string {
	feasible := countFeasible(e.Nodes)
	switch {
	case feasible == 0:
		return e.NodeName + " fits"
	case feasible == 1 && len(e.Nodes) == 1:
		return e.NodeName + ", the only node, fits"
	case feasible == 1:
		return fmt.Sprintf("%s is the only one of %d nodes that fits", e.NodeName, len(e.Nodes))
	}
	sentence := fmt.Sprintf("%s is best of %d that fit", e.NodeName, feasible)
	if i := indexNode(e.Nodes, e.NodeName); i >= 0 && len(e.Nodes[i].Scores) > 0 {
		if e.Nodes[i].Total < e.Nodes[0].Total {
			// kube-scheduler passes over better nodes only for the one that preemption nominated.
			return fmt.Sprintf("it is nominated for %s, one of %d that fit", e.NodeName, feasible)
		}
		sentence += fmt.Sprintf(" (score %d)", e.Nodes[i].Total)
	}
	others := slices.DeleteFunc(slices.Clone(e.Ties), func(name string) bool { return name == e.NodeName })
	if len(others) > 0 {
		sentence += ", tied with " + listNames(others)
	}
	return sentence
}

// boundSentence compares the node a Pod has with what a new decision would be.
func boundSentence(e *report.Explanation) string {
	has := "it has " + e.NodeName
	if len(e.Nodes) == 0 {
		return has
	}
	has += "; judged anew, "
	feasible := countFeasible(e.Nodes)
	if feasible == 0 {
		return has + noNodeSentence(e)
	}
	fit := fmt.Sprintf("%d of %s fit", feasible, count(len(e.Nodes), "node"))
	if feasible == 1 {
		fit += "s"
	}
	switch i := indexNode(e.Nodes, e.NodeName); {
	case i < 0:
		return has + fit + ", and " + e.NodeName + " is not among the nodes"
	case i >= feasible:
		return has + fit + ", but not " + e.NodeName
	case feasible == 1:
		return has + fit + ": " + e.NodeName
	default:
		return has + fit + ", " + e.NodeName + " as number " + fmt.Sprint(rank(e.Nodes[:feasible], i))
	}
}

// rank is the place of a feasible node by its total; nodes with equal totals share a place.
func rank(feasible []report.Node, i int) int {
	return 1 + slices.IndexFunc(feasible, func(n report.Node) bool { return n.Total == feasible[i].Total })
}

func indexNode(nodes []report.Node, name string) int {
	return slices.IndexFunc(nodes, func(n report.Node) bool { return n.Name == name })
}

// joinPlugins lists the plugins of rejections, each once, or returns nobody when there are none.
func joinPlugins(rejections []report.Rejection, nobody string) string {
	var plugins []string
	for _, r := range rejections {
		if !slices.Contains(plugins, r.Plugin) {
			plugins = append(plugins, r.Plugin)
		}
	}
	return cmp.Or(strings.Join(plugins, ", "), nobody)
}

// listNames writes "a", "a and b", "a, b and c", and beyond maxNames "a, b, c and 4 more".
func listNames(names []string) string {
	if len(names) > maxNames+1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNames], ", "), len(names)-maxNames)
	}
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
