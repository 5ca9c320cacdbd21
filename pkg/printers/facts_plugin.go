package printers

import (
	"maps"
	"slices"
	"strings"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// pluginFact has words for facts about extenders and plugins that are not in-tree.
func pluginFact(detail report.Detail, _ style) string {
	switch d := detail.(type) {
	case report.ExtenderRefusal:
		text := "refused by extender " + d.Extender
		if d.Unresolvable {
			text += ", preemption would not help"
		}
		return text
	case report.PluginFact:
		facts := make([]string, 0, len(d.Facts))
		for _, key := range slices.Sorted(maps.Keys(d.Facts)) {
			facts = append(facts, strings.TrimSpace(key+" "+d.Facts[key]))
		}
		return strings.Join(facts, ", ")
	}
	return ""
}

// pluginSays leaves plugins that are not in-tree to their own text.
func pluginSays(details report.Details) predicate {
	for _, detail := range details {
		if d, ok := detail.(report.ExtenderRefusal); ok {
			return predicate{"is refused by extender " + d.Extender, "are refused by extender " + d.Extender}
		}
	}
	return predicate{}
}
