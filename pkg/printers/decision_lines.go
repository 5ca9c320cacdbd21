package printers

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// decisionColumn is a column of the stream of decisions.
type decisionColumn struct {
	header string
	width  int
	cell   func(*report.Decision) string
}

const (
	headerNode = "NODE"
	headerWhy  = "WHY"
	// whyWidth is what every line keeps for its end: "(dry run)".
	whyWidth = 9
	// decisionIndent is that of the lines that belong to the one before: below the Pod.
	decisionIndent = clockWidth + scoreGap
)

// Widths of the columns that hold names: in wide lines, and at least in the others.
const (
	widePod, wideNode = 40, 32
	minPodColumn      = 16
	minNodeColumn     = 12
)

// decisionLines prints a line per decision.
type decisionLines struct {
	layout
	columns []decisionColumn
	// nodes prints those of explanations.
	nodes *tablePrinter
	// begun tells that the headers are written.
	begun bool
	// out is kept, so that its memory is.
	out bytes.Buffer
}

func newDecisionLines(options Options, nodes selection) *decisionLines {
	p := &decisionLines{layout: newLayout(options, decisionColors()), nodes: newTablePrinter(options, nodes)}
	if p.nodes.width > 0 {
		p.nodes.width = max(p.nodes.width-decisionIndent, minWidth)
	}
	p.columns = p.decisionColumns()
	return p
}

// decisionColumns are those of the layout, without the last: a sentence has no width.
func (l layout) decisionColumns() []decisionColumn {
	columns := []decisionColumn{
		{"TIME", clockWidth, decisionTime},
		{"POD", widePod, func(d *report.Decision) string { return nameOf(d.Metadata) }},
		{headerNode, wideNode, decisionPlace},
		{"NODES", 7, decisionNodes},
		{"SCORE", 5, decisionScore},
		{"TOOK", 6, func(d *report.Decision) string { return readableTime(d.LatencyMilliseconds) }},
	}
	if l.wide {
		return append(columns,
			decisionColumn{"PROFILE", 17, func(d *report.Decision) string { return escape(d.Profile) }},
			decisionColumn{"ATTEMPTS", 8, func(d *report.Decision) string { return strconv.Itoa(d.Attempts) }},
			decisionColumn{"QUEUED", 7, func(d *report.Decision) string { return readableTime(d.QueuedMilliseconds) }},
			decisionColumn{"TRIES", 5, func(d *report.Decision) string { return strconv.Itoa(d.Tries) }})
	}
	pod, node := &columns[1], &columns[2]
	left := l.width - whyWidth + pod.width + node.width
	for _, c := range columns {
		left -= c.width + scoreGap
	}
	pod.width = max(left*3/5, minPodColumn) // a Pod's name has its namespace and its owner's name in it
	node.width = max(left-pod.width, minNodeColumn)
	return columns
}

// Print writes the line, after the headers if it is the first, and what belongs to it.
func (p *decisionLines) Print(w io.Writer, d *report.Decision) error {
	p.out.Reset()
	if !p.begun && !p.noHeaders {
		p.writeHeaders()
	}
	p.begun = true
	p.writeLine(d)
	if d.Explanation != nil {
		if err := p.writeNodes(d.Explanation); err != nil {
			return fmt.Errorf("printing the nodes of %s: %w", nameOf(d.Metadata), err)
		}
	}
	_, err := w.Write(p.out.Bytes())
	return err
}

func (p *decisionLines) writeHeaders() {
	line := tabbedLine{text: p.out.AvailableBuffer()}
	for _, c := range p.columns {
		line.cell(c.header, c.width, "")
	}
	line.cell(headerWhy, 0, "")
	p.out.Write(append(line.text, '\n'))
}

// writeLine writes the decision's line, and its sentence below if the line has no room for it.
func (p *decisionLines) writeLine(d *report.Decision) {
	line := tabbedLine{text: p.out.AvailableBuffer()}
	for _, c := range p.columns {
		color := ""
		if c.header == headerNode {
			color = p.colors[string(d.Result)]
		}
		line.cell(orNothing(c.cell(d)), c.width, color)
	}
	why := decisionWhy(d)
	room := max(p.width-max(line.next, line.end+scoreGap), whyWidth)
	inline := p.wide || textWidth(why) <= room
	if inline && why != "" {
		line.cell(why, 0, "")
	}
	p.out.Write(append(line.text, '\n'))
	if !inline {
		columns := p.width - decisionIndent
		p.writeIndented(wrap(why, columns, columns))
	}
}

// writeNodes writes how every node fares, and how it would without the plugins that keep nodes from being looked at.
func (p *decisionLines) writeNodes(e *report.Explanation) error {
	e = escaped(e)
	var block bytes.Buffer
	if e.Next != nil {
		block.WriteString(paragraph(nextRemark(e.Next), p.nodes.width))
	}
	if err := p.nodes.writeNodes(&block, e); err != nil {
		return err
	}
	p.writeIndented(strings.Split(block.String(), "\n"))
	return nil
}

// writeIndented writes the lines that are not empty.
func (p *decisionLines) writeIndented(lines []string) {
	for _, line := range lines {
		if line = strings.TrimRight(line, " "); line != "" {
			fmt.Fprintf(&p.out, "%*s%s\n", decisionIndent, "", line)
		}
	}
}

// orNothing fills a cell that has no value, so that every line has as many.
func orNothing(cell string) string {
	if cell == "" {
		return nothing
	}
	return cell
}
