package upstream

import (
	"slices"
	"strings"
)

// nearest returns at most three of the known names that differ from name by case or by few letters, nearest first.
func nearest(name string, known []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	limit := max(1, min(len(name)/4, 5))
	var near []candidate
	for _, each := range slices.Sorted(slices.Values(known)) {
		// The difference in length is the least that the distance can be.
		if max(len(each)-len(name), len(name)-len(each)) > limit {
			continue
		}
		if d := distance(strings.ToLower(name), strings.ToLower(each)); d <= limit {
			near = append(near, candidate{each, d})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return a.distance - b.distance })
	var names []string
	for _, each := range near[:min(3, len(near))] {
		names = append(names, each.name)
	}
	return names
}

// distance counts the bytes to insert, delete or replace to get from a to b.
func distance(a, b string) int {
	previous := make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	current := make([]int, len(b)+1)
	for i := range len(a) {
		current[0] = i + 1
		for j := range len(b) {
			replace := previous[j]
			if a[i] != b[j] {
				replace++
			}
			current[j+1] = min(replace, previous[j+1]+1, current[j]+1)
		}
		previous, current = current, previous
	}
	return previous[len(b)]
}
