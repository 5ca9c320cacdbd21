package printers_test

import (
	"io"
	"testing"

	"github.com/kubectl-sched/kubectl-sched/pkg/printers"
)

// BenchmarkDecisions tells what a line costs; a scheduler makes thousands of decisions in a second.
func BenchmarkDecisions(b *testing.B) {
	decisions := loadDecisions(b)
	for name, decision := range map[string]int{"bound": 0, "unschedulable": 1, "bound with a long name": 4} {
		for _, output := range []string{"", "wide", "json", "name"} {
			b.Run(name+"/"+output, func(b *testing.B) {
				printer, err := printers.NewDecisions(printers.Options{Output: output, Color: true})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					if err := printer.Print(io.Discard, decisions[decision]); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
