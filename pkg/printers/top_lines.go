package printers

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

const (
	// rateLabels and rateColumn are the widths of the table of rates, whose numbers have few digits.
	rateLabels = len("per second, 1 min")
	rateColumn = 7
	// minTopPod and maxTopPod are the bounds of the POD column, which is 3/10 of the view.
	minTopPod, maxTopPod = 8, 64
	topNodes, topTook    = 7, 6
	// noteShare is how much of the view notes may take: a sixth.
	noteShare = 6
)

// head says who schedules since when, what waits, and how fast it goes.
func (t Top) head(view TopView) [][]byte {
	a := view.Activity
	queues := fmt.Sprintf("Queues: %d active, %d back-off, %d unschedulable, %d gated; %d binding",
		a.Active, a.Backoff, a.Unschedulable, a.Gated, a.Binding)
	return append([][]byte{
		[]byte(cutEnd(topTitle(view), view.Width)),
		[]byte(cutEnd(queues, view.Width)),
	}, t.rates(view)...)
}

// topTitle is "kubectl-sched, up 1h2m3s, 12:03:04 UTC".
func topTitle(view TopView) string {
	title := escape(view.Title)
	if !view.Started.IsZero() {
		up := view.Now.Sub(view.Started).Seconds() * float64(time.Second/time.Millisecond)
		title += ", up " + readableTime(up)
	}
	return title + ", " + view.Now.UTC().Format(time.TimeOnly) + " UTC"
}

// rates are a table with a column per result: what every scheduler decides, and what else there was.
func (t Top) rates(view TopView) [][]byte {
	results := []report.Result{report.ResultBound, report.ResultUnschedulable}
	for _, result := range slices.Sorted(maps.Keys(view.Activity.Results)) {
		if !slices.Contains(results, result) {
			results = append(results, result)
		}
	}
	headers := tabbedLine{limit: view.Width}
	total, short, long := headers, headers, headers
	headers.cell("Decisions", rateLabels, "")
	total.cell("in total", rateLabels, "")
	short.cell("per second, 10 s", rateLabels, "")
	long.cell("per second, 1 min", rateLabels, "")
	for _, result := range results {
		header := escape(string(result))
		width := max(textWidth(header), rateColumn)
		headers.cell(header, width, t.colors[string(result)])
		total.cell(strconv.Itoa(view.Activity.Results[result]), width, "")
		short.cell(perSecond(view.Rates[result].TenSeconds), width, "")
		long.cell(perSecond(view.Rates[result].Minute), width, "")
	}
	return [][]byte{headers.text, total.text, short.text, long.text}
}

// perSecond has a decimal, which tells one in ten seconds from none.
func perSecond(rate float64) string { return strconv.FormatFloat(rate, 'f', 1, 64) }

// table is that of the last decisions, in at most so many lines.
func (t Top) table(view TopView, lines int) [][]byte {
	if len(view.Last) == 0 {
		return [][]byte{[]byte(cutEnd("No decision yet.", view.Width))}
	}
	pod := min(max(view.Width*3/10, minTopPod), maxTopPod)
	headers := tabbedLine{limit: view.Width}
	headers.cell("TIME", clockWidth, "")
	headers.cell("POD", pod, "")
	headers.cell("NODES", topNodes, "")
	headers.cell("TOOK", topTook, "")
	headers.cell("NODE OR WHY NOT", 0, "")
	out := [][]byte{headers.text}
	for _, d := range view.Last[:min(len(view.Last), max(lines-1, 0))] {
		line := tabbedLine{limit: view.Width}
		line.cell(decisionTime(d), clockWidth, "")
		line.cell(cutMiddle(nameOf(d.Metadata), pod), pod, "")
		line.cell(decisionNodes(d), topNodes, "")
		line.cell(readableTime(d.LatencyMilliseconds), topTook, "")
		line.cell(decisionPlace(d), 0, t.colors[string(d.Result)])
		line.add(topWhy(d), "")
		out = append(out, line.text)
	}
	return out
}

// topWhy follows the place; it leaves out how many nodes there are, which the column of nodes says.
func topWhy(d *report.Decision) string {
	why := withoutCount(decisionWhy(d))
	if why == "" {
		return ""
	}
	return " " + why
}

// noteLines are the notes below an empty line: whole where there is room, and else the newest on a line each.
func noteLines(view TopView) [][]byte {
	var lines, short [][]byte
	for _, note := range view.Notes {
		note = escape(note)
		short = append(short, []byte(cutEnd(note, view.Width)))
		for _, line := range wrap(note, view.Width, view.Width) {
			lines = append(lines, []byte(cutEnd(line, view.Width)))
		}
	}
	if most := max(view.Height/noteShare, 1); len(lines) > most {
		lines = short[max(0, len(short)-most):]
	}
	if len(lines) == 0 {
		return nil
	}
	return append([][]byte{nil}, lines...)
}
