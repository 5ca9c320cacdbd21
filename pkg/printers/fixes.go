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
// there is one.
func (p *tablePrinter) writeFixes(b *bytes.Buffer, e *report.Explanation) {
	if len(e.Fixes) == 0 {
		if e.FixesTried > 0 {
			b.WriteString(paragraph(noFixText(e), p.width))
		}
		return
	}
	b.WriteString("\nWhat would make it fit (each was tried):\n")
	left := false
	for i, fix := range e.Fixes {
		number := fmt.Sprintf("%d. ", i+1)
		b.WriteString(indented(number, fixText(fix), p.width))
		for _, step := range fix.Steps {
			left = !p.writeCommand(b, step, len(number)) || left
		}
	}
	if left {
		b.WriteString(paragraph(p.leftHint(), p.width))
	}
}

func noFixText(e *report.Explanation) string {
	without := ""
	if e.Preemption != nil && e.Preemption.Possible {
		without = " without evicting Pods"
	}
	return fmt.Sprintf("No single change, and no two at once, would make it fit%s (%d tried).", without, e.FixesTried)
}

// writeCommand writes what does a step, indented; false when the report has more to paste than is shown. A command that
// is wider than the table is shown in the wide one only.
func (p *tablePrinter) writeCommand(b *bytes.Buffer, step report.Step, indent int) (all bool) {
	switch {
	case step.Command == "":
		return step.Patch == "" && (step.Create == "" || step.Kind == "Node" || step.Kind == "CSINode")
	case !p.wide && p.width > 0 && twwidth.Width(step.Command)+indent > p.width:
		return false
	}
	b.WriteString(strings.Repeat(" ", indent) + step.Command + "\n")
	return true
}

func (p *tablePrinter) leftHint() string {
	if p.wide {
		return "-o yaml shows all patches."
	}
	return "-o wide shows long commands too, -o yaml all patches."
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
