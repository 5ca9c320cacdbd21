package printers

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

const (
	// podsShown is how many Pods of a node are shown before the rest is counted.
	podsShown = 10
	// minPod is the width that the POD column keeps even beside many resources.
	minPod = 40
	// minResource is the width that the RESOURCE column keeps.
	minResource = 12
)

var stanceColors = palette{
	string(report.Passes):     green,
	string(report.Rejects):    red,
	string(report.NotReached): yellow,
}

// writeStory writes all about one node: what the Pod would need there, every plugin's verdict, what the node has, and
// who uses it.
func (p *tablePrinter) writeStory(b *bytes.Buffer, e *report.Explanation) error {
	i := indexNode(e.Nodes, e.Story.NodeName)
	if i < 0 {
		return nil
	}
	b.WriteString("\n" + paragraph(p.storySentence(e, e.Nodes[i]), p.width))
	tables := []grid{
		p.stanceTable(e, e.Nodes[i]), p.accountTable(e.Story.Resources), p.usageTable(e.Story),
	}
	for _, t := range tables {
		if err := p.writeTable(b, t); err != nil {
			return err
		}
	}
	if left := len(e.Story.Pods) - p.podCount(e.Story); left > 0 {
		b.WriteString(paragraph(count(left, "Pod")+" left out; --nodes=all lists every Pod", p.width))
	}
	return nil
}

// storySentence says how the Pod fares on the node, and what it would need there.
func (p *tablePrinter) storySentence(e *report.Explanation, node report.Node) string {
	sentence := node.Name + ": " + p.colors.paint(string(node.Verdict)) + " - "
	switch node.Verdict {
	case report.Feasible:
		return sentence + placeSentence(e, node)
	case report.NotEvaluated:
		return sentence + nodeReasons(e, node, withNumbers) + nextNeeds(e, node.Name)
	default:
		return sentence + needsSentence(node)
	}
}

// placeSentence says how good a feasible node is.
func placeSentence(e *report.Explanation, node report.Node) string {
	feasible := e.Nodes[:countFeasible(e.Nodes)]
	switch {
	case isDaemonSet(e):
		return "no plugin rejects it"
	case len(feasible) == 1:
		return "the only node that fits"
	}
	place := rank(feasible, indexNode(feasible, node.Name))
	return fmt.Sprintf("number %d of %d that fit (score %d)", place, len(feasible), node.Total)
}

// nextNeeds says how the Pod would fare on the node without the plugins that keep it from being looked at.
func nextNeeds(e *report.Explanation, name string) string {
	if e.Next == nil {
		return ""
	}
	i := indexNode(e.Next.Nodes, name)
	if i < 0 || e.Next.Nodes[i].Verdict == report.NotEvaluated {
		return ""
	}
	without := "; without " + listNames(e.Next.SetAside) + " "
	if e.Next.Nodes[i].Verdict == report.Feasible {
		return without + "it fits there"
	}
	return without + needsSentence(e.Next.Nodes[i])
}

// needsSentence says what it would take for the Pod to fit on a node that rejects it.
func needsSentence(node report.Node) string {
	var needs []string
	for _, r := range node.Filters {
		needs = append(needs, need(r))
	}
	return "the Pod would need there: " + strings.Join(needs, "; ")
}

// need is what would make one plugin pass: "1890m more free cpu", "a toleration of dedicated=gpu:NoSchedule".
func need(r report.Rejection) string {
	var amounts []string
	for _, detail := range r.Details {
		switch d, ok := detail.(report.InsufficientResource); {
		case !ok:
		case d.Resource == resourcePods:
			amounts = append(amounts, "a free place for a Pod")
		default:
			amounts = append(amounts, readableOf(d.Resource, d.Missing)+" more free "+d.Resource)
		}
	}
	if len(amounts) > 0 {
		return strings.Join(amounts, ", ")
	}
	if taints := taintFacts(r.Details); len(taints) > 0 {
		return plural(len(taints), "a toleration", "tolerations") + " of " + listNames(taints)
	}
	facts := make([]string, 0, len(r.Details))
	for _, detail := range r.Details {
		facts = append(facts, factText(detail, withNumbers))
	}
	said := strings.Join(slices.Compact(nonEmpty(facts)), ", ")
	if said == "" {
		said = strings.Join(r.Reasons, ", ")
	}
	return fmt.Sprintf("%s to pass (%s)", r.Plugin, said)
}

// stanceTable tells what every plugin says.
func (p *tablePrinter) stanceTable(e *report.Explanation, node report.Node) grid {
	t := grid{headers: []string{"PLUGIN", "VERDICT", "REASONS"}, gap: reasonGap}
	for _, plugin := range e.Story.Plugins {
		name, verdict := plugin.Plugin, string(plugin.Verdict)
		if plugin.Point != report.FilterPoint {
			name += fmt.Sprintf(" (%s)", plugin.Point)
		}
		if p.colors != nil {
			verdict = stanceColors.paint(verdict)
		}
		if plugin.Decides {
			verdict += " first"
		}
		t.rows = append(t.rows, []string{name, verdict, p.stanceReasons(e, node, plugin)})
	}
	if p.width > 0 {
		t.fit(p.width, minReasons)
	}
	return t
}

// stanceReasons are those of a plugin that rejects, or would if it were reached; the wide table adds its code.
func (p *tablePrinter) stanceReasons(e *report.Explanation, node report.Node, plugin report.PluginVerdict) string {
	var rejections []report.Rejection
	would := ""
	switch {
	case plugin.Verdict == report.Rejects:
		rejections = slices.Concat(node.Filters, e.PreFilter)
	case plugin.Verdict == report.NotReached && e.Next != nil:
		would = "would reject: "
		if i := indexNode(e.Next.Nodes, node.Name); i >= 0 {
			rejections = e.Next.Nodes[i].Filters
		}
	}
	i := slices.IndexFunc(rejections, func(r report.Rejection) bool { return r.Plugin == plugin.Plugin })
	if i < 0 {
		return nothing
	}
	text := would + rejectionText(rejections[i], withNumbers)
	if p.wide {
		text += " [" + rejections[i].Code + "]"
	}
	return text
}

// accountTable tells what the node has and what the Pod wants of it.
func (p *tablePrinter) accountTable(accounts []report.ResourceAccount) grid {
	t := grid{headers: []string{"RESOURCE", "ALLOCATABLE", "REQUESTED", "FREE", "WANTED", "MISSING"}, gap: reasonGap}
	for _, a := range accounts {
		write := func(quantity string) string { return readableOf(a.Resource, quantity) }
		missing := nothing
		if a.Missing != "" {
			missing = write(a.Missing)
		}
		t.rows = append(t.rows, []string{
			a.Resource, write(a.Allocatable), write(a.Requested), write(a.Free), write(a.Wanted), missing,
		})
	}
	if p.width > 0 {
		t.leaveOut(p.width, minResource, "ALLOCATABLE", "REQUESTED", "MISSING")
		t.fitFirst(p.width, minResource)
	}
	return t
}

// usageTable tells who uses the node, the largest first, with cpu, memory and what the Pod misses, as far as there is
// room for it.
func (p *tablePrinter) usageTable(story *report.Story) grid {
	resources, others := []string{"cpu", "memory"}, []string{}
	for _, a := range story.Resources {
		if a.Missing != "" && a.Resource != resourcePods && !slices.Contains(resources, a.Resource) {
			resources = append(resources, a.Resource)
			others = append([]string{strings.ToUpper(a.Resource)}, others...)
		}
	}
	t := grid{headers: []string{"POD", "PRIORITY"}, gap: reasonGap}
	for _, resource := range resources {
		t.headers = append(t.headers, strings.ToUpper(resource))
	}
	for _, pod := range story.Pods[:p.podCount(story)] {
		t.rows = append(t.rows, usageRow(pod, resources))
	}
	if p.width > 0 {
		t.leaveOut(p.width, minPod, others...)
		t.leaveOut(p.width, minNode, "PRIORITY")
		t.fitFirst(p.width, minNode)
	}
	return t
}

func usageRow(pod report.PodUsage, resources []string) []string {
	name := pod.Namespace + "/" + pod.Name
	if pod.Nominated {
		name += " (nominated)"
	}
	cells := []string{name, strconv.Itoa(int(pod.Priority))}
	for _, resource := range resources {
		cells = append(cells, readableOf(resource, cmp.Or(pod.Requests[resource], "0")))
	}
	return cells
}

// podCount is how many of the node's Pods are shown.
func (p *tablePrinter) podCount(story *report.Story) int {
	if p.nodes.mode == allNodes {
		return len(story.Pods)
	}
	return min(podsShown, len(story.Pods))
}
