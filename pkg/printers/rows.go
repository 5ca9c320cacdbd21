package printers

import (
	"fmt"
	"strconv"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

const (
	// screenful is how many nodes are shown one by one before those that fare alike share a line.
	screenful = 20
	// bestShown is how many feasible nodes beyond a screenful are shown one by one.
	bestShown = 10
	// nothing fills a cell that has no value, so that columns can be told apart by scripts too.
	nothing = "-"
)

// row is one line of a table: a node, or the first of several that fare alike.
type row struct {
	node report.Node
	// more counts the other nodes on the line; the last of them is in last.
	more int
	last report.Node
	// reasons is the text of the REASONS column.
	reasons string
}

// rows returns the lines for the selected nodes.
func (p *tablePrinter) rows(e *report.Explanation) []row {
	s := withNumbers
	if p.wide {
		s = withPlugins
	}
	nodes := p.nodes.choose(e.Nodes)
	rows := make([]row, 0, len(nodes))
	for _, node := range nodes {
		rows = append(rows, row{node: node, reasons: nodeReasons(e, node, s)})
	}
	folds := p.nodes.mode == foldedNodes || p.nodes.mode == failedNodes
	if folds && (len(rows) > screenful || noneEvaluated(nodes)) {
		return foldRows(e, rows)
	}
	return rows
}

// foldRows puts nodes that fare alike on the line of the first of them: those that fail for the same reasons, amounts
// aside, and the feasible ones after the best.
func foldRows(e *report.Explanation, rows []row) []row {
	var out []row
	index := map[string]int{}
	for i, r := range rows {
		if r.node.Verdict == report.Feasible && i < bestShown {
			out = append(out, r)
			continue
		}
		plain := nodeReasons(e, r.node, withoutNumbers)
		key := string(r.node.Verdict) + " " + plain
		first, known := index[key]
		if !known {
			index[key] = len(out)
			out = append(out, r)
			continue
		}
		out[first].more++
		out[first].last = r.node
		if out[first].reasons != r.reasons {
			out[first].reasons = plain
		}
	}
	return out
}

func (r row) name() string {
	if r.more == 0 {
		return r.node.Name
	}
	return fmt.Sprintf("%s +%d more", r.node.Name, r.more)
}

// score is the node's total, or the range of totals of the nodes on the line.
func (r row) score() string {
	if len(r.node.Scores) == 0 {
		return nothing
	}
	best := strconv.FormatInt(r.node.Total, 10)
	if r.more == 0 || r.last.Total == r.node.Total {
		return best
	}
	return best + "-" + strconv.FormatInt(r.last.Total, 10)
}
