package printers

import "github.com/kubectl-sched/kubectl-sched/pkg/report"

// pluginFact has words for facts about extenders and plugins that are not in-tree.
func pluginFact(report.Detail, style) string { return "" }

func pluginSays(report.Details) predicate { return predicate{} }
