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
	// maxDifferences is how many plugins the sentence about two nodes lists.
	maxDifferences = 4
	// differenceWidth is how wide the table of differences is beside the names of the nodes, which are wrapped to what is
	// left, but not below minNodeHeader.
	differenceWidth = 60
	minNodeHeader   = 6
)

// writeComparison writes which of two nodes is better and why.
func (p *tablePrinter) writeComparison(b *bytes.Buffer, e *report.Explanation) error {
	sentence := unscoredSentence(e)
	if e.Comparison.Scored {
		sentence = scoredSentence(e)
	}
	b.WriteString("\n" + paragraph(sentence, p.width))
	if !e.Comparison.Scored {
		return nil
	}
	return p.writeTable(b, p.differenceTable(e))
}

// scoredSentence compares two nodes that both fit.
func scoredSentence(e *report.Explanation) string {
	c := e.Comparison
	if c.Tie {
		sentence := fmt.Sprintf("%s and %s are tied at %d", c.A, c.B, c.Totals.A)
		return sentence + tieOutcome(e) + nominatedRemark(e)
	}
	better, worse, sign := c.A, c.B, int64(1)
	high, low := c.Totals.A, c.Totals.B
	if c.Better == c.B {
		better, worse, sign, high, low = worse, better, -1, low, high
	}
	sentence := fmt.Sprintf("%s (%d) beats %s (%d) by %d", better, high, worse, low, high-low)
	return withMessage(sentence, differences(c.Plugins, sign)) + nominatedRemark(e)
}

// tieOutcome says what kube-scheduler makes of a tie.
func tieOutcome(e *report.Explanation) string {
	if best := e.Nodes[0]; best.Total > e.Comparison.Totals.A {
		return fmt.Sprintf(", behind %s (%d)", best.Name, best.Total)
	}
	return ": kube-scheduler would pick one at random (explain names the first by name)"
}

// nominatedRemark says that scores do not count, when they do not.
func nominatedRemark(e *report.Explanation) string {
	i := indexNode(e.Nodes, e.NominatedNodeName)
	if i < 0 || e.Nodes[i].Verdict != report.Feasible || e.Verdict == report.Bound {
		return ""
	}
	return "; kube-scheduler takes " + e.NominatedNodeName + ", the nominated node, whatever the scores"
}

// differences lists what speaks for the better node and against it, the largest first: "NodeResourcesFit +48".
func differences(plugins []report.ScoreDifference, sign int64) string {
	plugins = slices.DeleteFunc(slices.Clone(plugins), func(d report.ScoreDifference) bool { return d.Difference == 0 })
	slices.SortStableFunc(plugins, func(a, b report.ScoreDifference) int {
		return cmp.Compare(max(b.Difference, -b.Difference), max(a.Difference, -a.Difference))
	})
	var parts []string
	for _, d := range plugins[:min(maxDifferences, len(plugins))] {
		parts = append(parts, fmt.Sprintf("%s %+d", d.Plugin, sign*d.Difference))
	}
	if rest := plugins[len(parts):]; len(rest) > 0 {
		sum := int64(0)
		for _, d := range rest {
			sum += sign * d.Difference
		}
		parts = append(parts, fmt.Sprintf("%s %+d", count(len(rest), "other"), sum))
	}
	return strings.Join(parts, ", ")
}

// unscoredSentence compares two nodes that do not both fit.
func unscoredSentence(e *report.Explanation) string {
	c := e.Comparison
	againstA := c.A + " does not fit (" + strings.Join(c.RejectedBy.A, ", ") + ")"
	againstB := c.B + " does not fit (" + strings.Join(c.RejectedBy.B, ", ") + ")"
	noScores := "; no scores: kube-scheduler scores only nodes that fit"
	if countFeasible(e.Nodes) == 1 {
		noScores = "; no scores: kube-scheduler scores no node when only one fits"
	}
	switch c.Better {
	case c.A:
		return c.A + " fits, " + againstB + noScores
	case c.B:
		return c.B + " fits, " + againstA + noScores
	}
	return againstA + ", and " + againstB
}

// differenceTable sets the weighted scores of both nodes against each other; the wide one shows all their steps.
func (p *tablePrinter) differenceTable(e *report.Explanation) grid {
	c := e.Comparison
	t := grid{headers: []string{"PLUGIN", "WEIGHT", c.A, c.B, "DIFFERENCE"}, gap: reasonGap}
	if p.width > 0 {
		room := max((p.width-differenceWidth)/2, minNodeHeader)
		for i := range 2 {
			t.headers[2+i] = strings.Join(wrap(t.headers[2+i], room, room), "\n")
		}
	}
	a, b := indexNode(e.Nodes, c.A), indexNode(e.Nodes, c.B)
	for _, d := range c.Plugins {
		cellA, cellB := strconv.FormatInt(d.A, 10), strconv.FormatInt(d.B, 10)
		if p.wide {
			cellA, cellB = p.scoreCell(row{node: e.Nodes[a]}, d.Plugin), p.scoreCell(row{node: e.Nodes[b]}, d.Plugin)
		}
		weight := strconv.FormatInt(d.Weight, 10)
		t.rows = append(t.rows, []string{d.Plugin, weight, cellA, cellB, signed(d.Difference)})
	}
	t.rows = append(t.rows, []string{
		"TOTAL", nothing, strconv.FormatInt(c.Totals.A, 10), strconv.FormatInt(c.Totals.B, 10), signed(c.Totals.Difference),
	})
	if p.width > 0 {
		t.leaveOut(p.width, minNode, "WEIGHT", "DIFFERENCE")
		t.fitFirst(p.width, minNode)
	}
	return t
}

// signed writes a difference with its sign; none is 0.
func signed(difference int64) string {
	if difference == 0 {
		return "0"
	}
	return fmt.Sprintf("%+d", difference)
}
