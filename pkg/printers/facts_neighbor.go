package printers

import "github.com/kubectl-sched/kubectl-sched/pkg/report"

// neighborFact has words for facts about the Pods nearby.
func neighborFact(report.Detail, style) string { return "" }

func neighborSays(report.Details) predicate { return predicate{} }
