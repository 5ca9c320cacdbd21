package printers

import "github.com/kubectl-sched/kubectl-sched/pkg/report"

// SGR sequences; 39 gives back the terminal's own foreground.
const (
	red        = "\x1b[31m"
	green      = "\x1b[32m"
	yellow     = "\x1b[33m"
	foreground = "\x1b[39m"
)

// palette colors verdicts by their text; with an empty one all stay as they are.
type palette map[string]string

var verdictColors = palette{
	string(report.Schedulable):   green,
	string(report.Bound):         green,
	string(report.Gated):         yellow,
	string(report.NoProfile):     yellow,
	string(report.Unschedulable): red,
	string(report.Invalid):       red,

	string(report.Feasible):     green,
	string(report.NotEvaluated): yellow,
	string(report.Rejected):     red,
}

func (p palette) paint(verdict string) string {
	if color, ok := p[verdict]; ok {
		return color + verdict + foreground
	}
	return verdict
}
