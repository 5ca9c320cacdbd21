package printers

import (
	"bytes"
	"io"
	"time"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// TopView is what a live view of a running scheduler shows.
type TopView struct {
	// Now is the time of the view, Started when the scheduler began.
	Now, Started time.Time
	// Title says which scheduler it is: "kubectl-sched".
	Title    string
	Activity report.Activity
	// Rates are those of the results, as Rates.At gives them.
	Rates map[report.Result]Rate
	// Last are decisions, the newest first; as many are shown as there is room for.
	Last []*report.Decision
	// Width and Height are the terminal's size in columns and lines; where it is 0, they are 100 and 24.
	Width, Height int
	// Notes are sentences for the end, the newest last: what went wrong, how to stop.
	Notes []string
}

// defaultHeight is that of a terminal that does not tell its own.
const defaultHeight = 24

// Top draws the live view.
type Top struct {
	colors palette
}

// NewTop returns the renderer for the options, of which it reads Color only.
func NewTop(options Options) Top {
	if !options.Color {
		return Top{}
	}
	return Top{colors: decisionColors()}
}

// Render writes the view: at most Height lines of at most Width columns, each ended by a newline. There are no control
// sequences in it but those of color; a Screen puts it in its place.
//
// What there is no room for is left out: the ends of lines, the oldest decisions, the oldest notes, which take a sixth
// of the lines at most, and of a very small view what is below.
func (t Top) Render(w io.Writer, view TopView) error {
	if view.Width < 1 {
		view.Width = defaultWidth
	}
	if view.Height < 1 {
		view.Height = defaultHeight
	}
	lines := append(t.head(view), nil)
	notes := noteLines(view)
	lines = append(lines, t.table(view, view.Height-len(lines)-len(notes))...)
	lines = append(lines, notes...)
	var out bytes.Buffer
	for _, line := range lines[:min(len(lines), view.Height)] {
		out.Write(bytes.TrimRight(line, " "))
		out.WriteByte('\n')
	}
	_, err := w.Write(out.Bytes())
	return err
}
