package cmd_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// TestReadmeSavesWhatIsRead checks the kubectl commands of README.md that save a cluster.
func TestReadmeSavesWhatIsRead(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(data), "    kubectl get ")
	resources, _, ended := strings.Cut(rest, " -A -o yaml")
	if !found || !ended {
		t.Fatal("README.md: no command that saves a cluster")
	}
	var want, devices []string
	for _, kind := range cluster.Kinds {
		switch {
		case kind.Use != cluster.Scheduling && kind.Use != cluster.Admission:
		case kind.Group == "resource.k8s.io":
			devices = append(devices, kind.Resource)
		default:
			want = append(want, kind.Resource)
		}
	}
	slices.Sort(want)
	got := slices.Sorted(slices.Values(strings.Split(resources, ",")))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the kinds that README.md saves (-want +got):\n%s", diff)
	}
	for _, resource := range devices {
		if !regexp.MustCompile("Add `[^`]*\\b" + resource + "\\b").MatchString(rest) {
			t.Errorf("README.md does not say to save %s for devices", resource)
		}
	}
}

// TestDecisionsInDocsAreReal compares the decisions that pages show with what the printer's test prints.
func TestDecisionsInDocsAreReal(t *testing.T) {
	const golden = "pkg/printers/testdata/golden/decisions.lines.txt"
	printed := readPage(t, "../../"+golden)
	for _, page := range []string{"../../README.md", "../../docs/run.md"} {
		_, rest, found := strings.Cut(readPage(t, page), "<!-- lines of "+golden+" -->\n```text\n")
		lines, _, closed := strings.Cut(rest, "```")
		if !found || !closed {
			t.Errorf("%s shows no decisions", page)
		}
		for line := range strings.Lines(lines) {
			if !strings.Contains(printed, "\n"+line) && !strings.HasPrefix(printed, line) {
				t.Errorf("%s: the printer does not print %q", page, line)
			}
		}
	}
}

// TestOutputPageShowsARealDecision compares the example with what the printer's test prints.
func TestOutputPageShowsARealDecision(t *testing.T) {
	line, _, _ := strings.Cut(readPage(t, "../../pkg/printers/testdata/golden/decisions.json.txt"), "\n")
	if !strings.Contains(readPage(t, outputPage), "```json\n"+line+"\n```\n") {
		t.Errorf("docs/output.md does not show %s", line)
	}
}
