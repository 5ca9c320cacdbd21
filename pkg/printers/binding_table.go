package printers

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

const (
	// none fills an empty cell, as in kubectl's tables.
	none = "<none>"
	// wideColumn is where the wide table has its further columns: before the reason.
	wideColumn = 5
)

// bindingTable prints a table with a row per Pod.
type bindingTable struct {
	layout
}

// Print writes the table and what it leaves unsaid; nothing when there is no Pod.
func (p bindingTable) Print(w io.Writer, bindings []*report.Binding) error {
	if len(bindings) == 0 {
		return nil
	}
	safe := make([]*report.Binding, 0, len(bindings))
	for _, b := range bindings {
		safe = append(safe, escaped(b))
	}
	var out bytes.Buffer
	if err := p.writeTable(&out, p.table(safe)); err != nil {
		return fmt.Errorf("printing the table of bindings: %w", err)
	}
	p.writeOver(&out, safe)
	_, err := w.Write(out.Bytes())
	return err
}

// writeTable writes the table, and where its reasons are to be seen if they were cut to make it fit.
func (p bindingTable) writeTable(out *bytes.Buffer, t grid) error {
	cut := !p.wide && fitBindings(&t, p.width)
	if p.noHeaders {
		t.headers = nil
	}
	if err := t.write(out); err != nil {
		return err
	}
	if cut {
		out.WriteString(paragraph("Reasons that end in "+ellipsis+" are whole with -o wide.", p.width))
	}
	return nil
}

func (p bindingTable) table(bindings []*report.Binding) grid {
	t := grid{headers: []string{"NAMESPACE", "POD", "NODE", "RESULT", "TRIES", "REASON"}, gap: scoreGap}
	if p.wide {
		t.headers = slices.Insert(t.headers, wideColumn, "PROFILE", "FEASIBLE", "ATTEMPTS")
		t.gap = reasonGap
	}
	for _, b := range bindings {
		cells := []string{b.Metadata.Namespace, b.Metadata.Name, b.NodeName,
			p.colors.paint(string(b.Result)), strconv.Itoa(b.Tries), p.reason(b)}
		if p.wide {
			feasible, attempts := decisionCells(b.Decision)
			cells = slices.Insert(cells, wideColumn, b.Profile, feasible, attempts)
		}
		for i, cell := range cells {
			cells[i] = cmp.Or(cell, none)
		}
		t.rows = append(t.rows, cells)
	}
	return t
}

// decisionCells tell how many nodes fit, of how many that were judged, and how many cycles it took.
func decisionCells(d *report.Cycle) (feasible, attempts string) {
	if d == nil {
		return "", ""
	}
	return fmt.Sprintf("%d/%d", d.FeasibleNodes, d.EvaluatedNodes), strconv.Itoa(d.Attempts)
}

// reason says why the Pod is not bound, or what is special about its binding. The wide table also tells what
// kube-scheduler would do next; the other one leaves out what kube-scheduler says of every unschedulable Pod.
func (p bindingTable) reason(b *report.Binding) string {
	text := strings.TrimSpace(bindingMarks(b) + " " + b.Reason)
	switch {
	case !p.wide && b.Result == report.ResultUnschedulable:
		return withoutCount(text)
	case !p.wide || b.Preemption == nil:
		return text
	case text == "":
		return p.bindingPreemption(b)
	default:
		return strings.TrimSuffix(text, ".") + ". " + p.bindingPreemption(b)
	}
}

// withoutCount leaves out "0/8 nodes are available: " at the beginning of kube-scheduler's message.
func withoutCount(message string) string {
	count, reasons, found := strings.Cut(message, " nodes are available: ")
	if !found || !strings.HasPrefix(count, "0/") {
		return message
	}
	return reasons
}

// writeOver writes, in its own paragraph, which nodes have too little of what, and what to do.
func (p bindingTable) writeOver(out *bytes.Buffer, bindings []*report.Binding) {
	byNode := map[string][]report.Overcommitment{}
	for _, b := range slices.Backward(bindings) { // the last Pod of a node tells the latest
		for _, over := range b.Overcommitted { // each Pod names what it asks for itself
			if !slices.ContainsFunc(byNode[b.NodeName], isOf(over.Resource)) {
				byNode[b.NodeName] = append(byNode[b.NodeName], over)
			}
		}
	}
	if len(byNode) == 0 {
		return
	}
	out.WriteByte('\n')
	for _, node := range slices.Sorted(maps.Keys(byNode)) {
		slices.SortFunc(byNode[node], func(a, b report.Overcommitment) int { return strings.Compare(a.Resource, b.Resource) })
		out.WriteString(paragraph(overSentence(node, byNode[node]), p.width))
	}
	out.WriteString(paragraph(overAdvice, p.width))
}

func isOf(resource string) func(report.Overcommitment) bool {
	return func(over report.Overcommitment) bool { return over.Resource == resource }
}
