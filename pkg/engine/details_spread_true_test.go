package engine_test

import (
	"slices"
	"testing"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/test/random"
)

// neighborTruth is what facts about the Pods nearby are held against: plain loops over the State.
type neighborTruth struct {
	*cluster.State
	pod *corev1.Pod
	on  map[string][]*corev1.Pod
}

// podsByNode are the Pods of each node that have not finished.
func podsByNode(state *cluster.State) map[string][]*corev1.Pod {
	out := map[string][]*corev1.Pod{}
	for _, pod := range state.Pods {
		if pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed {
			out[pod.Spec.NodeName] = append(out[pod.Spec.NodeName], pod)
		}
	}
	return out
}

// facts are those that kube-scheduler must have found on a node: with the nominated Pods, or else without.
func (n neighborTruth) facts(node *corev1.Node, find func(*corev1.Node, []*corev1.Pod) report.Details) report.Details {
	if nominated := n.nominatedFor(node); len(nominated) > 0 {
		if found := find(node, nominated); len(found) > 0 {
			return found
		}
	}
	return find(node, nil)
}

// nominatedFor are the Pods that kube-scheduler counts on a node though they are not there.
func (n neighborTruth) nominatedFor(node *corev1.Node) []*corev1.Pod {
	return slices.DeleteFunc(slices.Clone(n.Pods), func(pod *corev1.Pod) bool {
		return pod.Spec.NodeName != "" || pod.Status.NominatedNodeName != node.Name || pod.UID == n.pod.UID ||
			pod.Spec.SchedulerName != corev1.DefaultSchedulerName || *pod.Spec.Priority < *n.pod.Spec.Priority
	})
}

// PodTopologySpread rejects a node if, and only if, a constraint breaks there by numbers that are counted from the
// State anew, and the details are those numbers.
func TestDetailsOfPodTopologySpreadAreTrue(t *testing.T) {
	var seen, closed, honor int
	eachCluster(t, 24, func(t *testing.T, made *random.Cluster) {
		e := engineOf(t, made.State, engine.Options{})
		on := podsByNode(made.State)
		for _, pod := range made.Pods {
			explanation := explain(t, e, pod)
			got := detailsBy(names.PodTopologySpread, explanation)
			truth := neighborTruth{State: made.State, pod: pod, on: on}
			for _, judged := range explanation.Nodes {
				if judged.Verdict == report.NotEvaluated {
					continue
				}
				want := truth.facts(nodeNamed(t, made.State, judged.Name), truth.brokenSpread)
				if diff := cmp.Diff(want, got[judged.Name], sameSelector); diff != "" {
					t.Errorf("pod %s/%s, node %s: details (-want +got)\n%s", pod.Namespace, pod.Name, judged.Name, diff)
				}
				for _, detail := range want {
					seen++
					closed += detail.(report.TopologySpread).ClosedNodeCount
					honor += len(detail.(report.TopologySpread).Honor)
				}
			}
		}
	})
	if seen == 0 || closed == 0 || honor == 0 {
		t.Errorf("clusters show %d constraints that break, %d closed nodes, %d policies that help: want some of each",
			seen, closed, honor)
	}
}

// sameSelector passes over how a selector is spelled.
var sameSelector = cmpopts.IgnoreFields(report.TopologySpread{}, "LabelSelector")

// hardConstraints are the Pod's constraints that can reject a node.
func (n neighborTruth) hardConstraints() []corev1.TopologySpreadConstraint {
	return slices.DeleteFunc(slices.Clone(n.pod.Spec.TopologySpreadConstraints),
		func(c corev1.TopologySpreadConstraint) bool { return c.WhenUnsatisfiable != corev1.DoNotSchedule })
}

func (n neighborTruth) brokenSpread(node *corev1.Node, nominated []*corev1.Pod) report.Details {
	var details report.Details
	for _, c := range n.hardConstraints() {
		detail := report.TopologySpread{TopologyKey: c.TopologyKey, MaxSkew: int(c.MaxSkew)}
		if c.MinDomains != nil && *c.MinDomains > 1 {
			detail.MinDomains = int(*c.MinDomains)
		}
		if detail.Domain, detail.Missing = node.Labels[c.TopologyKey], node.Labels[c.TopologyKey] == ""; detail.Missing {
			details = append(details, detail)
			continue
		}
		n.count(&detail, c, node, nominated)
		if detail.Skew <= detail.MaxSkew {
			continue
		}
		detail.Honor = n.policiesThatHelp(detail, c, node, nominated)
		details = append(details, detail)
	}
	return details
}

// count fills in the numbers.
func (n neighborTruth) count(detail *report.TopologySpread, c corev1.TopologySpreadConstraint, node *corev1.Node,
	nominated []*corev1.Pod,
) {
	selector := n.selector(c)
	counts, nodes := map[string]int{}, map[string][]*corev1.Node{}
	for _, other := range n.Nodes {
		if !n.counted(other, c) {
			continue
		}
		value := other.Labels[c.TopologyKey]
		nodes[value] = append(nodes[value], other)
		counts[value] += 0
		for _, pod := range n.on[other.Name] {
			if pod.Namespace == n.pod.Namespace && pod.DeletionTimestamp == nil && selector.Matches(labels.Set(pod.Labels)) {
				counts[value]++
			}
		}
		for _, pod := range nominated {
			if other == node && pod.Namespace == n.pod.Namespace && selector.Matches(labels.Set(pod.Labels)) {
				counts[value]++
			}
		}
	}
	detail.Matching, detail.Domains = counts[detail.Domain], len(counts)
	if selector.Matches(labels.Set(n.pod.Labels)) {
		detail.Self = 1
	}
	least := []string{}
	for value, number := range counts {
		switch {
		case len(least) == 0 || number < counts[least[0]]:
			least = []string{value}
		case number == counts[least[0]]:
			least = append(least, value)
		}
	}
	detail.Minimum = 0
	detail.MinimumDomains, detail.MinimumDomainCount, detail.ClosedNodes, detail.ClosedNodeCount = nil, 0, nil, 0
	if len(counts) >= max(1, detail.MinDomains) {
		detail.Minimum = counts[least[0]]
		detail.MinimumDomains, detail.MinimumDomainCount = firstThree(least)
		detail.ClosedNodes, detail.ClosedNodeCount = firstThree(n.closed(least, nodes))
	}
	detail.Skew = detail.Matching + detail.Self - detail.Minimum
}

// closed are the names of the domains' nodes when the Pod can go to none of them.
func (n neighborTruth) closed(domains []string, nodes map[string][]*corev1.Node) []string {
	var closed []string
	for _, domain := range domains {
		for _, node := range nodes[domain] {
			if n.canTake(node) {
				return nil
			}
			closed = append(closed, node.Name)
		}
	}
	return closed
}

func firstThree(all []string) ([]string, int) {
	slices.Sort(all)
	if len(all) == 0 {
		return nil, 0
	}
	return all[:min(3, len(all))], len(all)
}

// policiesThatHelp are what, set to Honor, makes the constraint hold on a node that can take the Pod.
func (n neighborTruth) policiesThatHelp(detail report.TopologySpread, c corev1.TopologySpreadConstraint,
	node *corev1.Node, nominated []*corev1.Pod,
) []string {
	if !n.canTake(node) {
		return nil
	}
	honor := corev1.NodeInclusionPolicyHonor
	for _, change := range []struct {
		taints, affinity bool
		names            []string
	}{
		{true, false, []string{"nodeTaintsPolicy"}},
		{false, true, []string{"nodeAffinityPolicy"}},
		{true, true, []string{"nodeTaintsPolicy", "nodeAffinityPolicy"}},
	} {
		other := c
		if change.taints {
			other.NodeTaintsPolicy = &honor
		}
		if change.affinity {
			other.NodeAffinityPolicy = &honor
		}
		then := detail
		n.count(&then, other, node, nominated)
		if then.Skew > then.MaxSkew {
			continue
		}
		if ignores(c.NodeTaintsPolicy, corev1.NodeInclusionPolicyIgnore) == change.taints ||
			ignores(c.NodeAffinityPolicy, honor) == change.affinity {
			return change.names
		}
	}
	return nil
}

func ignores(policy *corev1.NodeInclusionPolicy, fallback corev1.NodeInclusionPolicy) bool {
	if policy != nil {
		fallback = *policy
	}
	return fallback == corev1.NodeInclusionPolicyIgnore
}

// selector is a constraint's, with the Pod's own values of the label keys.
func (n neighborTruth) selector(c corev1.TopologySpreadConstraint) labels.Selector {
	merged := c.LabelSelector.DeepCopy()
	for _, key := range c.MatchLabelKeys {
		merged.MatchExpressions = append(merged.MatchExpressions, metav1.LabelSelectorRequirement{
			Key: key, Operator: metav1.LabelSelectorOpIn, Values: []string{n.pod.Labels[key]}})
	}
	selector, err := metav1.LabelSelectorAsSelector(merged)
	if err != nil {
		panic(err)
	}
	return selector
}

// counted tells whether the node's Pods count for the constraint.
func (n neighborTruth) counted(node *corev1.Node, c corev1.TopologySpreadConstraint) bool {
	for _, other := range n.hardConstraints() {
		if node.Labels[other.TopologyKey] == "" {
			return false
		}
	}
	return (ignores(c.NodeAffinityPolicy, corev1.NodeInclusionPolicyHonor) || len(unmetRequirements(n.pod, node)) == 0) &&
		(ignores(c.NodeTaintsPolicy, corev1.NodeInclusionPolicyIgnore) || n.tolerates(node.Spec.Taints))
}

func (n neighborTruth) canTake(node *corev1.Node) bool {
	taints := slices.Clone(node.Spec.Taints)
	if node.Spec.Unschedulable {
		taints = append(taints, corev1.Taint{Key: cordonTaint, Effect: corev1.TaintEffectNoSchedule})
	}
	return len(unmetRequirements(n.pod, node)) == 0 && n.tolerates(taints)
}

func (n neighborTruth) tolerates(taints []corev1.Taint) bool {
	for _, taint := range taints {
		tolerated := slices.ContainsFunc(n.pod.Spec.Tolerations, func(toleration corev1.Toleration) bool {
			return toleration.ToleratesTaint(logr.Discard(), &taint, false)
		})
		if taint.Effect != corev1.TaintEffectPreferNoSchedule && !tolerated {
			return false
		}
	}
	return true
}
