package printers

import (
	"slices"
	"strings"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// style tells how much is said about a rejection.
type style int

const (
	// withoutNumbers leaves out amounts, in which nodes that fail alike differ.
	withoutNumbers style = iota
	// withNumbers says upstream's text and the facts behind it.
	withNumbers
	// withPlugins says the plugin and code too.
	withPlugins
)

// nodeReasons says why the node of a report does not fit, by every plugin that rejects it.
func nodeReasons(e *report.Explanation, node report.Node, s style) string {
	switch {
	case node.Verdict == report.NotEvaluated && isDaemonSet(e) && !rejectedByPreFilter(e):
		return "the DaemonSet wants no Pod here"
	case node.Verdict == report.NotEvaluated:
		return "ruled out by " + joinPlugins(e.PreFilter, "PreFilter")
	}
	texts := make([]string, 0, len(node.Filters))
	for _, r := range node.Filters {
		texts = append(texts, rejectionText(r, s))
	}
	return strings.Join(texts, "; ")
}

// rejectionText is upstream's text with the facts: "Insufficient cpu (wants 2, 500m of 4 free)".
func rejectionText(r report.Rejection, s style) string {
	facts := make([]string, 0, len(r.Details))
	for _, d := range r.Details {
		facts = append(facts, factText(d, s))
	}
	text := joinFacts(r.Reasons, facts)
	if s == withPlugins {
		return r.Plugin + ": " + text + " [" + r.Code + "]"
	}
	return text
}

// joinFacts puts each fact behind its reason when there are as many of both, or else all facts behind all reasons.
func joinFacts(reasons, facts []string) string {
	if len(reasons) != len(facts) {
		return inParentheses(strings.Join(reasons, ", "), joinClauses(slices.Compact(nonEmpty(facts))))
	}
	texts := make([]string, 0, len(reasons))
	for i := range reasons {
		texts = append(texts, inParentheses(reasons[i], facts[i]))
	}
	return strings.Join(texts, ", ")
}

// joinClauses puts semicolons between facts that have commas of their own.
func joinClauses(facts []string) string {
	for _, fact := range facts {
		if strings.ContainsAny(fact, ",;") {
			return strings.Join(facts, "; ")
		}
	}
	return strings.Join(facts, ", ")
}

func inParentheses(text, fact string) string {
	switch {
	case fact == "":
		return text
	case text == "": // an extender may refuse without a word
		return fact
	}
	return text + " (" + fact + ")"
}

func nonEmpty(texts []string) []string {
	var out []string
	for _, text := range texts {
		if text != "" {
			out = append(out, text)
		}
	}
	return out
}
