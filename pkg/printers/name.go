package printers

import (
	"cmp"
	"fmt"
	"io"
	"iter"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// kindPod is the kind of a report that names none.
const kindPod = "pod"

// namePrinter prints what was asked about as kubectl does with -o name: "pod/web-0", "deployment.apps/web".
type namePrinter struct{}

// Print writes one name per line.
func (namePrinter) Print(w io.Writer, explanations iter.Seq[*report.Explanation]) error {
	for e := range explanations {
		names := e.Pods
		if len(names) == 0 {
			names = []string{e.Metadata.Name}
		}
		for _, name := range names {
			if err := writeName(w, e.Metadata.Kind, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeName writes "pod/web-0" on a line of its own.
func writeName(w io.Writer, kind, name string) error {
	_, err := fmt.Fprintln(w, escape(cmp.Or(kind, kindPod)+"/"+name))
	return err
}
