package printers

import (
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// outputJSON is the output of a stream that programs read.
const outputJSON = "json"

// DecisionPrinter writes what a running scheduler decides, as it comes. It is not for use by several goroutines at
// once.
type DecisionPrinter interface {
	// Print writes one decision, whole, in a single call of w.Write: readers of a pipe never see half of it.
	Print(w io.Writer, decision *report.Decision) error
}

// NewDecisions returns the printer of decisions for the options: their Output, NoHeaders, Color and Width, and for the
// nodes of explanations Nodes and Scores. It fails, naming the flag and what it allows, when they are not valid.
//
// The empty output and wide are a line per decision, whose columns begin at the same place in all lines, however many
// are to come:
//
//	12:03:04.512  shop/web-7f9c-x2x  → general-b1  12/40    312    8ms
//	12:03:04.518  shop/big-0         ✗             0/40     -      3ms
//	              0/40 nodes are available: 2 node(s) had untolerated taint(s), 38 Insufficient cpu.
//
// No name is ever cut, so that a search for it finds the line: one that is longer than its column makes the line as
// much longer. The sentence why not stands at the end of the line when the width has room for it there, and otherwise
// whole on lines of its own, indented. A wide line is never broken. The nodes of a decision's Explanation follow,
// indented.
//
// The output json is a JSON object per line, and name is the Pods that are bound: "pod/web-0".
func NewDecisions(options Options) (DecisionPrinter, error) {
	nodes, err := parseSelection(options.Nodes)
	if err != nil {
		return nil, err
	}
	switch options.Output {
	case outputTable, outputWide:
		return newDecisionLines(options, nodes), nil
	case outputJSON:
		return &decisionObjects{}, nil
	case outputName:
		return decisionNames{}, nil
	}
	return nil, fmt.Errorf("--output %q: no format of a stream, allowed formats are: %s",
		options.Output, strings.Join(DecisionFormats(), ", "))
}

// DecisionFormats returns the values that --output allows for decisions, sorted; Formats has those for results that are
// printed at once.
func DecisionFormats() []string { return []string{outputJSON, outputName, outputWide} }

// decisionObjects prints JSON lines.
type decisionObjects struct {
	// line is kept, so that its memory is.
	line []byte
}

// Print writes one compact JSON object and a newline.
func (p *decisionObjects) Print(w io.Writer, d *report.Decision) error {
	data, err := document{d}.MarshalJSON()
	if err != nil {
		return fmt.Errorf("printing the decision about %s as JSON: %w", nameOf(d.Metadata), err)
	}
	p.line = append(append(p.line[:0], data...), '\n')
	_, err = w.Write(p.line)
	return err
}

// decisionNames prints the Pods that are bound, or would be in a dry run.
type decisionNames struct{}

// Print writes the name on a line of its own, or nothing.
func (decisionNames) Print(w io.Writer, d *report.Decision) error {
	if d.Result != report.ResultBound {
		return nil
	}
	return writeName(w, kindPod, d.Metadata.Name)
}

// decisionColors are those of what became of Pods, and of Pods that are evicted for others.
func decisionColors() palette {
	colors := maps.Clone(resultColors)
	colors[string(report.ResultPreempted)] = yellow
	return colors
}
