package printers

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// Marks tell at a glance what became of a Pod, also without color.
const (
	markBound     = "→"
	markNotBound  = "✗"
	markPreempted = "←"
)

// clockTime is how the time of a decision is written; the date is in its JSON. It has clockWidth columns.
const (
	clockTime  = "15:04:05.000"
	clockWidth = len(clockTime)
)

// decisionPlace is the mark, and the node if there is one: "→ general-b1", "✗", "← general-b1".
func decisionPlace(d *report.Decision) string {
	mark := markNotBound
	switch d.Result {
	case report.ResultBound, report.ResultBoundElsewhere:
		mark = markBound
	case report.ResultPreempted:
		mark = markPreempted
	}
	if d.NodeName == "" {
		return mark
	}
	return mark + " " + escape(d.NodeName)
}

// decisionWhy says what the mark does not: why the Pod is not bound, and that it was a dry run. It is empty when there
// is nothing to say.
func decisionWhy(d *report.Decision) string {
	why := strings.TrimSpace(outcome(d))
	if d.DryRun != "" {
		why = strings.TrimSpace(why + " (dry run)")
	}
	return why
}

// outcome says what became of the Pod; that it is bound goes without saying.
func outcome(d *report.Decision) string {
	message := escape(d.Message)
	switch d.Result {
	case report.ResultBound:
		return message
	case report.ResultBoundElsewhere:
		return cmp.Or(message, "bound by somebody else meanwhile")
	case report.ResultPreempted:
		return withMessage(eviction(d), message)
	case report.ResultUnschedulable:
		return withNomination(cmp.Or(message, "unschedulable"), d.NominatedNodeName)
	default:
		return withMessage(strings.ToLower(escape(string(d.Result))), message)
	}
}

// eviction says from where and for whom: "evicted from n2 for shop/web-1", "evicted from n2 for podgroup shop/train".
func eviction(d *report.Decision) string {
	from, preemptor := "", "another Pod"
	if d.NodeName != "" {
		from = " from " + escape(d.NodeName)
	}
	if d.Preemptor != nil {
		preemptor = nameOf(*d.Preemptor)
		if kind := d.Preemptor.Kind; cmp.Or(kind, kindPod) != kindPod {
			preemptor = escape(kind) + " " + preemptor
		}
	}
	return "evicted" + from + " for " + preemptor
}

// withNomination adds what a Pod waits for that preemption makes room for.
func withNomination(sentence, node string) string {
	if node == "" {
		return sentence
	}
	return strings.TrimSuffix(sentence, ".") + ". It waits for " + escape(node) + ", where Pods are evicted for it."
}

// nameOf names a Pod among those of all namespaces: "shop/web-0".
func nameOf(pod report.Metadata) string { return escape(podName(pod.Namespace, pod.Name)) }

// decisionTime is the time of day in UTC, so that streams of several places can be compared.
func decisionTime(d *report.Decision) string { return d.Time.UTC().Format(clockTime) }

// decisionNodes tells how many nodes fit, of how many that were looked at.
func decisionNodes(d *report.Decision) string {
	if d.EvaluatedNodes == 0 {
		return nothing
	}
	return strconv.Itoa(d.FeasibleNodes) + "/" + strconv.Itoa(d.EvaluatedNodes)
}

func decisionScore(d *report.Decision) string {
	if d.Score == nil {
		return nothing
	}
	return strconv.FormatInt(*d.Score, 10)
}

// readableTime writes milliseconds with about three digits: "420µs", "8ms", "1.23s", "2m3s".
func readableTime(milliseconds float64) string {
	if !(milliseconds > 0) { // nor is it a number that cannot be compared
		return nothing
	}
	const longest = math.MaxInt64 / 2 / float64(time.Millisecond) // what a Duration holds and can be rounded
	d := time.Duration(min(milliseconds, longest) * float64(time.Millisecond))
	switch {
	case d < time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(10 * time.Millisecond).String()
	default:
		return d.Round(time.Second).String()
	}
}
