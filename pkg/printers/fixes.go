package printers

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// writeFixes writes the changes that make the Pod fit, in their own paragraph, each with the command that does it where
// there is one. A command that is wider than the table stays on its line in the wide table and is left out of the
// other.
func (p *tablePrinter) writeFixes(b *bytes.Buffer, e *report.Explanation) {
	if len(e.Fixes) == 0 {
		if e.FixesTried > 0 {
			without := ""
			if e.Preemption != nil && e.Preemption.Possible {
				without = " without evicting Pods"
			}
			b.WriteString(paragraph(fmt.Sprintf("No single change, and no two at once, would make it fit%s (%d tried).",
				without, e.FixesTried), p.width))
		}
		return
	}
	b.WriteString("\nWhat would make it fit (each was tried):\n")
	left := false
	for i, fix := range e.Fixes {
		number := fmt.Sprintf("%d. ", i+1)
		b.WriteString(indented(number, fixText(fix), p.width))
		for _, step := range fix.Steps {
			switch {
			case step.Command == "":
				left = left || step.Patch != "" || step.Create != "" && step.Kind != "Node"
			case !p.wide && p.width > 0 && twwidth.Width(step.Command)+len(number) > p.width:
				left = true
			default:
				b.WriteString(strings.Repeat(" ", len(number)) + step.Command + "\n")
			}
		}
	}
	if left {
		hint := "-o wide shows long commands too, -o yaml all patches."
		if p.wide {
			hint = "-o yaml shows all patches."
		}
		b.WriteString(paragraph(hint, p.width))
	}
}

// fixText says what to change and what that opens.
func fixText(fix report.Fix) string {
	text := fix.Change
	if slices.ContainsFunc(fix.Steps, func(step report.Step) bool { return step.Recreate }) {
		text += " (the Pod has to be made anew)"
	}
	if len(fix.Victims) == 0 {
		return text + ": opens " + listNames(fix.Nodes)
	}
	names := make([]string, 0, len(fix.Victims))
	for _, v := range fix.Victims {
		names = append(names, victimText(v))
	}
	return text + ": kube-scheduler would evict " + listNames(names) + " on " + listNames(fix.Nodes) + " for it"
}

// indented is a paragraph whose later lines stand below the first word after head.
func indented(head, text string, width int) string {
	lines := wrap(text, width-len(head), width-len(head))
	return head + strings.Join(lines, "\n"+strings.Repeat(" ", len(head))) + "\n"
}
