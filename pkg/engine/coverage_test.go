package engine_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// coverage counts what the random material reaches, so that the generator cannot rot.
type coverage struct {
	pods, internal int
	// events are counted by what happened.
	events map[string]int
	// first are the Pods of which a plugin is the first to reject some node; any, of which it rejects some node at all.
	first, further map[string]int
}

func newCoverage() *coverage {
	return &coverage{events: map[string]int{}, first: map[string]int{}, further: map[string]int{}}
}

// The events that are counted.
const (
	preemptions = "preemption helps"
	preFiltered = "PreFilter rejects the Pod"
	narrowed    = "PreFilter narrows the nodes"
	ties        = "several nodes tie"
	single      = "one node is feasible"
	nominated   = "the Pod goes to the node it is nominated for"
	taken       = "a node is kept for Pods that are nominated for it"
	skipped     = "the Pod is being deleted"
	scored      = "nodes are scored"
	violatesPDB = "a victim violates a budget"
)

func (c *coverage) count(pod *corev1.Pod, explanation *report.Explanation, answer *answer) {
	c.pods++
	c.events[string(explanation.Verdict)]++
	for event, happened := range map[string]bool{
		preemptions: explanation.Preemption != nil && explanation.Preemption.Possible,
		preFiltered: answer.diagnosis != nil && !answer.preFilter.IsSuccess(),
		narrowed:    answer.left != nil,
		ties:        len(explanation.Ties) > 1,
		single:      len(answer.scores) == 0 && explanation.Verdict == report.Schedulable,
		nominated:   pod.Status.NominatedNodeName != "" && answer.host == pod.Status.NominatedNodeName,
		taken:       answer.taken,
		skipped:     pod.DeletionTimestamp != nil,
		scored:      len(answer.scores) > 1,
		violatesPDB: explanation.Preemption != nil && slices.ContainsFunc(explanation.Preemption.Victims,
			func(victim report.Victim) bool { return victim.ViolatesPDB }),
	} {
		if happened {
			c.events[event]++
		}
	}
	c.countPlugins(explanation)
}

func (c *coverage) countPlugins(explanation *report.Explanation) {
	first, further := map[string]bool{}, map[string]bool{}
	for _, node := range explanation.Nodes {
		for i, filter := range node.Filters {
			if i == 0 {
				first[filter.Plugin] = true
			} else {
				further[filter.Plugin] = true
			}
		}
	}
	for plugin := range first {
		c.first[plugin]++
	}
	for plugin := range further {
		c.further[plugin]++
	}
}

// filters are the Filter plugins of the default profile. NodeName rejects no node of a Pod that waits for one.
var filters = []string{
	names.NodeUnschedulable, names.TaintToleration, names.NodeAffinity, names.NodePorts, names.NodeResourcesFit,
	names.VolumeRestrictions, names.NodeVolumeLimits, names.VolumeBinding, names.VolumeZone, names.PodTopologySpread,
	names.InterPodAffinity, names.DynamicResources, names.NodeDeclaredFeatures,
}

// check fails when the material has become too tame to prove much.
func (c *coverage) check(t *testing.T) {
	t.Helper()
	for _, plugin := range filters {
		if c.first[plugin] < 5 {
			t.Errorf("%s is the first to reject a node for %d of %d Pods, want at least 5", plugin, c.first[plugin], c.pods)
		}
	}
	for _, verdict := range []report.Verdict{report.Schedulable, report.Unschedulable} {
		if n := c.events[string(verdict)]; n < c.pods*3/10 || n > c.pods*7/10 {
			t.Errorf("%d of %d Pods are %s, want 30 to 70 percent", n, c.pods, verdict)
		}
	}
	for event, least := range map[string]int{
		string(report.Gated): 20, preemptions: 50, preFiltered: 30, narrowed: 30, ties: 20, single: 30, nominated: 20, taken: 50,
		skipped: 20, scored: 300, violatesPDB: 5,
	} {
		if c.events[event] < least {
			t.Errorf("%s: for %d of %d Pods, want at least %d", event, c.events[event], c.pods, least)
		}
	}
	if c.internal > c.pods/50 {
		t.Errorf("kube-scheduler met an internal error for %d of %d Pods: that proves little", c.internal, c.pods)
	}
}

func (c *coverage) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%d Pods, %d internal errors\n", c.pods, c.internal)
	for _, event := range slices.Sorted(maps.Keys(c.events)) {
		fmt.Fprintf(&out, "%5d  %s\n", c.events[event], event)
	}
	for _, plugin := range filters {
		fmt.Fprintf(&out, "%5d  %s is first to reject a node (%d: a further one)\n", c.first[plugin], plugin, c.further[plugin])
	}
	return out.String()
}
