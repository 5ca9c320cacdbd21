package random

import (
	"math/rand/v2"
)

// source draws lots.
type source struct{ *rand.Rand }

func newSource(seed uint64) source {
	return source{rand.New(rand.NewPCG(seed, seed))}
}

// chance is true in percent of 100 cases.
func (s source) chance(percent int) bool { return s.IntN(100) < percent }

// between returns a number from low to high, both included.
func (s source) between(low, high int) int { return low + s.IntN(high-low+1) }

// one returns one of the values.
func one[T any](s source, values ...T) T { return values[s.IntN(len(values))] }

// some returns at least one and not more than most of the values, in their order.
func some[T any](s source, most int, values ...T) []T {
	var out []T
	for _, i := range s.Perm(len(values))[:s.between(1, min(most, len(values)))] {
		out = append(out, values[i])
	}
	return out
}
