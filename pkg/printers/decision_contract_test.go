package printers_test

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/olekukonko/tablewriter/pkg/twwidth"

	"github.com/kubectl-sched/kubectl-sched/pkg/printers"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

func TestNewDecisionsRefuses(t *testing.T) {
	tests := map[string]struct {
		options printers.Options
		want    string
	}{
		"a format that needs all results": {
			printers.Options{Output: "yaml"},
			`--output "yaml": no format of a stream, allowed formats are: json, name, wide`,
		},
		"an unknown format": {
			printers.Options{Output: "xml"},
			`--output "xml": no format of a stream, allowed formats are: json, name, wide`,
		},
		"a selection of nodes that is no number, whatever the output": {
			printers.Options{Output: "json", Nodes: "some"},
			`--nodes "some": must be all, failed, feasible or a number of nodes`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := printers.NewDecisions(test.options)
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEveryFormatOfDecisionsIsAllowed(t *testing.T) {
	formats := printers.DecisionFormats()
	if !slices.IsSorted(formats) {
		t.Errorf("not sorted: %v", formats)
	}
	for _, output := range append(formats, "") {
		if _, err := printers.NewDecisions(printers.Options{Output: output}); err != nil {
			t.Errorf("--output %q: %v", output, err)
		}
	}
}

// writes keeps what each call of Write was given.
type writes struct{ calls []string }

func (w *writes) Write(data []byte) (int, error) {
	w.calls = append(w.calls, string(data))
	return len(data), nil
}

// A stream is read while it is written: each decision is there as soon as it is printed, and whole.
func TestDecisionsAreWrittenOneByOne(t *testing.T) {
	decisions := loadDecisions(t)
	for _, output := range []string{"", "wide", "json"} {
		printer, err := printers.NewDecisions(printers.Options{Output: output})
		if err != nil {
			t.Fatal(err)
		}
		var out writes
		for _, d := range decisions {
			if err := printer.Print(&out, d); err != nil {
				t.Fatal(err)
			}
		}
		if len(out.calls) != len(decisions) {
			t.Errorf("%q: %d writes for %d decisions", output, len(out.calls), len(decisions))
		}
		for i, text := range out.calls {
			if !strings.HasSuffix(text, "\n") {
				t.Errorf("%q: write %d does not end a line: %q", output, i, text)
			}
			if got, want := strings.Contains(text, "TIME "), i == 0 && output != "json"; got != want {
				t.Errorf("%q: write %d has headers: %t, want %t", output, i, got, want)
			}
		}
	}
}

// Nobody knows the rows to come: cells begin below their headers in every line whose names fit.
func TestColumnsOfDecisionsAreStable(t *testing.T) {
	decisions := []*report.Decision{
		decision(report.ResultBound, chose("n1"), fit(12, 40), scoring(312), took(5)),
		decision(report.ResultBound, chose("node-9"), fit(500, 500), scoring(12345), took(5), dryly),
		decision(report.ResultUnschedulable, took(5)),
		decision(report.ResultPreempted, chose("節点"), took(5)),
	}
	for _, options := range []printers.Options{{}, {Width: 80}, {Width: 120}, {Output: "wide"}} {
		for i, mark := range []string{"→", "→", "✗", "←"} {
			lines := strings.Split(stream(t, options, decisions[i]), "\n")
			for header, cell := range map[string]string{"POD": "shop/x", "NODE": mark, "TOOK": "5ms"} {
				if got, want := column(lines[1], cell), column(lines[0], header); got != want {
					t.Errorf("%+v: decision %d: %s in column %d, want %d", options, i, header, got, want)
				}
			}
		}
	}
}

// Each line of JSON is one object, which holds all of the decision.
func TestJSONOfDecisionsLosesNothing(t *testing.T) {
	want := loadDecisions(t)
	var got []*report.Decision
	for line := range strings.Lines(stream(t, printers.Options{Output: "json"}, want...)) {
		d := &report.Decision{}
		if err := json.Unmarshal([]byte(line), d); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		got = append(got, d)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("decoded (-want +got):\n%s", diff)
	}
}

func TestDecisionThatJSONCannotHold(t *testing.T) {
	printer, err := printers.NewDecisions(printers.Options{Output: "json"})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = printer.Print(&out, decision(report.ResultBound, took(math.NaN())))
	if err == nil || !strings.HasPrefix(err.Error(), "printing the decision about shop/x as JSON: ") {
		t.Errorf("error %v", err)
	}
	if out.Len() > 0 {
		t.Errorf("half a line: %q", out.String())
	}
}

func TestColorAddsNothingButColorToDecisions(t *testing.T) {
	for _, output := range []string{"", "wide"} {
		for _, d := range loadDecisions(t) {
			plain := stream(t, printers.Options{Output: output}, d)
			colored := stream(t, printers.Options{Output: output, Color: true}, d)
			if colored == plain {
				t.Errorf("%s: no color", d.Result)
			}
			if diff := cmp.Diff(plain, ansi.ReplaceAllString(strings.ReplaceAll(colored, "\x1b[0m", ""), "")); diff != "" {
				t.Errorf("%s: without its color (-plain +colored):\n%s", d.Result, diff)
			}
		}
	}
}

// Only names make a line longer than the width.
func TestLinesOfDecisionsKeepTheWidth(t *testing.T) {
	for given, limit := range map[int]int{0: 100, 80: 80, 100: 100, 120: 120, 300: 120} {
		for _, d := range loadDecisions(t) {
			d.Metadata.Namespace, d.Metadata.Name, d.NodeName = "shop", "short", "節点-1"
			for line := range strings.Lines(stream(t, printers.Options{Width: given, Color: true}, d)) {
				if width := twwidth.Width(strings.TrimSuffix(line, "\n")); width > limit {
					t.Errorf("width %d: line of %d columns: %s", given, width, line)
				}
			}
		}
	}
}

func TestLinesOfDecisionsHoldOnlyPrintableTextAndNoTrailingSpace(t *testing.T) {
	for variant, options := range decisionVariants {
		if machine[variant] || options.Color {
			continue
		}
		out := stream(t, options, loadDecisions(t)...)
		checkPrintable(t, variant, out)
		if strings.Contains(out, " \n") {
			t.Errorf("%s: a line ends with a space:\n%s", variant, out)
		}
	}
}

// checkPrintable fails for what a terminal would act on.
func checkPrintable(t *testing.T, what, out string) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Errorf("%s: not UTF-8: %q", what, out)
	}
	for i, r := range out {
		if r != '\n' && !strconv.IsPrint(r) {
			t.Errorf("%s: character %U at byte %d of %q", what, r, i, out)
			return
		}
	}
}

func TestPrintOfDecisionsChangesNothing(t *testing.T) {
	decisions := loadDecisions(t)
	for _, output := range []string{"", "wide", "json", "name"} {
		stream(t, printers.Options{Output: output}, decisions...)
	}
	if diff := cmp.Diff(loadDecisions(t), decisions); diff != "" {
		t.Errorf("decisions (-before +after):\n%s", diff)
	}
}

func TestPrintOfDecisionsTellsThatWritingFailed(t *testing.T) {
	for _, output := range []string{"", "wide", "json", "name"} {
		printer, err := printers.NewDecisions(printers.Options{Output: output})
		if err != nil {
			t.Fatal(err)
		}
		if err := printer.Print(failingWriter{}, decision(report.ResultBound)); err == nil {
			t.Errorf("--output %q: no error", output)
		}
	}
}
