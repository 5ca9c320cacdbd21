package printers

import (
	"io"
	"iter"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// The outputs that only reports have; the others are in machineFormats.
const (
	outputTable = ""
	outputWide  = "wide"
	outputName  = "name"
)

// Options say how reports are printed.
type Options struct {
	// Output is the value of --output: empty for the table, wide, name, json, yaml, kyaml, jsonpath=…,
	// go-template=… and what else Formats returns.
	Output string
	// NoHeaders leaves out the column headers of tables.
	NoHeaders bool
	// Color marks verdicts and results by color; no fact is told by color alone.
	Color bool
	// Nodes selects the nodes of tables: all, failed, feasible, or how many to show. When empty, all nodes are there,
	// but beyond a screenful those that fail alike share a line.
	Nodes string
	// Scores adds the opinion of every Score plugin on the nodes that fit.
	Scores bool
	// Bulk gives bindings a table with a row per Pod, in place of a line per Pod as kubectl writes it.
	Bulk bool
	// Width is the terminal's width in columns. With 0, tables are 100 columns wide, and wide ones as wide as they
	// need. Tables that are not wide use at most 120 columns.
	Width int
	// RequireKeys makes JSONPath and Go templates fail at keys that a report does not have, as kubectl does with
	// --allow-missing-template-keys=false.
	RequireKeys bool
}

// Printer writes explanations, in their order. Tables are written as the explanations come, so that no more than one is
// held at a time; the other formats need all of them.
type Printer interface {
	Print(w io.Writer, explanations iter.Seq[*report.Explanation]) error
}

// New returns the printer for the options. It fails, naming the flag and what it allows, when they are not valid; it
// reads no more than the template file that --output names.
func New(options Options) (Printer, error) {
	nodes, err := parseSelection(options.Nodes)
	if err != nil {
		return nil, err
	}
	switch options.Output {
	case outputTable, outputWide:
		return newTablePrinter(options, nodes), nil
	case outputName:
		return namePrinter{}, nil
	default:
		return newMachinePrinter[*report.Explanation](options)
	}
}
