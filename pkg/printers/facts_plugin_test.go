package printers

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

func TestFactsOfPlugins(t *testing.T) {
	for sentence, test := range map[string]struct {
		detail report.Detail
		text   string
		says   predicate
	}{
		"an extender": {
			detail: report.ExtenderRefusal{Extender: "http://fpga.example.com/v1"},
			text:   "refused by extender http://fpga.example.com/v1",
			says: predicate{"is refused by extender http://fpga.example.com/v1",
				"are refused by extender http://fpga.example.com/v1"},
		},
		"an extender that will not change its mind": {
			detail: report.ExtenderRefusal{Extender: "http://fpga.example.com/v1", Unresolvable: true},
			text:   "refused by extender http://fpga.example.com/v1, preemption would not help",
			says: predicate{"is refused by extender http://fpga.example.com/v1",
				"are refused by extender http://fpga.example.com/v1"},
		},
		"facts of a plugin, by key": {
			detail: report.PluginFact{Facts: map[string]string{"wanted": "3", "license": "cad", "expired": ""}},
			text:   "expired, license cad, wanted 3",
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			if diff := cmp.Diff(test.text, factText(test.detail, withNumbers)); diff != "" {
				t.Errorf("words (-want +got)\n%s", diff)
			}
			if got := detailsPredicate(report.Details{test.detail}); got != test.says {
				t.Errorf("got predicate %+v, want %+v", got, test.says)
			}
		})
	}
}
