package printers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// maxWideNames is how many names the wide table lists where the other one stops at maxNames.
const maxWideNames = 10

// preemptionRemark tells whom kube-scheduler would evict, or why nobody. Upstream's text is left out when it was said
// already.
func (p *tablePrinter) preemptionRemark(preemption *report.Preemption, said string) string {
	message := strings.TrimPrefix(preemption.Message, "preemption: ")
	if saidAlready(said, []string{preemption.Message}) {
		message = ""
	}
	if preemption.Possible {
		return "Preemption: " + p.evictionSentence(preemption)
	}
	return "Preemption: " + p.noPreemptionSentence(preemption, message)
}

// evictionSentence writes "kube-scheduler would evict batch/etl (priority 0) on node-a; node-b (2 Pods) would do too".
func (p *tablePrinter) evictionSentence(preemption *report.Preemption) string {
	var evicted, ending []string
	for _, v := range preemption.Victims {
		if v.Terminating {
			ending = append(ending, victimText(v))
		} else {
			evicted = append(evicted, victimText(v))
		}
	}
	text := "kube-scheduler would evict "
	switch {
	case len(preemption.Victims) == 0:
		text = "kube-scheduler would nominate it for " + preemption.NodeName + " and evict nothing"
	case len(evicted) == 0:
		text += "nothing more on " + preemption.NodeName
	case p.wide:
		text += namesUpTo(evicted, len(evicted)) + " on " + preemption.NodeName
	default:
		text += listNames(evicted) + " on " + preemption.NodeName
	}
	if len(ending) > 0 {
		text += ", where " + p.list(ending) + plural(len(ending), " is", " are") + " terminating already"
	}
	if len(preemption.Candidates) > 1 {
		text += "; " + p.alternativesText(preemption.Candidates[1:])
	}
	if p.wide && len(preemption.Nodes) > 0 {
		text += "; " + p.obstaclesText(preemption)
	}
	return text
}

// alternativesText names the other candidates: "2 other nodes would do: node-b (1 Pod) and node-c (3 Pods)".
func (p *tablePrinter) alternativesText(candidates []report.Candidate) string {
	var names []string
	for _, c := range candidates {
		if p.wide {
			var pods []string
			for _, v := range c.Victims {
				pods = append(pods, victimText(v))
			}
			names = append(names, c.NodeName+" without "+listNames(pods))
			continue
		}
		evicts := count(len(c.Victims), "Pod")
		if c.PDBViolations > 0 {
			evicts += fmt.Sprintf(", %d against a PodDisruptionBudget", c.PDBViolations)
		}
		names = append(names, fmt.Sprintf("%s (%s)", c.NodeName, evicts))
	}
	if len(names) == 1 {
		return names[0] + " would do too"
	}
	return fmt.Sprintf("%d other nodes would do: %s", len(names), p.list(names))
}

// noPreemptionSentence says why nobody would be evicted; message is upstream's text, unless it was said before.
func (p *tablePrinter) noPreemptionSentence(preemption *report.Preemption, message string) string {
	switch preemption.Reason {
	case report.PolicyNever:
		return "not tried: the Pod's preemptionPolicy is Never"
	case report.VictimTerminating:
		return waitSentence(preemption.WaitsFor)
	case report.PreemptionDisabled:
		return "not tried: the profile has no DefaultPreemption plugin"
	case report.OtherPlugin:
		return withMessage("not tried: another PostFilter plugin answers first", message)
	case report.NoLowerPriority:
		return "would not help: " + p.noLowerSentence(preemption)
	case report.NotHelpful:
		return "would not help: " + p.allRejectSentence(preemption)
	case "":
		return withMessage("no", message)
	default:
		return "would not help: " + p.obstaclesText(preemption)
	}
}

// waitSentence names the Pods that have to end before kube-scheduler preempts again.
func waitSentence(waitsFor []report.TerminatingPod) string {
	if len(waitsFor) == 0 {
		return "kube-scheduler waits for Pods that it evicted before to end"
	}
	var names []string
	for _, pod := range waitsFor {
		names = append(names, podName(pod.Namespace, pod.Name))
	}
	return fmt.Sprintf("kube-scheduler waits for %s on %s, which %s terminating",
		listNames(names), waitsFor[0].NodeName, plural(len(names), "is", "are"))
}

// obstacle is what is said of the nodes that are no candidates for one reason.
type obstacle struct {
	reason report.PreemptionReason
	// predicate follows the number or the names of the nodes.
	predicate predicate
	// compared adds the Pod's priority.
	compared bool
	// named adds the plugins in the short table too.
	named bool
}

// obstacles are all, the nearest to being a candidate first.
var obstacles = []obstacle{
	{reason: report.PreemptionFailed, named: true,
		predicate: predicate{"makes kube-scheduler fail", "make kube-scheduler fail"}},
	{reason: report.ExtenderRejects, named: true, predicate: predicate{"is refused", "are refused"}},
	{reason: report.StillRejected, named: true, compared: true, predicate: predicate{
		"rejects it even without all Pods of lower priority", "reject it even without all Pods of lower priority"}},
	{reason: report.NoLowerPriority, compared: true,
		predicate: predicate{"has no Pod of lower priority", "have no Pod of lower priority"}},
	unresolvable,
}

var unresolvable = obstacle{reason: report.Unresolvable,
	predicate: predicate{"rejects it whatever is evicted", "reject it whatever is evicted"}}

// obstaclesText says of all nodes that are no candidates why: "1 node has no Pod of lower priority than 0, 2 nodes
// reject it whatever is evicted".
func (p *tablePrinter) obstaclesText(preemption *report.Preemption) string {
	var parts []string
	for _, o := range obstacles {
		if text := p.obstacleText(preemption, o); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, ", ")
}

// obstacleText says of how many nodes, or in the wide table of which, an obstacle holds; empty when of none.
func (p *tablePrinter) obstacleText(preemption *report.Preemption, o obstacle) string {
	nodes, plugins := nodesWith(preemption, o.reason)
	if len(nodes) == 0 {
		return ""
	}
	text := count(len(nodes), "node")
	if p.wide {
		text = p.list(nodes)
	}
	text += " " + plural(len(nodes), o.predicate.one, o.predicate.many)
	if o.compared {
		text += fmt.Sprintf(" than %d", preemption.Priority)
	}
	if len(plugins) > 0 && (o.named || p.wide) {
		text += " (" + strings.Join(plugins, ", ") + ")"
	}
	return text
}

// nodesWith returns the nodes that are no candidates for the reason, and the plugins that reject them, both sorted.
func nodesWith(preemption *report.Preemption, reason report.PreemptionReason) (nodes, plugins []string) {
	for _, group := range preemption.Nodes {
		if group.Reason != reason {
			continue
		}
		nodes = append(nodes, group.Nodes...)
		if group.Plugin != "" && !slices.Contains(plugins, group.Plugin) {
			plugins = append(plugins, group.Plugin)
		}
	}
	slices.Sort(nodes)
	slices.Sort(plugins)
	return nodes, plugins
}

// noLowerSentence says that there is nobody to evict where it would help.
func (p *tablePrinter) noLowerSentence(preemption *report.Preemption) string {
	nodes, _ := nodesWith(preemption, report.NoLowerPriority)
	where := fmt.Sprintf("the %d nodes that it could use", len(nodes))
	switch {
	case len(nodes) == 1:
		where = nodes[0] + ", the only node that it could use"
	case p.wide:
		where += ", " + p.list(nodes)
	}
	text := fmt.Sprintf("no Pod of lower priority than %d on %s", preemption.Priority, where)
	if rest := p.obstacleText(preemption, unresolvable); rest != "" {
		text += " (" + rest + ")"
	}
	return text
}

// allRejectSentence says that evicting helps nowhere.
func (p *tablePrinter) allRejectSentence(preemption *report.Preemption) string {
	nodes, plugins := nodesWith(preemption, report.Unresolvable)
	text := fmt.Sprintf("all %d nodes %s", len(nodes), unresolvable.predicate.many)
	if len(nodes) == 1 {
		text = nodes[0] + ", the only node, " + unresolvable.predicate.one
	}
	if len(plugins) == 1 || p.wide && len(plugins) > 0 {
		text += " (" + strings.Join(plugins, ", ") + ")"
	}
	return text
}

// victimText names a Pod that would be evicted: "shop/batch-1 (priority 0)".
func victimText(v report.Victim) string {
	text := fmt.Sprintf("%s (priority %d", podName(v.Namespace, v.Name), v.Priority)
	switch {
	case len(v.PDBs) > 0:
		text += ", violates " + plural(len(v.PDBs), "PodDisruptionBudget ", "PodDisruptionBudgets ") + listNames(v.PDBs)
	case v.ViolatesPDB:
		text += ", violates its PodDisruptionBudget"
	}
	return text + ")"
}

func podName(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}

// list writes names as listNames does, more of them in the wide table.
func (p *tablePrinter) list(names []string) string {
	if p.wide {
		return namesUpTo(names, maxWideNames)
	}
	return listNames(names)
}

// namesUpTo writes "a", "a and b", "a, b and c", and beyond most names "a, b and 4 more".
func namesUpTo(names []string, most int) string {
	if len(names) > most+1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
