package printers

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// Widths of tables, in columns.
const (
	defaultWidth = 100
	minWidth     = 40
	maxWidth     = 120
)

// layout is how text for people is laid out.
type layout struct {
	wide      bool
	noHeaders bool
	colors    palette
	// width limits the lines; 0 does not.
	width int
}

// newLayout returns the layout for the options, which colors by the palette if it does at all.
func newLayout(options Options, colors palette) layout {
	l := layout{wide: options.Output == outputWide, noHeaders: options.NoHeaders}
	if options.Color {
		l.colors = colors
	}
	switch {
	case options.Width > 0 && l.wide:
		l.width = max(options.Width, minWidth)
	case options.Width > 0:
		l.width = min(max(options.Width, minWidth), maxWidth)
	case !l.wide:
		l.width = defaultWidth
	}
	return l
}

// tablePrinter prints the table for people, and the wide one.
type tablePrinter struct {
	layout
	nodes  selection
	scores bool
}

func newTablePrinter(options Options, nodes selection) *tablePrinter {
	return &tablePrinter{layout: newLayout(options, verdictColors), nodes: nodes, scores: options.Scores}
}

// Print writes a block per explanation, with blank lines between them and, after several, how many got which verdict.
func (p *tablePrinter) Print(w io.Writer, explanations iter.Seq[*report.Explanation]) error {
	blocks, counts := 0, map[report.Verdict]int{}
	for e := range explanations {
		var block bytes.Buffer
		if blocks > 0 {
			block.WriteByte('\n')
		}
		blocks++
		counts[e.Verdict] += max(1, len(e.Pods)) // an answer for several identical Pods counts as many
		if err := p.writeBlock(&block, escaped(e)); err != nil {
			return fmt.Errorf("printing the table of %s: %w", escape(e.Metadata.Name), err)
		}
		if _, err := w.Write(block.Bytes()); err != nil {
			return err
		}
	}
	if blocks < 2 {
		return nil
	}
	_, err := io.WriteString(w, "\n"+paragraph(p.summary(counts), p.width))
	return err
}

// writeBlock writes all about one Pod: what was decided, what kube-scheduler says and would do, and the nodes, or what
// was asked about single nodes in place of them.
func (p *tablePrinter) writeBlock(b *bytes.Buffer, e *report.Explanation) error {
	b.WriteString(paragraph(p.headline(e), p.width))
	for _, line := range p.remarks(e) {
		b.WriteString(paragraph(line, p.width))
	}
	p.writeFixes(b, e)
	switch {
	case e.Story != nil:
		return p.writeStory(b, e)
	case e.Comparison != nil:
		return p.writeComparison(b, e)
	case e.Next != nil && countFeasible(e.Next.Nodes) < len(e.Next.Nodes) && len(p.nodes.choose(e.Next.Nodes)) > 0:
		b.WriteString("\n" + paragraph(nextTitle(e.Next), p.width))
		return p.writeNodes(b, asNext(e))
	}
	return p.writeNodes(b, e)
}

// verdicts is every verdict, in the order in which a summary counts them.
var verdicts = []report.Verdict{
	report.Schedulable, report.Bound, report.Unschedulable, report.Gated, report.NoProfile, report.Invalid,
}

// summary says how many Pods got which verdict.
func (p *tablePrinter) summary(counts map[report.Verdict]int) string {
	total := 0
	var parts []string
	for _, verdict := range verdicts {
		if counts[verdict] > 0 {
			total += counts[verdict]
			parts = append(parts, fmt.Sprintf("%d %s", counts[verdict], p.colors.paint(string(verdict))))
		}
	}
	return fmt.Sprintf("%s: %s", count(total, "Pod"), strings.Join(parts, ", "))
}

// count writes a number with its noun in singular or plural: "1 node", "2 nodes".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
