package printers_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/printers"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// decision returns one about the Pod x, with changes.
func decision(result report.Result, changes ...func(*report.Decision)) *report.Decision {
	d := report.NewDecision("shop", "x")
	d.Result = result
	d.Time = metav1.NewMicroTime(time.Date(2026, time.November, 30, 12, 3, 4, 512_345_678, time.UTC))
	for _, change := range changes {
		change(d)
	}
	return d
}

func chose(node string) func(*report.Decision) {
	return func(d *report.Decision) { d.NodeName = node }
}

func fit(feasible, evaluated int) func(*report.Decision) {
	return func(d *report.Decision) { d.FeasibleNodes, d.EvaluatedNodes = feasible, evaluated }
}

func scoring(score int64) func(*report.Decision) {
	return func(d *report.Decision) { d.Score = &score }
}

func took(milliseconds float64) func(*report.Decision) {
	return func(d *report.Decision) { d.LatencyMilliseconds = milliseconds }
}

func saying(message string) func(*report.Decision) {
	return func(d *report.Decision) { d.Message = message }
}

func nominated(node string) func(*report.Decision) {
	return func(d *report.Decision) { d.NominatedNodeName = node }
}

func evictedFor(namespace, name string) func(*report.Decision) {
	return func(d *report.Decision) { d.Preemptor = &report.Metadata{Namespace: namespace, Name: name} }
}

func dryly(d *report.Decision) { d.DryRun = report.DryRunClient }

func TestDecisionLines(t *testing.T) {
	const lacks = "0/2 nodes are available: 2 Insufficient cpu."
	tests := map[string]struct {
		decision *report.Decision
		want     string // with runs of spaces as one
	}{
		"bound": {
			decision(report.ResultBound, chose("n1"), fit(12, 40), scoring(312), took(8.1)),
			"12:03:04.512 shop/x → n1 12/40 312 8ms",
		},
		"bound with a score of 0, to the only node, without delay": {
			decision(report.ResultBound, chose("n1"), fit(1, 1), scoring(0)), "12:03:04.512 shop/x → n1 1/1 0 -",
		},
		"would be bound": {
			decision(report.ResultBound, chose("n1"), fit(1, 1), dryly), "12:03:04.512 shop/x → n1 1/1 - - (dry run)",
		},
		"bound to the node that it had waited for": {
			decision(report.ResultBound, chose("n1"), nominated("n1")), "12:03:04.512 shop/x → n1 - - -",
		},
		"a Pod of no namespace": {
			decision(report.ResultBound, chose("n1"), func(d *report.Decision) { d.Metadata.Namespace = "" }),
			"12:03:04.512 x → n1 - - -",
		},
		"unschedulable": {
			decision(report.ResultUnschedulable, fit(0, 2), saying(lacks)), "12:03:04.512 shop/x ✗ 0/2 - - " + lacks,
		},
		"unschedulable, in a dry run": {
			decision(report.ResultUnschedulable, fit(0, 2), saying(lacks), dryly),
			"12:03:04.512 shop/x ✗ 0/2 - - " + lacks + " (dry run)",
		},
		"unschedulable, without a word why": {
			decision(report.ResultUnschedulable), "12:03:04.512 shop/x ✗ - - - unschedulable",
		},
		"waits for a node": {
			decision(report.ResultUnschedulable, saying(lacks), nominated("n2")),
			"12:03:04.512 shop/x ✗ - - - " + lacks + " It waits for n2, where Pods are evicted for it.",
		},
		"waits for a node, after a message without a full stop": {
			decision(report.ResultUnschedulable, saying("no"), nominated("n2")),
			"12:03:04.512 shop/x ✗ - - - no. It waits for n2, where Pods are evicted for it.",
		},
		"evicted": {
			decision(report.ResultPreempted, chose("n2"), evictedFor("shop", "web-1")),
			"12:03:04.512 shop/x ← n2 - - - evicted from n2 for shop/web-1",
		},
		"evicted for a group": {
			decision(report.ResultPreempted, chose("n2"), evictedFor("shop", "train"), func(d *report.Decision) {
				d.Preemptor.Kind = "podgroup"
			}),
			"12:03:04.512 shop/x ← n2 - - - evicted from n2 for podgroup shop/train",
		},
		"evicted, nobody knows from where and for whom, in a dry run": {
			decision(report.ResultPreempted, dryly),
			"12:03:04.512 shop/x ← - - - evicted for another Pod (dry run)",
		},
		"bound by somebody else": {
			decision(report.ResultBoundElsewhere, chose("n3"), saying("somebody else bound the pod to node n3")),
			"12:03:04.512 shop/x → n3 - - - somebody else bound the pod to node n3",
		},
		"bound by somebody else, without a word": {
			decision(report.ResultBoundElsewhere, chose("n3")),
			"12:03:04.512 shop/x → n3 - - - bound by somebody else meanwhile",
		},
		"refused": {
			decision(report.ResultRefused, saying("it is gated: x")), "12:03:04.512 shop/x ✗ - - - refused: it is gated: x",
		},
		"failed": {
			decision(report.ResultFailed, chose("n3"), saying("the API server forbids it")),
			"12:03:04.512 shop/x ✗ n3 - - - failed: the API server forbids it",
		},
		"gone":    {decision(report.ResultGone), "12:03:04.512 shop/x ✗ - - - gone"},
		"skipped": {decision(report.ResultSkipped, saying("stopped")), "12:03:04.512 shop/x ✗ - - - skipped: stopped"},
		"a result of a later version": {
			decision("Moved\x1b[m", saying("why\n")), `12:03:04.512 shop/x ✗ - - - moved\x1b[m: why\n`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			// Every width says the same, on one line or on several.
			for _, width := range []int{0, 40, 80, 120} {
				got := stream(t, printers.Options{NoHeaders: true, Width: width}, test.decision)
				if diff := cmp.Diff(test.want, strings.Join(strings.Fields(got), " ")); diff != "" {
					t.Errorf("width %d: line (-want +got):\n%s", width, diff)
				}
			}
			wide := stream(t, printers.Options{NoHeaders: true, Output: "wide"}, test.decision)
			if strings.Count(wide, "\n") != 1 {
				t.Errorf("wide: no single line: %s", wide)
			}
		})
	}
}

func TestTimeOfDecisionsIsUTC(t *testing.T) {
	d := decision(report.ResultBound)
	d.Time = metav1.NewMicroTime(d.Time.In(time.FixedZone("", -7*3600)))
	if got := stream(t, printers.Options{NoHeaders: true}, d); !strings.HasPrefix(got, "12:03:04.512 ") {
		t.Errorf("no 12:03:04.512 at the beginning of %s", got)
	}
}

func TestTimesTaken(t *testing.T) {
	for milliseconds, want := range map[float64]string{
		-1: "-", 0: "-", 0.004: "0s", 0.417: "420µs", 0.9999: "1ms", 1: "1ms", 8.4: "8ms", 812.6: "813ms", 999.7: "1s",
		1234: "1.23s", 59_999: "1m0s", 123_456: "2m3s", 3_600_000: "1h0m0s", 1e300: "1281023h53m38s",
	} {
		got := strings.Fields(stream(t, printers.Options{NoHeaders: true}, decision(report.ResultGone, took(milliseconds))))[5]
		if got != want {
			t.Errorf("%v ms: %s, want %s", milliseconds, got, want)
		}
	}
}

// The sentence is on the line as long as there is room for it, and never broken without need.
func TestSentenceStaysOnTheLineWhereItFits(t *testing.T) {
	const room = 9 // what the columns leave of 100
	for length, lines := range map[int]int{1: 1, room: 1, room + 1: 2, 100 - 14: 2, 100 - 14 + 1: 3} {
		out := stream(t, printers.Options{NoHeaders: true},
			decision(report.ResultUnschedulable, saying(strings.Repeat("x", length))))
		if got := strings.Count(out, "\n"); got != lines {
			t.Errorf("%d columns: %d lines, want %d:\n%s", length, got, lines, out)
		}
	}
}

// A name that is too long pushes what follows, which comes back to its columns where shorter cells leave room.
func TestLongNamesAreWhole(t *testing.T) {
	long := decision(report.ResultBound, chose("n1"), fit(1, 1))
	long.Metadata.Name = "a-bit-longer-name"
	longest := decision(report.ResultBound, chose(strings.Repeat("node-", 50)), fit(1, 1))
	longest.Metadata.Name = strings.Repeat("pod-", 60)
	for _, output := range []string{"", "wide"} {
		out := stream(t, printers.Options{Output: output, Width: 80}, long, longest)
		for _, name := range []string{"shop/" + long.Metadata.Name, "shop/" + longest.Metadata.Name, "→ " + longest.NodeName} {
			if !strings.Contains(out, name) {
				t.Errorf("%q: no %s in\n%s", output, name, out)
			}
		}
		lines := strings.Split(out, "\n")
		if column(lines[0], "SCORE") != column(lines[1], "-  ") {
			t.Errorf("%q: the score is not in its column:\n%s", output, out)
		}
	}
}

// column is how many columns are before a text.
func column(line, text string) int {
	before, _, _ := strings.Cut(line, text)
	return twwidth.Width(before)
}
