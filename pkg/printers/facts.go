package printers

import (
	"strings"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// family holds the words for the facts of some plugins. Each function passes over facts of other families.
type family struct {
	// fact says one fact in a few words, without a full stop: "wants 2, 500m of 4 free"; empty for one of another family,
	// or when nothing is left to say in that style.
	fact func(report.Detail, style) string
	// says makes a predicate of what one plugin found on a node: "lacks cpu"; the zero predicate when it cannot.
	says func(report.Details) predicate
}

var families = []family{
	{nodeFact, nodeSays},
	{labelFact, labelSays},
	{neighborFact, neighborSays},
	{volumeFact, volumeSays},
	{groupFact, groupSays},
	{pluginFact, pluginSays},
}

// factText is one fact in words, or empty.
func factText(d report.Detail, s style) string {
	for _, f := range families {
		if text := f.fact(d, s); text != "" {
			return text
		}
	}
	return ""
}

// detailsPredicate says of a node what details tell; zero when they tell nothing short.
func detailsPredicate(details report.Details) predicate {
	for _, f := range families {
		if said := f.says(details); said != (predicate{}) {
			return said
		}
	}
	return predicate{}
}

// plural chooses the word for n things.
func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// alternatives writes "a", "a or b", "a, b or c".
func alternatives(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
