package printers_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-sched/kubectl-sched/pkg/printers"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// loadDecisions reads the decisions in testdata: one of every kind.
func loadDecisions(t testing.TB) []*report.Decision {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "decisions.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var decisions []*report.Decision
	for document := range strings.SplitSeq(string(data), "\n---\n") {
		d := report.NewDecision("", "")
		if err := yaml.UnmarshalStrict([]byte(document), d); err != nil {
			t.Fatal(err)
		}
		decisions = append(decisions, d)
	}
	return decisions
}

// stream prints the decisions with a printer of its own.
func stream(t *testing.T, options printers.Options, decisions ...*report.Decision) string {
	t.Helper()
	printer, err := printers.NewDecisions(options)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for _, d := range decisions {
		if err := printer.Print(&out, d); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

// decisionVariants are the options under which the decisions have a golden file.
var decisionVariants = map[string]printers.Options{
	"lines":            {},
	"lines-width-80":   {Width: 80},
	"lines-width-120":  {Width: 200},
	"lines-color":      {Color: true},
	"lines-no-headers": {NoHeaders: true},
	"lines-nodes-1":    {Nodes: "1"},
	"wide":             {Output: "wide"},
	"wide-100":         {Output: "wide", Width: 100},
	"name":             {Output: "name"},
	"json":             {Output: "json"},
}

func TestGoldenDecisions(t *testing.T) {
	decisions := loadDecisions(t)
	for variant, options := range decisionVariants {
		t.Run(variant, func(t *testing.T) {
			got := stream(t, options, decisions...)
			if again := stream(t, options, decisions...); again != got {
				t.Errorf("a second print differs (-first +second):\n%s", cmp.Diff(got, again))
			}
			golden(t, "decisions."+variant, got)
		})
	}
}
