package cmd

import (
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// tally counts decisions by their result.
type tally struct {
	mu     sync.Mutex
	counts map[report.Result]int
}

func (t *tally) add(result report.Result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts = map[report.Result]int{}
	}
	t.counts[result]++
}

// results returns the counts.
func (t *tally) results() map[report.Result]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.counts)
}

// tallyWords say the results in the order in which a summary names them.
var tallyWords = []struct {
	result report.Result
	word   string
}{
	{report.ResultBound, "bound"},
	{report.ResultUnschedulable, "unschedulable"},
	{report.ResultFailed, "failed"},
	{report.ResultBoundElsewhere, "bound by somebody else"},
	{report.ResultGone, "gone"},
	{report.ResultSkipped, "not finished"},
	{report.ResultRefused, "gated"},
	{report.ResultPreempted, "evicted"},
}

// summary says what was decided: "Decisions: 12 bound, 3 unschedulable."
func (t *tally) summary() string {
	parts := t.parts()
	if len(parts) == 0 {
		return "Nothing was decided."
	}
	return "Decisions: " + strings.Join(parts, ", ") + "."
}

func (t *tally) parts() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var parts []string
	for _, word := range tallyWords {
		if count := t.counts[word.result]; count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count, word.word))
		}
	}
	return parts
}

// passSummary says what became of the Pods of a single pass: "5 Pods: 4 bound, 1 unschedulable".
func passSummary(decisions []*report.Decision) string {
	var t tally
	for _, decision := range decisions {
		t.add(decision.Result)
	}
	noun := "Pods"
	if len(decisions) == 1 {
		noun = "Pod"
	}
	summary := fmt.Sprintf("%d %s: %s", len(decisions), noun, strings.Join(t.parts(), ", "))
	if decisions[0].DryRun != "" {
		summary += " (dry run)"
	}
	return summary
}
