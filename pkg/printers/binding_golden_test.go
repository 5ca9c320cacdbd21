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

// loadBindings reads the bindings in testdata: one of every kind.
func loadBindings(t *testing.T) []*report.Binding {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "bindings.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var bindings []*report.Binding
	for _, document := range strings.Split(string(data), "\n---\n") {
		b := report.NewBinding("", "")
		if err := yaml.UnmarshalStrict([]byte(document), b); err != nil {
			t.Fatal(err)
		}
		bindings = append(bindings, b)
	}
	return bindings
}

// showBindings prints the bindings with a printer of its own.
func showBindings(t *testing.T, options printers.Options, bindings ...*report.Binding) string {
	t.Helper()
	printer, err := printers.NewBindings(options)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := printer.Print(&out, bindings); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// bindingVariants are the options under which the bindings have a golden file.
var bindingVariants = map[string]printers.Options{
	"lines":            {},
	"lines-width-80":   {Width: 80},
	"lines-width-120":  {Width: 200},
	"lines-color":      {Color: true},
	"lines-wide":       {Output: "wide"},
	"lines-wide-100":   {Output: "wide", Width: 100},
	"table":            {Bulk: true},
	"table-width-80":   {Bulk: true, Width: 80},
	"table-width-120":  {Bulk: true, Width: 200},
	"table-color":      {Bulk: true, Color: true},
	"table-no-headers": {Bulk: true, NoHeaders: true},
	"table-wide":       {Bulk: true, Output: "wide"},
	"table-wide-100":   {Bulk: true, Output: "wide", Width: 100},
	"name":             {Output: "name"},
	"json":             {Output: "json"},
	"yaml":             {Output: "yaml"},
	"kyaml":            {Output: "kyaml"},
	"jsonpath":         {Output: `jsonpath={range .items[*]}{.metadata.name} {.result} {.nodeName}{"\n"}{end}`},
	"go-template":      {Output: `go-template={{.kind}}{{range .items}} {{.result}}{{end}}{{"\n"}}`},
}

func TestGoldenBindings(t *testing.T) {
	bindings := loadBindings(t)
	for variant, options := range bindingVariants {
		t.Run(variant, func(t *testing.T) {
			got := showBindings(t, options, bindings...)
			if again := showBindings(t, options, bindings...); again != got {
				t.Errorf("a second print differs (-first +second):\n%s", cmp.Diff(got, again))
			}
			golden(t, "bindings."+variant, got)
		})
	}
}
