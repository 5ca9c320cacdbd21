package printers

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// tally is what a summary calls Pods with a result.
type tally struct {
	result report.Result
	words  string
	// dryRun takes the place of words in a dry run; empty when they are the same.
	dryRun string
}

// tallies are of every result, in the order in which a summary counts them.
var tallies = []tally{
	{result: report.ResultBound, words: "bound", dryRun: "would be bound"},
	{result: report.ResultBoundElsewhere, words: "bound elsewhere"},
	{result: report.ResultUnschedulable, words: "unschedulable"},
	{result: report.ResultRefused, words: "refused"},
	{result: report.ResultSkipped, words: "skipped"},
	{result: report.ResultGone, words: "gone"},
	{result: report.ResultFailed, words: "failed"},
}

// Summary counts in one line, without a newline, what became of Pods: "500 Pods: 480 bound, 15 unschedulable, 5
// refused". Of a dry run it says "480 would be bound".
func Summary(bindings []*report.Binding) string {
	counts, dryRun := map[report.Result]int{}, false
	for _, b := range bindings {
		counts[b.Result]++
		dryRun = dryRun || b.DryRun != ""
	}
	var parts []string
	for _, t := range tallies {
		words := t.words
		if dryRun {
			words = cmp.Or(t.dryRun, words)
		}
		if n := counts[t.result]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, words))
		}
	}
	return withMessage(count(len(bindings), "Pod"), strings.Join(parts, ", "))
}
