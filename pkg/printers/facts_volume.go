package printers

import "github.com/kubectl-sched/kubectl-sched/pkg/report"

// volumeFact has words for facts about volumes.
func volumeFact(report.Detail, style) string { return "" }

func volumeSays(report.Details) predicate { return predicate{} }
