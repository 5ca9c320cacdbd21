package printers

import (
	"io"
	"strings"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// bindingLines prints a line per Pod, as kubectl tells what it did.
type bindingLines struct {
	layout
}

// Print writes what became of each Pod and below it, indented, what there is to know about its node, and what
// kube-scheduler would do next.
func (p bindingLines) Print(w io.Writer, bindings []*report.Binding) error {
	for _, b := range bindings {
		b = escaped(b)
		text := paragraph(p.sentence(b), p.width)
		if over := overSentence(b.NodeName, b.Overcommitted); over != "" {
			text += indented(hanging, over+" "+overAdvice, p.width)
		}
		if b.Preemption != nil {
			text += indented(hanging, p.bindingPreemption(b), p.width)
		}
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
	}
	return nil
}

// sentence says what became of the Pod: "pod/web-0 bound to node-3".
func (p bindingLines) sentence(b *report.Binding) string {
	words, toNode := "not bound", ""
	if b.NodeName != "" {
		toNode = " to " + b.NodeName
	}
	rest := ""
	switch b.Result {
	case report.ResultBound:
		words, rest = "bound", toNode+bindingMarks(b)
	case report.ResultBoundElsewhere:
		words, rest = "bound", toNode+" by somebody else meanwhile"
	case report.ResultSkipped:
		words = "skipped"
	case report.ResultFailed:
		rest = toNode
	}
	return withMessage(kindPod+"/"+b.Metadata.Name+" "+p.colors.paintAs(string(b.Result), words)+rest, b.Reason)
}

// bindingPreemption tells whom kube-scheduler would evict for a Pod that was not bound, or why nobody.
func (l layout) bindingPreemption(b *report.Binding) string {
	remark := (&tablePrinter{layout: l}).preemptionRemark(b.Preemption, b.Reason)
	if len(b.Preemption.Victims) == 0 {
		return remark
	}
	return remark + ". Nothing was evicted."
}

// paintAs colors a text as the verdict.
func (p palette) paintAs(verdict, text string) string {
	return strings.Replace(p.paint(verdict), verdict, text, 1)
}
