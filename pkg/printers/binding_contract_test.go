package printers_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/olekukonko/tablewriter/pkg/twwidth"

	"github.com/kubectl-sched/kubectl-sched/pkg/printers"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

func TestNewBindingsRefusesWhatNewRefuses(t *testing.T) {
	for _, output := range []string{"xml", "jsonpath", "go-template={{.x", "go-template-file=testdata/absent"} {
		_, want := printers.New(printers.Options{Output: output})
		_, got := printers.NewBindings(printers.Options{Output: output})
		if want == nil || got == nil || want.Error() != got.Error() {
			t.Errorf("--output %q: error %v, want %v", output, got, want)
		}
	}
}

// Whatever a binding holds, the machine formats give it back: one as the object itself, several as a List.
func TestMachineFormatsOfBindingsLoseNothing(t *testing.T) {
	want := loadBindings(t)
	for _, output := range []string{"json", "yaml", "kyaml"} {
		var list struct {
			Kind  string            `json:"kind"`
			Items []*report.Binding `json:"items"`
		}
		decode(t, []byte(showBindings(t, printers.Options{Output: output}, want...)), &list)
		if list.Kind != "List" {
			t.Errorf("%s: kind %q, want List", output, list.Kind)
		}
		if diff := cmp.Diff(want, list.Items); diff != "" {
			t.Errorf("%s: decoded (-want +got):\n%s", output, diff)
		}
		for _, one := range want {
			got := &report.Binding{}
			decode(t, []byte(showBindings(t, printers.Options{Output: output}, one)), got)
			if diff := cmp.Diff(one, got); diff != "" {
				t.Errorf("%s: decoded alone (-want +got):\n%s", output, diff)
			}
		}
	}
}

func TestNoBindings(t *testing.T) {
	for _, options := range []printers.Options{{}, {Bulk: true}, {Output: "wide", Bulk: true}, {Output: "name"}} {
		if got := showBindings(t, options); got != "" {
			t.Errorf("%+v: %q, want nothing", options, got)
		}
	}
	if got := showBindings(t, printers.Options{Output: "json"}); !strings.Contains(got, `"items": []`) {
		t.Errorf("no empty list in %s", got)
	}
}

func TestTextOfBindingsKeepsTheWidth(t *testing.T) {
	limits := map[bool]map[int]int{
		false: {0: 100, 1: 40, 80: 80, 100: 100, 120: 120, 300: 120},
		true:  {0: 100, 1: 80, 80: 80, 100: 100, 120: 120, 300: 120},
	}
	for bulk, widths := range limits {
		for given, limit := range widths {
			out := showBindings(t, printers.Options{Bulk: bulk, Width: given, Color: true}, loadBindings(t)...)
			for line := range strings.Lines(out) {
				if width := twwidth.Width(strings.TrimSuffix(line, "\n")); width > limit {
					t.Errorf("bulk %t, width %d: line of %d columns: %s", bulk, given, width, line)
				}
			}
		}
	}
}

// The wide table is one line per Pod, with nothing cut.
func TestWideTableOfBindingsIsWhole(t *testing.T) {
	bindings := loadBindings(t)
	out := showBindings(t, printers.Options{Bulk: true, Output: "wide", Width: 80, NoHeaders: true}, bindings...)
	rows, _, _ := strings.Cut(out, "\n\n")
	if lines := strings.Split(rows, "\n"); len(lines) != len(bindings) {
		t.Errorf("%d lines for %d Pods:\n%s", len(lines), len(bindings), rows)
	}
	for _, b := range bindings[:len(bindings)-1] { // the last is hostile
		if !strings.Contains(rows, b.Reason) {
			t.Errorf("no %q in\n%s", b.Reason, rows)
		}
	}
}

func TestColorAddsNothingButColorToBindings(t *testing.T) {
	for _, bulk := range []bool{false, true} {
		for _, b := range loadBindings(t) {
			plain := showBindings(t, printers.Options{Bulk: bulk}, b)
			colored := showBindings(t, printers.Options{Bulk: bulk, Color: true}, b)
			if colored == plain {
				t.Errorf("%s: no color", b.Result)
			}
			if diff := cmp.Diff(plain, ansi.ReplaceAllString(colored, "")); diff != "" {
				t.Errorf("%s: without its color (-plain +colored):\n%s", b.Result, diff)
			}
		}
	}
}

func TestTextOfBindingsHoldsOnlyPrintableTextAndNoTrailingSpace(t *testing.T) {
	for variant, options := range bindingVariants {
		if machine[variant] || options.Color {
			continue
		}
		bindings := loadBindings(t)
		out := showBindings(t, options, bindings...)
		for i, r := range out {
			if r != '\n' && (r == utf8.RuneError || !strconv.IsPrint(r)) {
				t.Errorf("%s: character %U at byte %d", variant, r, i)
			}
		}
		if strings.Contains(out, " \n") {
			t.Errorf("%s: a line ends with a space:\n%s", variant, out)
		}
		if diff := cmp.Diff(loadBindings(t), bindings); diff != "" {
			t.Errorf("%s: printing changed the bindings (-before +after):\n%s", variant, diff)
		}
	}
}

func TestPrintOfBindingsTellsThatWritingFailed(t *testing.T) {
	for _, options := range []printers.Options{{}, {Bulk: true}, {Output: "name"}, {Output: "json"}, {Output: "yaml"}} {
		printer, err := printers.NewBindings(options)
		if err != nil {
			t.Fatal(err)
		}
		if err := printer.Print(failingWriter{}, loadBindings(t)); err == nil {
			t.Errorf("%+v: no error", options)
		}
	}
}

// Pods that are unschedulable for the same long reason take a few lines each, however many they are.
func TestTableOfFiveThousandBindings(t *testing.T) {
	const pods = 5000
	reason := "0/5000 nodes are available: " + strings.Repeat("100 node(s) had untolerated taint(s), ", 50)
	bindings := make([]*report.Binding, 0, pods)
	for i := range pods {
		b := binding(report.ResultUnschedulable, because(reason))
		b.Metadata.Name = fmt.Sprintf("web-%04d", i)
		bindings = append(bindings, b)
	}
	out := showBindings(t, printers.Options{Bulk: true}, bindings...)
	if lines, want := strings.Count(out, "\n"), 1+3*pods+1; lines != want {
		t.Errorf("%d lines, want %d", lines, want)
	}
}
