package engine_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
)

// Where kube-scheduler picks at random among candidates that rank equal, we name the first by name. What it picks is
// one of those that are equal for us too.
func TestPreemptionAmongEqualsIsTheFirstByName(t *testing.T) {
	for sentence, status := range map[string]string{
		"victims that started together": "\nstatus: {phase: Running, startTime: 2026-01-01T00:00:00Z}",
		"victims that have not started": "",
	} {
		t.Run(sentence, func(t *testing.T) {
			var documents []string
			for _, node := range []string{"d", "c", "b", "a"} {
				documents = append(documents, nodeText(node, ""), podText("on-"+node, "3", "nodeName: "+node, status))
			}
			documents = append(documents, podText("x", "2", "priority: 10"))
			state := stateOf(t, documents...)
			pod := podNamed(t, state, "x")
			core, ours := newCore(t, state), engineOf(t, state, engine.Options{})
			for range 20 {
				if got := explain(t, ours, pod).Preemption; got.NodeName != "a" {
					t.Fatalf("we chose node %s, want a", got.NodeName)
				}
				theirs := core.ask(pod)
				if !slices.Contains([]string{"a", "b", "c", "d"}, theirs.nominated) {
					t.Errorf("kube-scheduler chose %s", theirs.nominated)
				}
				want := fmt.Sprintf("preemption: found a potential placement for pod on node %s, preempting 1 victims",
					theirs.nominated)
				if got := theirs.postFilter.Message(); got != want {
					t.Errorf("kube-scheduler says %q, want %q", got, want)
				}
				core.evicted(1)
			}
		})
	}
}
