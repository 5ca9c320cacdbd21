package printers

import "github.com/kubectl-sched/kubectl-sched/pkg/report"

// labelFact has words for facts about labels and names of nodes.
func labelFact(report.Detail, style) string { return "" }

func labelSays(report.Details) predicate { return predicate{} }
