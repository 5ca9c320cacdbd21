package printers_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/olekukonko/tablewriter/pkg/twwidth"

	"github.com/kubectl-sched/kubectl-sched/pkg/printers"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// started is when the scheduler of the tests began.
var started = time.Date(2026, time.November, 30, 11, 1, 2, 0, time.UTC)

// busyView is one with something of everything, of a terminal of the size.
func busyView(t testing.TB, width, height int) printers.TopView {
	t.Helper()
	last := loadDecisions(t)
	slices.Reverse(last)
	return printers.TopView{
		Now:     started.Add(time.Hour + 2*time.Minute + 3*time.Second),
		Started: started,
		Title:   "kubectl-sched",
		Activity: report.Activity{
			Active: 12, Backoff: 3, Unschedulable: 40, Gated: 2, Binding: 5,
			Results: map[report.Result]int{
				report.ResultBound: 12345, report.ResultUnschedulable: 678, report.ResultPreempted: 3,
				report.ResultBoundElsewhere: 1,
			},
		},
		Rates: map[report.Result]printers.Rate{
			report.ResultBound:         {TenSeconds: 301.24, Minute: 1280},
			report.ResultUnschedulable: {TenSeconds: 0.1, Minute: 0.0166},
			report.ResultPreempted:     {Minute: 0.05},
		},
		Last:  last,
		Width: width, Height: height,
		Notes: []string{
			"The API server did not answer for 12 s; what was decided meanwhile is sent again.", "ctrl-C stops.",
		},
	}
}

func render(t testing.TB, options printers.Options, view printers.TopView) string {
	t.Helper()
	var out bytes.Buffer
	if err := printers.NewTop(options).Render(&out, view); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestGoldenTop(t *testing.T) {
	for _, size := range [][2]int{{100, 30}, {80, 16}, {160, 24}, {40, 12}, {20, 3}} {
		name := fmt.Sprintf("top.%dx%d", size[0], size[1])
		view := busyView(t, size[0], size[1])
		t.Run(name, func(t *testing.T) {
			golden(t, name, render(t, printers.Options{}, view))
			golden(t, name+"-color", render(t, printers.Options{Color: true}, view))
		})
	}
}

func TestTop(t *testing.T) {
	const quiet = `Decisions          Bound    Unschedulable
in total           0        0
per second, 10 s   0.0      0.0
per second, 1 min  0.0      0.0

No decision yet.
`
	tests := map[string]struct {
		view printers.TopView
		want string
	}{
		"at the start": {
			printers.TopView{Title: "kubectl-sched", Now: started, Started: started},
			"kubectl-sched, up -, 11:01:02 UTC\n" +
				"Queues: 0 active, 0 back-off, 0 unschedulable, 0 gated; 0 binding\n" + quiet,
		},
		"a title and notes that are not to be trusted": {
			printers.TopView{Title: "a\x1b[2Jb", Now: started, Notes: []string{"c\nd"}},
			`a\x1b[2Jb, 11:01:02 UTC` + "\n" +
				"Queues: 0 active, 0 back-off, 0 unschedulable, 0 gated; 0 binding\n" + quiet + "\n" + `c\nd` + "\n",
		},
		"times of another zone, told in UTC": {
			printers.TopView{Title: "x", Now: started.In(time.FixedZone("", 3600)), Height: 1}, "x, 11:01:02 UTC\n",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, render(t, printers.Options{}, test.view)); diff != "" {
				t.Errorf("view (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTopKeepsItsSize(t *testing.T) {
	view := busyView(t, 0, 0)
	for view.Width = range 130 {
		for _, view.Height = range []int{0, 1, 2, 3, 5, 8, 9, 10, 11, 24, 60} {
			width, height := orElse(view.Width, 100), orElse(view.Height, 24)
			out := render(t, printers.Options{Color: true}, view)
			if lines := strings.Count(out, "\n"); lines > height {
				t.Errorf("%dx%d: %d lines", width, height, lines)
			}
			for line := range strings.Lines(out) {
				if got := twwidth.Width(strings.TrimSuffix(line, "\n")); got > width {
					t.Errorf("%dx%d: line of %d columns: %s", width, height, got, line)
				}
			}
		}
	}
}

// The newest of many notes is there, and a decision with it.
func TestTopShowsTheNewestNotes(t *testing.T) {
	view := busyView(t, 80, 12)
	view.Notes = []string{"first", "second", "third", "fourth"}
	out := render(t, printers.Options{}, view)
	if !strings.HasSuffix(out, "\n\nthird\nfourth\n") {
		t.Errorf("not the last two notes at the end of\n%s", out)
	}
	if !strings.Contains(out, "shop/search-1") {
		t.Errorf("no decision in\n%s", out)
	}
}

func TestTopFillsTheScreenWithDecisions(t *testing.T) {
	view := busyView(t, 100, 50)
	for len(view.Last) < 100 {
		view.Last = append(view.Last, view.Last...)
	}
	if lines := strings.Count(render(t, printers.Options{}, view), "\n"); lines != 50 {
		t.Errorf("%d lines, want 50", lines)
	}
}

func TestTopTellsThatWritingFailed(t *testing.T) {
	if err := printers.NewTop(printers.Options{}).Render(failingWriter{}, printers.TopView{}); err == nil {
		t.Error("no error")
	}
}

// orElse is a size, or the one that is taken when it is 0.
func orElse(size, otherwise int) int {
	if size == 0 {
		return otherwise
	}
	return size
}
