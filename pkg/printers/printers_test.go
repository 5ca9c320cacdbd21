package printers_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-sched/kubectl-sched/pkg/printers"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

func TestNewRefuses(t *testing.T) {
	tests := map[string]struct {
		options printers.Options
		want    string
	}{
		"an unknown format, naming those it knows": {
			options: printers.Options{Output: "xml"},
			want: `--output "xml": unknown format, allowed formats are: go-template, go-template-file, json, jsonpath, ` +
				`jsonpath-as-json, jsonpath-file, kyaml, name, template, templatefile, wide, yaml`,
		},
		"a template format without a template": {
			options: printers.Options{Output: "jsonpath"},
			want:    `--output "jsonpath": template format specified but no template given`,
		},
		"a Go template format without a template": {
			options: printers.Options{Output: "go-template="},
			want:    `--output "go-template=": template format specified but no template given`,
		},
		"a Go template that is not closed, telling the line": {
			options: printers.Options{Output: "go-template={{.x"},
			want:    `--output "go-template={{.x": template: output:1: unclosed action`,
		},
		"a template file that is not there": {
			options: printers.Options{Output: "go-template-file=testdata/absent"},
			want: `--output "go-template-file=testdata/absent": reading the template: ` +
				`open testdata/absent: no such file or directory`,
		},
		"a selection of nodes that is no number": {
			options: printers.Options{Nodes: "some"},
			want:    `--nodes "some": must be all, failed, feasible or a number of nodes`,
		},
		"a negative number of nodes, whatever the output": {
			options: printers.Options{Nodes: "-1", Output: "json"},
			want:    `--nodes "-1": must be all, failed, feasible or a number of nodes`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := printers.New(test.options)
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNewRefusesBrokenTemplates(t *testing.T) {
	for _, output := range []string{"jsonpath={.x", "template={{.x", "jsonpath-file=testdata/absent", "templatefile=testdata"} {
		if _, err := printers.New(printers.Options{Output: output}); err == nil {
			t.Errorf("--output %q: no error", output)
		} else if !strings.HasPrefix(err.Error(), "--output ") {
			t.Errorf("--output %q: error does not name the flag: %v", output, err)
		}
	}
}

func TestTemplates(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"jsonpath": "{.verdict}", "template": "{{.verdict}}"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, output := range []string{
		"jsonpath={.verdict}", "jsonpath-file=" + filepath.Join(dir, "jsonpath"),
		"go-template={{.verdict}}", "go-template-file=" + filepath.Join(dir, "template"),
		"template={{.verdict}}", "templatefile=" + filepath.Join(dir, "template"),
	} {
		got := show(t, printers.Options{Output: output}, load(t, "gated")...)
		if diff := cmp.Diff("Gated", got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", output, diff)
		}
	}
}

// A template that fails tells where, and stdout holds nothing but what it wrote until then.
func TestTemplatesFail(t *testing.T) {
	printer, err := printers.New(printers.Options{Output: "go-template={{.verdict}} {{.verdict.code}}"})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = printer.Print(&out, slices.Values(load(t, "gated")))
	const want = `template: output:1:23: executing "output" at <.verdict.code>: a string has no field code`
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if diff := cmp.Diff("Gated ", out.String()); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

func TestKeysThatAreNotThere(t *testing.T) {
	for output, want := range map[string]string{
		"jsonpath={.verdict}{.absent}": "Gated", "go-template={{.verdict}}{{.absent}}": "Gated<no value>",
	} {
		if diff := cmp.Diff(want, show(t, printers.Options{Output: output}, load(t, "gated")...)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", output, diff)
		}
		strict, err := printers.New(printers.Options{Output: output, RequireKeys: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := strict.Print(&bytes.Buffer{}, slices.Values(load(t, "gated"))); err == nil {
			t.Errorf("%s: no error although keys are required", output)
		}
	}
}

// Whatever a report holds, the machine formats give it back.
func TestMachineFormatsLoseNothing(t *testing.T) {
	for _, name := range reports {
		for _, output := range []string{"json", "yaml", "kyaml"} {
			t.Run(name+"/"+output, func(t *testing.T) {
				want := load(t, name)
				printed := []byte(show(t, printers.Options{Output: output}, want...))
				var got []*report.Explanation
				if len(want) == 1 {
					got = append(got, &report.Explanation{})
					decode(t, printed, got[0])
				} else {
					var list struct {
						Kind  string                `json:"kind"`
						Items []*report.Explanation `json:"items"`
					}
					decode(t, printed, &list)
					if got = list.Items; list.Kind != "List" {
						t.Errorf("kind %q, want List", list.Kind)
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("decoded (-want +got):\n%s", diff)
				}
			})
		}
	}
}

func decode(t *testing.T, data []byte, into any) {
	t.Helper()
	if err := yaml.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

func TestNoExplanations(t *testing.T) {
	if got := show(t, printers.Options{}); got != "" {
		t.Errorf("table of nothing: %q", got)
	}
	var list struct {
		Items []json.RawMessage `json:"items"`
	}
	decode(t, []byte(show(t, printers.Options{Output: "json"})), &list)
	if list.Items == nil || len(list.Items) != 0 {
		t.Errorf("items %v, want []", list.Items)
	}
}

func TestTablesKeepTheWidth(t *testing.T) {
	widths := map[int]int{0: 100, 80: 80, 100: 100, 120: 120, 300: 120, 1: 40}
	for _, name := range reports {
		for _, nodes := range []string{"", "all"} {
			for given, limit := range widths {
				out := show(t, printers.Options{Width: given, Nodes: nodes, Color: true}, load(t, name)...)
				for line := range strings.Lines(out) {
					line = strings.TrimSuffix(line, "\n")
					if width := twwidth.Width(line); width > limit {
						t.Errorf("%s, width %d: line of %d columns: %s", name, given, width, line)
					}
				}
			}
		}
	}
}

var ansi = regexp.MustCompile("\x1b\\[\\d+m")

func TestColorAddsNothingButColor(t *testing.T) {
	for _, name := range reports {
		plain := show(t, printers.Options{}, load(t, name)...)
		colored := show(t, printers.Options{Color: true}, load(t, name)...)
		if colored == plain {
			t.Errorf("%s: no color", name)
		}
		if diff := cmp.Diff(plain, ansi.ReplaceAllString(colored, "")); diff != "" {
			t.Errorf("%s: without its color (-plain +colored):\n%s", name, diff)
		}
	}
}

func TestTablesHoldOnlyPrintableTextAndNoTrailingSpace(t *testing.T) {
	for _, name := range reports {
		for variant, options := range variants {
			if machine[variant] || options.Color {
				continue
			}
			out := show(t, options, load(t, name)...)
			for i, r := range out {
				if r != '\n' && (r == utf8.RuneError || !strconv.IsPrint(r)) {
					t.Errorf("%s, %s: character %U at byte %d", name, variant, r, i)
				}
			}
			if strings.Contains(out, " \n") {
				t.Errorf("%s, %s: a line ends with a space:\n%s", name, variant, out)
			}
		}
	}
}

func TestBytesThatAreNoTextAreEscaped(t *testing.T) {
	e := report.NewExplanation(report.Metadata{Namespace: "a\xffb", Name: "c\x00\u200bd"})
	e.Verdict = report.Invalid
	e.Message = "tab\there, e\u0301 and 節 stay"
	want := `pod/c\x00\u200bd in a\xffb: Invalid - the API server would refuse it: tab\there, ` +
		"e\u0301 and 節 stay\n"
	if diff := cmp.Diff(want, show(t, printers.Options{}, e)); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
	if e.Metadata.Name != "c\x00\u200bd" {
		t.Errorf("printing changed the report: %q", e.Metadata.Name)
	}
}

// The counts of the headline add up to the number of nodes, however many causes there are.
func TestCausesAddUp(t *testing.T) {
	e := report.NewExplanation(report.Metadata{Namespace: "shop", Name: "web"})
	e.Verdict = report.Unschedulable
	for i := range 30 {
		taint := report.UntoleratedTaint{Key: fmt.Sprintf("key-%02d", i%8), Effect: "NoSchedule"}
		e.Nodes = append(e.Nodes, rejected(i, "TaintToleration", "node(s) had untolerated taint(s)", taint))
	}
	want := "pod/web in shop: Unschedulable - no node of 30 fits: 4 have taint key-00:NoSchedule, 4 have taint " +
		"key-01:NoSchedule, 4 have taint key-02:NoSchedule, 4 have taint key-03:NoSchedule, 14 fail otherwise"
	got, _, _ := strings.Cut(show(t, printers.Options{Output: "wide"}, e), "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("headline (-want +got):\n%s", diff)
	}
}

// A node that lacks more, but nothing else, is nearer than one that other plugins reject too. Those are told of, since
// more of the resource would not be enough for them.
func TestNearestNodeLacksNothingElse(t *testing.T) {
	e := report.NewExplanation(report.Metadata{Name: "web"})
	e.Verdict = report.Unschedulable
	for i, missing := range []string{"100m", "2", "1500m"} {
		e.Nodes = append(e.Nodes, rejected(i, "NodeResourcesFit", "Insufficient cpu",
			report.InsufficientResource{Resource: "cpu", Missing: missing}))
	}
	e.Nodes[0].Filters = append(e.Nodes[0].Filters, report.Rejection{Plugin: "NodePorts"})
	got, _, _ := strings.Cut(show(t, printers.Options{Output: "wide"}, e), "\n")
	want := "pod/web: Unschedulable - no node of 3 fits: 3 lack cpu (nearest: node-0002, 1500m short); 1 node has more reasons"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("headline (-want +got):\n%s", diff)
	}
}

func TestScoresOfTheOnlyFeasibleNode(t *testing.T) {
	e := report.NewExplanation(report.Metadata{Name: "web"})
	e.Verdict, e.NodeName = report.Schedulable, "node-a"
	e.Nodes = []report.Node{{Name: "node-a", Verdict: report.Feasible}, rejected(1, "NodePorts", "taken")}
	want := `pod/web: Schedulable - node-a is the only one of 2 nodes that fits

NODE        VERDICT    SCORE   REASONS
node-a      Feasible   -
node-0001   Rejected   -       taken
no scores: kube-scheduler scores no node when only one fits
`
	if diff := cmp.Diff(want, show(t, printers.Options{Scores: true}, e)); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

func TestScoresOfDefaultProfileFitBesideLongNames(t *testing.T) {
	explanations := load(t, "schedulable")
	explanations[0].Nodes[1].Name = strings.Repeat("long-name.", 25)
	out := show(t, printers.Options{Scores: true, Width: 120}, explanations...)
	for line := range strings.Lines(out) {
		if width := twwidth.Width(strings.TrimSuffix(line, "\n")); width > 120 {
			t.Errorf("line of %d columns: %s", width, line)
		}
	}
}

func TestFiveThousandNodes(t *testing.T) {
	e := report.NewExplanation(report.Metadata{Name: "web"})
	e.Verdict = report.Unschedulable
	for i := range 5000 {
		e.Nodes = append(e.Nodes, rejected(i, "NodeResourcesFit", "Insufficient cpu", report.InsufficientResource{
			Resource:  "cpu",
			Requested: "4", Used: fmt.Sprintf("%dm", i+1), Allocatable: "4", Missing: fmt.Sprintf("%dm", i+1),
		}))
	}
	folded := show(t, printers.Options{}, e)
	if lines := strings.Count(folded, "\n"); lines > 6 {
		t.Errorf("folded: %d lines:\n%s", lines, folded)
	}
	if want := "node-0000 +4999 more"; !strings.Contains(folded, want) {
		t.Errorf("folded: no %q in\n%s", want, folded)
	}
	if rows := strings.Count(show(t, printers.Options{Nodes: "all"}, e), "Rejected"); rows != 5000 {
		t.Errorf("all: %d rows, want 5000", rows)
	}
}

func rejected(i int, plugin, reason string, details ...report.Detail) report.Node {
	return report.Node{
		Name:    fmt.Sprintf("node-%04d", i),
		Verdict: report.Rejected,
		Filters: []report.Rejection{{
			Plugin: plugin, Code: "Unschedulable", Reasons: []string{reason}, Details: details,
		}},
	}
}

// failingWriter refuses everything, as a closed pipe does.
type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestPrintTellsThatWritingFailed(t *testing.T) {
	for _, output := range []string{"", "wide", "name", "json", "yaml"} {
		printer, err := printers.New(printers.Options{Output: output})
		if err != nil {
			t.Fatal(err)
		}
		if err := printer.Print(failingWriter{}, slices.Values(load(t, "three"))); err == nil {
			t.Errorf("--output %q: no error", output)
		}
	}
}

func TestOnePrinterPrintsTheSameAgain(t *testing.T) {
	printer, err := printers.New(printers.Options{Scores: true})
	if err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &second} {
		if err := printer.Print(out, slices.Values(load(t, "three"))); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(first.String(), second.String()); diff != "" {
		t.Errorf("(-first +second):\n%s", diff)
	}
}

func TestHeadlines(t *testing.T) {
	explain := func(verdict report.Verdict, nodeName string, nodes ...report.Node) *report.Explanation {
		e := report.NewExplanation(report.Metadata{Name: "web", Kind: "pod"})
		e.Verdict, e.NodeName, e.Nodes = verdict, nodeName, nodes
		return e
	}
	scored := func(name string, total int64) report.Node {
		return report.Node{Name: name, Verdict: report.Feasible, Total: total,
			Scores: []report.Score{{Plugin: "ImageLocality", Weight: 1, Weighted: total}}}
	}
	a, b, full := scored("a", 9), scored("b", 5), rejected(1, "NodePorts", "taken")
	skipped := report.Node{Name: "c", Verdict: report.NotEvaluated}
	tied := explain(report.Schedulable, "a", a, b)
	tied.Ties = []string{"a", "b", "c", "d", "e", "f"}
	deleted := explain(report.Unschedulable, "")
	deleted.Message = "skip schedule deleting pod: shop/web"
	identical := explain(report.Schedulable, "a", a)
	identical.Pods = []string{"web", "web-2", "web-3"}
	single := explain(report.Schedulable, "a", a)
	single.Metadata.Kind, single.Pods = "deployment.apps", []string{"web-7d-x"}
	everywhere := explain(report.Schedulable, "", a, b, skipped)
	everywhere.Metadata.Kind = "daemonset.apps"
	nowhere := explain(report.Schedulable, "", skipped)
	nowhere.Metadata.Kind = "daemonset.apps"
	noClaim := explain(report.Unschedulable, "", skipped)
	noClaim.Metadata.Kind = "daemonset.apps"
	noClaim.PreFilter = []report.Rejection{{Plugin: "VolumeBinding", Reasons: []string{`claim "data" not found`}}}

	tests := map[string]struct {
		explanation *report.Explanation
		want        string
	}{
		"the only node": {explain(report.Schedulable, "a", a), "pod/web: Schedulable - a, the only node, fits"},
		"more ties than are named": {
			tied, "pod/web: Schedulable - a is best of 2 that fit (score 9), tied with b, c, d and 2 more",
		},
		"a nominated node that is not the best": {
			explain(report.Schedulable, "b", a, b), "pod/web: Schedulable - it is nominated for b, one of 2 that fit",
		},
		"a Pod that no node was judged for": {deleted, "pod/web: Unschedulable - skip schedule deleting pod: shop/web"},
		"a bound Pod and no judgment":       {explain(report.Bound, "a"), "pod/web: Bound - it has a"},
		"a bound Pod that fits nowhere else": {
			explain(report.Bound, "a", a, full), "pod/web: Bound - it has a; judged anew, 1 of 2 nodes fits: a",
		},
		"a bound Pod that would not fit anew": {
			explain(report.Bound, full.Name, a, b, full),
			"pod/web: Bound - it has node-0001; judged anew, 2 of 3 nodes fit, but not node-0001",
		},
		"a bound Pod when nothing fits": {
			explain(report.Bound, full.Name, full),
			"pod/web: Bound - it has node-0001; judged anew, no node of 1 fits: 1 has its host port in use",
		},
		"a bound Pod whose node is gone": {
			explain(report.Bound, "gone", a, b),
			"pod/web: Bound - it has gone; judged anew, 2 of 2 nodes fit, and gone is not among the nodes",
		},
		"identical Pods":             {identical, "pod/web and 2 identical: Schedulable - a, the only node, fits"},
		"the one Pod of a workload":  {single, "pod/web-7d-x of deployment/web: Schedulable - a, the only node, fits"},
		"a DaemonSet that fits":      {everywhere, "daemonset/web: its Pod fits on 2 of 2 nodes it wants"},
		"a DaemonSet without nodes":  {nowhere, "daemonset/web: it wants none of 1 node"},
		"a DaemonSet with no volume": {noClaim, `daemonset/web: VolumeBinding rejects the Pod: claim "data" not found`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, _, _ := strings.Cut(show(t, printers.Options{Output: "wide"}, test.explanation), "\n")
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("headline (-want +got):\n%s", diff)
			}
		})
	}
}
