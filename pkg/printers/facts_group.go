package printers

import "github.com/kubectl-sched/kubectl-sched/pkg/report"

// groupFact has words for facts about devices, gates and groups of Pods.
func groupFact(report.Detail, style) string { return "" }

func groupSays(report.Details) predicate { return predicate{} }
