package printers

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// machinePrinter prints reports of one type in the formats that scripts read.
type machinePrinter[T runtime.Object] struct {
	printer printers.ResourcePrinter
}

// formats make printers of values of --output.
type formats interface {
	AllowedFormats() []string
	// ToPrinter fails with a NoCompatiblePrinterError for values that are another's.
	ToPrinter(output string) (printers.ResourcePrinter, error)
}

// machineFormats are kubectl's, without name, which would print the report's kind and not the Pod's. They are put
// together here because cli-runtime's PrintFlags executes go-templates with text/template; see package gotemplate.
func machineFormats(options Options) []formats {
	allowMissing := !options.RequireKeys
	return []formats{
		// Reports have no managed fields: showing them saves a copy of every report.
		&genericclioptions.JSONYamlPrintFlags{ShowManagedFields: true},
		genericclioptions.NewJSONPathPrintFlags("", allowMissing),
		templateFormats{options},
	}
}

// Formats returns the values that --output allows, sorted; those of templates are followed by =TEMPLATE or =FILE.
func Formats() []string {
	allowed := []string{outputWide, outputName}
	for _, f := range machineFormats(Options{}) {
		allowed = append(allowed, f.AllowedFormats()...)
	}
	slices.Sort(allowed)
	return allowed
}

func newMachinePrinter[T runtime.Object](options Options) (p machinePrinter[T], err error) {
	for _, f := range machineFormats(options) {
		printer, err := f.ToPrinter(options.Output)
		switch {
		case genericclioptions.IsNoCompatiblePrinterError(err):
			continue
		case err != nil:
			return p, fmt.Errorf("--output %q: %w", options.Output, err)
		}
		return machinePrinter[T]{printer: printer}, nil
	}
	return p, fmt.Errorf("--output %q: unknown format, allowed formats are: %s",
		options.Output, strings.Join(Formats(), ", "))
}

// Print writes one report as the object itself, several (or none) as a List.
func (p machinePrinter[T]) Print(w io.Writer, reports iter.Seq[T]) error {
	items := []runtime.Object{}
	for r := range reports {
		items = append(items, r)
	}
	if len(items) == 1 {
		return p.printer.PrintObj(document{items[0]}, w)
	}
	return p.printer.PrintObj(document{report.NewList(items...)}, w)
}
