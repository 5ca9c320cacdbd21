package printers

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

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
		return inParentheses(strings.Join(reasons, ", "), strings.Join(nonEmpty(facts), ", "))
	}
	texts := make([]string, 0, len(reasons))
	for i := range reasons {
		texts = append(texts, inParentheses(reasons[i], facts[i]))
	}
	return strings.Join(texts, ", ")
}

func inParentheses(text, fact string) string {
	if fact == "" {
		return text
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

// factText is one fact in words, or empty for a type that it does not know.
func factText(d report.Detail, s style) string {
	switch d.Type {
	case report.InsufficientResource:
		if s == withoutNumbers {
			return ""
		}
		return resourceFact(d)
	case report.UntoleratedTaint:
		return taintFact(d)
	default:
		return ""
	}
}

// resourceFact says "wants 2, 500m of 4 free".
func resourceFact(d report.Detail) string {
	allocatable, err := resource.ParseQuantity(d.Allocatable)
	if err != nil {
		return "wants " + d.Requested
	}
	free := allocatable.DeepCopy()
	if used, err := resource.ParseQuantity(d.Used); err == nil {
		free.Sub(used)
	}
	if free.Sign() <= 0 {
		return "wants " + readable(d.Requested) + ", none of " + readable(d.Allocatable) + " free"
	}
	write := readable
	if readable(d.Requested) == readable(free.String()) { // too close to be told apart
		write = func(quantity string) string { return quantity }
	}
	return "wants " + write(d.Requested) + ", " + write(free.String()) + " of " + write(d.Allocatable) + " free"
}

// taintFact writes a taint as kubectl does: "dedicated=gpu:NoSchedule", "dedicated:NoSchedule".
func taintFact(d report.Detail) string {
	if d.Value == "" {
		return d.Key + ":" + d.Effect
	}
	return d.Key + "=" + d.Value + ":" + d.Effect
}

func taintFacts(details []report.Detail) []string {
	var taints []string
	for _, d := range details {
		if d.Type == report.UntoleratedTaint {
			taints = append(taints, taintFact(d))
		}
	}
	return taints
}
