package printers

import (
	"io"
	"slices"
	"strings"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// BindingPrinter writes what became of Pods that were to be bound, in their order.
type BindingPrinter interface {
	Print(w io.Writer, bindings []*report.Binding) error
}

// NewBindings returns the printer of bindings for the options, without Nodes and Scores. It fails as New does.
func NewBindings(options Options) (BindingPrinter, error) {
	switch options.Output {
	case outputTable, outputWide:
		style := newLayout(options, resultColors)
		if options.Bulk {
			return bindingTable{style}, nil
		}
		return bindingLines{style}, nil
	case outputName:
		return bindingNames{}, nil
	default:
		machine, err := newMachinePrinter[*report.Binding](options)
		return bindingObjects{machine}, err
	}
}

// bindingObjects prints the formats that scripts read.
type bindingObjects struct {
	machine machinePrinter[*report.Binding]
}

// Print writes one binding as the object itself, several (or none) as a List.
func (p bindingObjects) Print(w io.Writer, bindings []*report.Binding) error {
	return p.machine.Print(w, slices.Values(bindings))
}

// bindingNames prints the Pods that are bound, or would be in a dry run, as kubectl names what it changed: "pod/web-0".
type bindingNames struct{}

// Print writes one name per line.
func (bindingNames) Print(w io.Writer, bindings []*report.Binding) error {
	for _, b := range bindings {
		if b.Result != report.ResultBound {
			continue
		}
		if err := writeName(w, kindPod, b.Metadata.Name); err != nil {
			return err
		}
	}
	return nil
}

// resultColors are those of what became of Pods.
var resultColors = palette{
	string(report.ResultBound):          green,
	string(report.ResultBoundElsewhere): yellow,
	string(report.ResultUnschedulable):  red,
	string(report.ResultRefused):        red,
	string(report.ResultSkipped):        yellow,
	string(report.ResultGone):           yellow,
	string(report.ResultFailed):         red,
}

// bindingMarks say in brackets what is special about the binding of a Pod that is bound: " (forced) (dry run)".
func bindingMarks(b *report.Binding) string {
	marks := ""
	if b.Result != report.ResultBound {
		return marks
	}
	if b.Forced {
		marks += " (forced)"
	}
	switch b.DryRun {
	case report.DryRunClient:
		marks += " (dry run)"
	case report.DryRunServer:
		marks += " (server dry run)"
	}
	return marks
}

// overSentence says what the node of a Pod has too little of: "node-3 is now over: cpu by 500m (4500m of 4 requested)."
// It is empty when that is nothing.
func overSentence(node string, over []report.Overcommitment) string {
	if len(over) == 0 {
		return ""
	}
	parts := make([]string, 0, len(over))
	for _, o := range over {
		amount := func(quantity string) string { return readableOf(o.Resource, quantity) }
		parts = append(parts, o.Resource+" by "+amount(o.Over)+
			" ("+amount(o.Requested)+" of "+amount(o.Allocatable)+" requested)")
	}
	return node + " is now over: " + strings.Join(parts, ", ") + "."
}

// overAdvice says what comes of a node that is over, and what to do.
const overAdvice = "The kubelet fails Pods that it has no room for: delete Pods there that can run elsewhere."
