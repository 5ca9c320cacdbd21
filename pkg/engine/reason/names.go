package reason

import "slices"

// maxNames is how many names of objects or domains a detail holds; it counts the rest.
const maxNames = 3

// firstOf returns the first of some sorted names, and how many there are.
func firstOf(sorted []string) (first []string, count int) {
	return slices.Clone(sorted[:min(len(sorted), maxNames)]), len(sorted)
}

// firstNames is firstOf for names in any order; each counts once.
func firstNames(names []string) (first []string, count int) {
	return firstOf(slices.Compact(slices.Sorted(slices.Values(names))))
}
