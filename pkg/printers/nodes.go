package printers

import (
	"bytes"
	"fmt"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

const (
	// reasonGap is how many spaces kubectl puts between columns; scoreGap spares some, since scores have many columns.
	reasonGap = 3
	scoreGap  = 2
	// minReasons is the width that the REASONS column keeps even beside very long node names.
	minReasons = 24
	// minNode is the width that the NODE column keeps even beside very many scores.
	minNode = 20
)

// writeNodes writes the table of the nodes, in its own paragraph. With scores, the nodes that were scored come in a
// table of their own before it: they have no reasons, and the others have no scores.
func (p *tablePrinter) writeNodes(b *bytes.Buffer, e *report.Explanation) error {
	rows := p.rows(e)
	rest := rows
	if p.scores {
		scored := 0
		for scored < len(rows) && len(rows[scored].node.Scores) > 0 {
			scored++
		}
		if err := p.writeTable(b, p.scoreTable(rows[:scored])); err != nil {
			return err
		}
		rest = rows[scored:]
	}
	if err := p.writeTable(b, p.reasonTable(rest)); err != nil {
		return err
	}
	for _, hint := range p.hints(e, rows) {
		b.WriteString(paragraph(hint, p.width))
	}
	return nil
}

// writeTable writes a table after a blank line, or nothing for a table without rows.
func (p *tablePrinter) writeTable(b *bytes.Buffer, t grid) error {
	if len(t.rows) == 0 {
		return nil
	}
	b.WriteByte('\n')
	if p.noHeaders {
		t.headers = nil
	}
	return t.write(b)
}

// reasonTable tells of each node how it fares and why.
func (p *tablePrinter) reasonTable(rows []row) grid {
	t := grid{headers: []string{"NODE", "VERDICT", "SCORE", "REASONS"}, gap: reasonGap}
	for _, r := range rows {
		verdict := p.colors.paint(string(r.node.Verdict))
		t.rows = append(t.rows, []string{r.name(), verdict, r.score(), r.reasons})
	}
	if p.width > 0 {
		t.fit(p.width, minReasons)
	}
	return t
}

// hints tell what the tables do not show, and how to see it.
func (p *tablePrinter) hints(e *report.Explanation, rows []row) []string {
	var hints []string
	if p.scores && countFeasible(e.Nodes) == 1 && len(e.Nodes[0].Scores) == 0 {
		hints = append(hints, "no scores: kube-scheduler scores no node when only one fits")
	}
	switch p.nodes.mode {
	case firstNodes:
		if left := len(e.Nodes) - len(rows); left > 0 {
			hints = append(hints, count(left, "node")+" left out; --nodes=all lists every node")
		}
	case foldedNodes, failedNodes:
		nodes := len(p.nodes.choose(e.Nodes))
		if nodes == 0 && len(e.Nodes) > 0 {
			hints = append(hints, count(len(e.Nodes), "node")+" left out; --nodes=all lists every node")
		}
		if nodes > screenful && len(rows) < nodes {
			lines := count(len(rows), "line")
			hints = append(hints, fmt.Sprintf("%d nodes on %s; --nodes=all lists every node", nodes, lines))
		}
	case feasibleNodes:
		if left := len(e.Nodes) - len(rows); left > 0 && len(rows) == 0 {
			hints = append(hints, "no node fits; --nodes=all lists every node")
		}
	case allNodes:
	}
	return hints
}
