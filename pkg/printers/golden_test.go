package printers_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-sched/kubectl-sched/pkg/printers"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing with them")

// TestMain pins how wide ambiguous characters are, which otherwise follows the locale.
func TestMain(m *testing.M) {
	twwidth.SetEastAsian(false)
	os.Exit(m.Run())
}

// load reads the reports of a file in testdata.
func load(t *testing.T, name string) []*report.Explanation {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var explanations []*report.Explanation
	for _, document := range strings.Split(string(data), "\n---\n") {
		e := report.NewExplanation(report.Metadata{})
		if err := yaml.UnmarshalStrict([]byte(document), e); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		explanations = append(explanations, e)
	}
	return explanations
}

// show prints the explanations with a printer of its own.
func show(t *testing.T, options printers.Options, explanations ...*report.Explanation) string {
	t.Helper()
	printer, err := printers.New(options)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := printer.Print(&out, slices.Values(explanations)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

var reports = []string{
	"schedulable", "unschedulable", "preemption", "gated", "prefilter", "bound", "invalid", "no-profile", "folded",
	"hostile", "three", "daemonset", "no-nodes", "story", "comparison", "fixes", "next",
}

// variants are the options under which every report has a golden file.
var variants = map[string]printers.Options{
	"table":       {},
	"width-80":    {Width: 80},
	"width-120":   {Width: 200},
	"color":       {Color: true},
	"no-headers":  {NoHeaders: true},
	"scores":      {Scores: true, Width: 120},
	"wide":        {Output: "wide"},
	"wide-100":    {Output: "wide", Width: 100},
	"wide-scores": {Output: "wide", Scores: true},
	"all":         {Nodes: "all"},
	"failed":      {Nodes: "failed"},
	"feasible":    {Nodes: "feasible"},
	"first-3":     {Nodes: "3"},
	"name":        {Output: "name"},
	"json":        {Output: "json"},
	"yaml":        {Output: "yaml"},
	"kyaml":       {Output: "kyaml"},
	"jsonpath":    {Output: `jsonpath={range .items[*]}{.metadata.name}{"\n"}{end}{.verdict} {.nodes[*].name}`},
	"go-template": {Output: `go-template={{.kind}}{{range .items}} {{.verdict}}{{end}}{{"\n"}}`},
}

// machine are the variants that differ from report to report in their data only: three reports show them.
var machine = map[string]bool{"json": true, "yaml": true, "kyaml": true, "jsonpath": true, "go-template": true}

func TestGolden(t *testing.T) {
	for _, name := range reports {
		explanations := load(t, name)
		for variant, options := range variants {
			if machine[variant] && name != "preemption" && name != "three" && name != "hostile" {
				continue
			}
			t.Run(name+"/"+variant, func(t *testing.T) {
				got := show(t, options, explanations...)
				if again := show(t, options, explanations...); again != got {
					t.Errorf("a second print differs (-first +second):\n%s", cmp.Diff(got, again))
				}
				golden(t, name+"."+variant, got)
			})
		}
	}
}

// golden compares with, or writes, a file in testdata/golden.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name+".txt")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; go test ./pkg/printers -update writes it", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("output differs (-want +got); go test ./pkg/printers -update accepts it:\n%s", diff)
	}
}
