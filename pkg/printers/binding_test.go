package printers_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/printers"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// binding returns what became of the Pod x, with changes.
func binding(result report.Result, changes ...func(*report.Binding)) *report.Binding {
	b := report.NewBinding("shop", "x")
	b.Result = result
	for _, change := range changes {
		change(b)
	}
	return b
}

func on(node string) func(*report.Binding) {
	return func(b *report.Binding) { b.NodeName = node }
}

func because(reason string) func(*report.Binding) {
	return func(b *report.Binding) { b.Reason = reason }
}

func dryRun(how report.DryRun) func(*report.Binding) {
	return func(b *report.Binding) { b.DryRun = how }
}

func forced(b *report.Binding) { b.Forced = true }

func preempting(preemption report.Preemption) func(*report.Binding) {
	return func(b *report.Binding) { b.Preemption = &preemption }
}

func over(amounts ...report.Overcommitment) func(*report.Binding) {
	return func(b *report.Binding) { b.Overcommitted = amounts }
}

func TestBindingSentences(t *testing.T) {
	const (
		lacks  = "0/2 nodes are available: 2 Insufficient cpu."
		advice = "The kubelet fails Pods that it has no room for: delete Pods there that can run elsewhere.\n"
	)
	victims := []report.Victim{{Namespace: "shop", Name: "a"}, {Namespace: "shop", Name: "b", Priority: 5}}
	tests := map[string]struct {
		binding *report.Binding
		want    string
	}{
		"bound": {binding(report.ResultBound, on("node-3")), "pod/x bound to node-3\n"},
		"would be bound, by a dry run of the client": {
			binding(report.ResultBound, on("node-3"), dryRun(report.DryRunClient)), "pod/x bound to node-3 (dry run)\n",
		},
		"would be bound, by a dry run of the server": {
			binding(report.ResultBound, on("node-3"), dryRun(report.DryRunServer)),
			"pod/x bound to node-3 (server dry run)\n",
		},
		"bound without judgment": {binding(report.ResultBound, on("node-3"), forced), "pod/x bound to node-3 (forced)\n"},
		"would be bound, unjudged": {
			binding(report.ResultBound, on("node-3"), forced, dryRun(report.DryRunServer)),
			"pod/x bound to node-3 (forced) (server dry run)\n",
		},
		"bound, with a word on the node": {
			binding(report.ResultBound, on("node-3"), because("it was cordoned meanwhile")),
			"pod/x bound to node-3: it was cordoned meanwhile\n",
		},
		"bound to a node that is over": {
			binding(report.ResultBound, on("node-3"),
				over(report.Overcommitment{Resource: "cpu", Requested: "4500m", Allocatable: "4", Over: "500m"})),
			"pod/x bound to node-3\n  node-3 is now over: cpu by 500m (4500m of 4 requested). " + advice,
		},
		"bound to a node that is over by bytes, in readable units": {
			binding(report.ResultBound, on("node-3"),
				over(report.Overcommitment{Resource: "cpu", Requested: "5", Allocatable: "4", Over: "1"},
					report.Overcommitment{Resource: "memory", Requested: "24302736Ki", Allocatable: "16Gi", Over: "7525520Ki"})),
			"pod/x bound to node-3\n  node-3 is now over: cpu by 1 (5 of 4 requested), " +
				"memory by 7.2Gi (23.2Gi of 16Gi requested). " + advice,
		},
		"bound by somebody else": {
			binding(report.ResultBoundElsewhere, on("node-9")), "pod/x bound to node-9 by somebody else meanwhile\n",
		},
		"unschedulable": {binding(report.ResultUnschedulable, because(lacks)), "pod/x not bound: " + lacks + "\n"},
		"unschedulable in a dry run, which is no other answer": {
			binding(report.ResultUnschedulable, because(lacks), dryRun(report.DryRunClient), forced),
			"pod/x not bound: " + lacks + "\n",
		},
		"unschedulable, while preemption would help": {
			binding(report.ResultUnschedulable, because(lacks),
				preempting(report.Preemption{Possible: true, NodeName: "n2", Victims: victims})),
			"pod/x not bound: " + lacks + "\n  Preemption: kube-scheduler would evict shop/a (priority 0) and " +
				"shop/b (priority 5) on n2. Nothing was evicted.\n",
		},
		"unschedulable, while preemption has nobody to evict": {
			binding(report.ResultUnschedulable, because(lacks),
				preempting(report.Preemption{Possible: true, NodeName: "n2"})),
			"pod/x not bound: " + lacks + "\n  Preemption: kube-scheduler would nominate it for n2 and evict nothing\n",
		},
		"unschedulable, while preemption is not tried": {
			binding(report.ResultUnschedulable, because(lacks), preempting(report.Preemption{Reason: report.PolicyNever})),
			"pod/x not bound: " + lacks + "\n  Preemption: not tried: the Pod's preemptionPolicy is Never\n",
		},
		"refused": {
			binding(report.ResultRefused, on("node-2"), because("it is on node-2 already")),
			"pod/x not bound: it is on node-2 already\n",
		},
		"skipped": {
			binding(report.ResultSkipped, because("--max 10 is reached")), "pod/x skipped: --max 10 is reached\n",
		},
		"gone": {binding(report.ResultGone, because("it was deleted")), "pod/x not bound: it was deleted\n"},
		"failed": {
			binding(report.ResultFailed, on("node-3"), because("6 tries: timeout")),
			"pod/x not bound to node-3: 6 tries: timeout\n",
		},
		"failed before a node was decided": {
			binding(report.ResultFailed, because("its gang is not whole")), "pod/x not bound: its gang is not whole\n",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := showBindings(t, printers.Options{Output: "wide"}, test.binding)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("output (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBindingRows(t *testing.T) {
	tests := map[string]struct {
		binding *report.Binding
		want    string // the columns after the Pod
	}{
		"bound, with nothing to say": {binding(report.ResultBound, on("node-3")), "node-3 Bound 0 <none>"},
		"a dry run does not look as if it were none": {
			binding(report.ResultBound, on("node-3"), dryRun(report.DryRunClient)), "node-3 Bound 0 (dry run)",
		},
		"forced, with a word on the node": {
			binding(report.ResultBound, on("node-3"), forced, because("it is cordoned")),
			"node-3 Bound 0 (forced) it is cordoned",
		},
		"unschedulable, without the count that says nothing": {
			binding(report.ResultUnschedulable, because("0/2 nodes are available: 2 Insufficient cpu.")),
			"<none> Unschedulable 0 2 Insufficient cpu.",
		},
		"unschedulable for a reason of its own": {
			binding(report.ResultUnschedulable, because("n1 is full, though 3 nodes are available: try those")),
			"<none> Unschedulable 0 n1 is full, though 3 nodes are available: try those",
		},
		"another's message stays whole": {
			binding(report.ResultFailed, on("n"), because("0/2 nodes are available: told by a webhook")),
			"n Failed 0 0/2 nodes are available: told by a webhook",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := showBindings(t, printers.Options{Bulk: true, NoHeaders: true}, test.binding)
			if diff := cmp.Diff("shop x "+test.want, strings.Join(strings.Fields(got), " ")); diff != "" {
				t.Errorf("row (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBindingsOfNodesThatAreOver(t *testing.T) {
	cpu := func(requested, by string) func(*report.Binding) {
		return over(report.Overcommitment{Resource: "cpu", Requested: requested, Allocatable: "4", Over: by})
	}
	got := showBindings(t, printers.Options{Bulk: true},
		binding(report.ResultBound, on("n2"), cpu("4100m", "100m")),
		binding(report.ResultBound, on("n1"), cpu("5", "1")),
		binding(report.ResultBound, on("n2"), cpu("4500m", "500m")))
	want := `NAMESPACE  POD  NODE  RESULT  TRIES  REASON
shop       x    n2    Bound   0      <none>
shop       x    n1    Bound   0      <none>
shop       x    n2    Bound   0      <none>

n1 is now over: cpu by 1 (5 of 4 requested).
n2 is now over: cpu by 500m (4500m of 4 requested).
The kubelet fails Pods that it has no room for: delete Pods there that can run elsewhere.
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

func TestSummary(t *testing.T) {
	several := func(n int, result report.Result, changes ...func(*report.Binding)) []*report.Binding {
		var bindings []*report.Binding
		for range n {
			bindings = append(bindings, binding(result, changes...))
		}
		return bindings
	}
	join := func(groups ...[]*report.Binding) []*report.Binding {
		var bindings []*report.Binding
		for _, group := range groups {
			bindings = append(bindings, group...)
		}
		return bindings
	}
	tests := map[string]struct {
		bindings []*report.Binding
		want     string
	}{
		"no Pod":  {nil, "0 Pods"},
		"one Pod": {several(1, report.ResultBound), "1 Pod: 1 bound"},
		"many, in the order of the results and not of the Pods": {
			join(several(5, report.ResultRefused), several(15, report.ResultUnschedulable), several(480, report.ResultBound)),
			"500 Pods: 480 bound, 15 unschedulable, 5 refused",
		},
		"a dry run": {
			join(several(3, report.ResultBound, dryRun(report.DryRunServer)), several(1, report.ResultUnschedulable)),
			"4 Pods: 3 would be bound, 1 unschedulable",
		},
		"every result": {
			join(several(1, report.ResultFailed), several(2, report.ResultGone), several(3, report.ResultSkipped),
				several(4, report.ResultRefused), several(5, report.ResultUnschedulable),
				several(6, report.ResultBoundElsewhere), several(7, report.ResultBound)),
			"28 Pods: 7 bound, 6 bound elsewhere, 5 unschedulable, 4 refused, 3 skipped, 2 gone, 1 failed",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, printers.Summary(test.bindings)); diff != "" {
				t.Errorf("summary (-want +got):\n%s", diff)
			}
		})
	}
}
