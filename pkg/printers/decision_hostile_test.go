package printers_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/olekukonko/tablewriter/pkg/twwidth"

	"github.com/kubectl-sched/kubectl-sched/pkg/printers"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// pieces are what hostile strings are made of.
var pieces = []string{
	"a", "b-1", ".", "/", ":", " ", "  ", "→", "節", "ｶ", "é", "e\u0301", "\u200d", "👩\u200d🚀", "\ufe0f", "\u202e",
	"\u2028", "\u0085", "\u009b31m", "\x1b[2J", "\x1b]0;t\a", "\r", "\n", "\t", "\x00", "\x7f", "\xff", "\xc3", "…", "%s",
	strings.Repeat("x", 70), strings.Repeat("東", 70),
}

func hostile(random *rand.Rand) string {
	var b strings.Builder
	for range random.IntN(8) {
		b.WriteString(pieces[random.IntN(len(pieces))])
	}
	return b.String()
}

// hostileDecision has strings that whoever may write to the cluster could choose, and a few that they could not.
func hostileDecision(random *rand.Rand) *report.Decision {
	results := []report.Result{
		report.ResultBound, report.ResultUnschedulable, report.ResultFailed, report.ResultGone, report.ResultPreempted,
		report.ResultBoundElsewhere, report.ResultSkipped, report.Result(hostile(random)),
	}
	d := decision(results[random.IntN(len(results))], chose(hostile(random)), saying(hostile(random)+hostile(random)),
		nominated(hostile(random)), evictedFor(hostile(random), hostile(random)),
		took(random.NormFloat64()*1e6), scoring(random.Int64()), fit(int(random.Int64()), int(random.Int64())))
	d.Metadata = report.Metadata{Namespace: hostile(random), Name: hostile(random)}
	d.Profile = hostile(random)
	return d
}

func TestHostileDecisions(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		d := hostileDecision(random)
		for _, width := range []int{1, 40, 100, 120} {
			checkPrintable(t, "lines", stream(t, printers.Options{Width: width}, d))
		}
		wide := stream(t, printers.Options{Output: "wide", NoHeaders: true}, d)
		checkPrintable(t, "wide", wide)
		if strings.Count(wide, "\n") != 1 {
			t.Fatalf("no single line: %q", wide)
		}
		if name := stream(t, printers.Options{Output: "name"}, d); strings.Count(name, "\n") > 1 {
			t.Fatalf("no single name: %q", name)
		}
		checkJSON(t, stream(t, printers.Options{Output: "json"}, d), d)
	}
}

// checkJSON fails unless a line is the decision, but for bytes that are no text.
func checkJSON(t *testing.T, line string, want *report.Decision) {
	t.Helper()
	got := &report.Decision{}
	if err := json.Unmarshal([]byte(line), got); err != nil || strings.Count(line, "\n") != 1 {
		t.Fatalf("no line of JSON: %v in %q", err, line)
	}
	for _, r := range line[:len(line)-1] {
		if r < ' ' || r >= 0x7f && r < 0xa0 && r != '\u0085' { // which is no more than a line's end
			t.Fatalf("control character %U in %q", r, line)
		}
	}
	if text := want.Metadata.Name; utf8.ValidString(text) {
		if diff := cmp.Diff(text, got.Metadata.Name); diff != "" {
			t.Fatalf("name (-want +got):\n%s", diff)
		}
	}
}

// Whatever the names and the size, the view fits on the screen and holds nothing that a terminal would act on.
func TestHostileTop(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		view := printers.TopView{
			Now: started, Title: hostile(random), Width: 1 + random.IntN(130), Height: 1 + random.IntN(40),
			Notes: []string{hostile(random), hostile(random)},
			Activity: report.Activity{
				Active:  int(random.Int64()),
				Results: map[report.Result]int{report.Result(hostile(random)): 1},
			},
		}
		for range random.IntN(5) {
			view.Last = append(view.Last, hostileDecision(random))
		}
		out := render(t, printers.Options{}, view)
		checkPrintable(t, "top", out)
		if lines := strings.Count(out, "\n"); lines > view.Height {
			t.Fatalf("%d lines of %d", lines, view.Height)
		}
		for line := range strings.Lines(out) {
			if width := twwidth.Width(strings.TrimSuffix(line, "\n")); width > view.Width {
				t.Fatalf("line of %d columns of %d: %q", width, view.Width, line)
			}
		}
	}
}
