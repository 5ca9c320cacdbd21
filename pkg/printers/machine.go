package printers

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// machinePrinter prints the formats that scripts read.
type machinePrinter struct {
	printer printers.ResourcePrinter
}

// Formats returns the values that --output allows, sorted; those of templates are followed by =TEMPLATE or =FILE.
func Formats() []string {
	formats := append(machineFlags("").AllowedFormats(), outputWide, outputName)
	slices.Sort(formats)
	return formats
}

func newMachinePrinter(output string) (machinePrinter, error) {
	printer, err := machineFlags(output).ToPrinter()
	var unknown genericclioptions.NoCompatiblePrinterError
	switch {
	case errors.As(err, &unknown):
		return machinePrinter{}, fmt.Errorf("--output %q: unknown format, allowed formats are: %s",
			output, strings.Join(Formats(), ", "))
	case err != nil:
		return machinePrinter{}, fmt.Errorf("--output %q: %w", output, err)
	}
	return machinePrinter{printer: printer}, nil
}

// machineFlags are cli-runtime's print flags without name, which would print the report's kind and not the Pod's.
func machineFlags(output string) *genericclioptions.PrintFlags {
	flags := genericclioptions.NewPrintFlags("").WithDefaultOutput(output)
	flags.NamePrintFlags = nil
	// Reports have no managed fields: showing them saves a copy of every report.
	flags.JSONYamlPrintFlags.ShowManagedFields = true
	return flags
}

// Print writes one explanation as the object itself, several (or none) as a List.
func (p machinePrinter) Print(w io.Writer, explanations []*report.Explanation) error {
	if len(explanations) == 1 {
		return p.printer.PrintObj(document{explanations[0]}, w)
	}
	items := make([]runtime.Object, 0, len(explanations))
	for _, e := range explanations {
		items = append(items, e)
	}
	return p.printer.PrintObj(document{report.NewList(items...)}, w)
}
