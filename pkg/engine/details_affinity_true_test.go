package engine_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/test/random"
)

// InterPodAffinity rejects a node if, and only if, terms fail there by Pods that are looked for in the State anew, and
// the details name them.
func TestDetailsOfInterPodAffinityAreTrue(t *testing.T) {
	seen := map[string]int{}
	eachCluster(t, 24, func(t *testing.T, made *random.Cluster) {
		e := engineOf(t, made.State, engine.Options{})
		on := podsByNode(made.State)
		for _, pod := range made.Pods {
			explanation := explain(t, e, pod)
			got := detailsBy(names.InterPodAffinity, explanation)
			truth := neighborTruth{State: made.State, pod: pod, on: on}
			for _, judged := range explanation.Nodes {
				if judged.Verdict == report.NotEvaluated {
					continue
				}
				var want report.Details
				if truth.isInvolved() {
					want = truth.facts(nodeNamed(t, made.State, judged.Name), truth.failingTerms)
				}
				sorted := cmpopts.SortSlices(func(a, b report.Detail) bool { return fmt.Sprint(a) < fmt.Sprint(b) })
				if diff := gocmp.Diff(want, got[judged.Name], sorted, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("pod %s/%s, node %s: details (-want +got)\n%s", pod.Namespace, pod.Name, judged.Name, diff)
				}
				for _, detail := range want {
					seen[detail.(report.PodAffinity).Rule]++
				}
			}
		}
	})
	for _, rule := range []string{report.RuleAffinity, report.RuleAntiAffinity, report.RuleExistingAntiAffinity} {
		if seen[rule] == 0 {
			t.Errorf("no cluster showed a rejection by the rule %s", rule)
		}
	}
}

// isInvolved tells whether PreFilter leaves the plugin something to do; nominated Pods alone do not.
func (n neighborTruth) isInvolved() bool {
	return len(required(n.pod, true))+len(required(n.pod, false)) > 0 ||
		slices.ContainsFunc(n.Nodes, n.hasRepelling)
}

// hasRepelling tells whether a Pod of the node has anti-affinity that matches the Pod.
func (n neighborTruth) hasRepelling(node *corev1.Node) bool {
	return slices.ContainsFunc(n.on[node.Name], func(other *corev1.Pod) bool {
		return slices.ContainsFunc(required(other, false), func(term corev1.PodAffinityTerm) bool {
			return node.Labels[term.TopologyKey] != "" && n.selects(other, term, n.pod)
		})
	})
}

// failingTerms are those of the Pod and of others that do not hold on the node.
func (n neighborTruth) failingTerms(node *corev1.Node, nominated []*corev1.Pod) report.Details {
	details := n.unmetAffinity(node, nominated)
	for _, term := range required(n.pod, false) {
		detail := n.affinityDetail(report.RuleAntiAffinity, n.pod, term)
		n.eachPod(node, nominated, func(at *corev1.Node, other *corev1.Pod) {
			if together(node, at, term.TopologyKey) && n.selects(n.pod, term, other) {
				addPod(&detail, other)
			}
		})
		if detail.Domain = node.Labels[term.TopologyKey]; detail.PodCount > 0 {
			details = append(details, detail)
		}
	}
	return append(details, n.repelling(node, nominated)...)
}

func (n neighborTruth) unmetAffinity(node *corev1.Node, nominated []*corev1.Pod) report.Details {
	terms := required(n.pod, true)
	matchesAll := func(other *corev1.Pod) bool {
		return !slices.ContainsFunc(terms, func(term corev1.PodAffinityTerm) bool { return !n.selects(n.pod, term, other) })
	}
	var details report.Details
	anywhere := false
	for _, term := range terms {
		detail := n.affinityDetail(report.RuleAffinity, n.pod, term)
		detail.Domain, detail.Missing = node.Labels[term.TopologyKey], node.Labels[term.TopologyKey] == ""
		here, elsewhere := false, []string{}
		n.eachPod(node, nominated, func(at *corev1.Node, other *corev1.Pod) {
			value := at.Labels[term.TopologyKey]
			if value == "" || !matchesAll(other) {
				return
			}
			anywhere, here = true, here || together(node, at, term.TopologyKey)
			if !slices.Contains(elsewhere, value) {
				elsewhere = append(elsewhere, value)
			}
		})
		if detail.Elsewhere, detail.ElsewhereCount = firstThree(elsewhere); detail.Missing || !here {
			details = append(details, detail)
		}
	}
	if !anywhere && matchesAll(n.pod) { // the first of a series
		details = slices.DeleteFunc(details, func(d report.Detail) bool { return !d.(report.PodAffinity).Missing })
	}
	return details
}

// repelling are the terms of anti-affinity of other Pods that match the Pod, those alike together.
func (n neighborTruth) repelling(node *corev1.Node, nominated []*corev1.Pod) report.Details {
	var details report.Details
	alike := map[string]int{}
	n.eachPod(node, nominated, func(at *corev1.Node, other *corev1.Pod) {
		for _, term := range required(other, false) {
			if !together(node, at, term.TopologyKey) || !n.selects(other, term, n.pod) {
				continue
			}
			detail := n.affinityDetail(report.RuleExistingAntiAffinity, other, term)
			key := fmt.Sprint(detail, term.NamespaceSelector)
			i, known := alike[key]
			if !known {
				i, alike[key] = len(details), len(details)
				detail.Domain = node.Labels[term.TopologyKey]
				details = append(details, detail)
			}
			detail = details[i].(report.PodAffinity)
			addPod(&detail, other)
			details[i] = detail
		}
	})
	return details
}

// required are the Pod's required terms of affinity or anti-affinity.
func required(pod *corev1.Pod, affinity bool) []corev1.PodAffinityTerm {
	switch {
	case pod.Spec.Affinity == nil:
	case affinity && pod.Spec.Affinity.PodAffinity != nil:
		return pod.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	case !affinity && pod.Spec.Affinity.PodAntiAffinity != nil:
		return pod.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}

func together(a, b *corev1.Node, key string) bool {
	return a.Labels[key] != "" && a.Labels[key] == b.Labels[key]
}

// eachPod visits all Pods that have a node, and those that are nominated for the node.
func (n neighborTruth) eachPod(node *corev1.Node, nominated []*corev1.Pod, visit func(*corev1.Node, *corev1.Pod)) {
	for _, other := range n.Nodes {
		for _, pod := range n.on[other.Name] {
			visit(other, pod)
		}
	}
	for _, pod := range nominated {
		visit(node, pod)
	}
}

func addPod(detail *report.PodAffinity, pod *corev1.Pod) {
	detail.Pods, _ = firstThree(append(slices.Clone(detail.Pods), pod.Namespace+"/"+pod.Name))
	detail.PodCount++
}

// namespacesOf are the namespaces that a term of the Pod looks at; all is true for every namespace.
func (n neighborTruth) namespacesOf(owner *corev1.Pod, term corev1.PodAffinityTerm) (found []string, all bool) {
	found = slices.Clone(term.Namespaces)
	switch selector := term.NamespaceSelector; {
	case selector == nil && len(found) == 0:
		return []string{owner.Namespace}, false
	case selector == nil:
	case len(selector.MatchLabels)+len(selector.MatchExpressions) == 0:
		return nil, true
	default:
		for _, namespace := range n.Namespaces {
			if selectorOf(selector).Matches(labels.Set(namespace.Labels)) {
				found = append(found, namespace.Name)
			}
		}
	}
	slices.SortFunc(found, cmp.Compare)
	return slices.Compact(found), false
}

func (n neighborTruth) selects(owner *corev1.Pod, term corev1.PodAffinityTerm, other *corev1.Pod) bool {
	found, all := n.namespacesOf(owner, term)
	return (all || slices.Contains(found, other.Namespace)) &&
		selectorOf(term.LabelSelector).Matches(labels.Set(other.Labels))
}

func (n neighborTruth) affinityDetail(rule string, owner *corev1.Pod, term corev1.PodAffinityTerm) report.PodAffinity {
	detail := report.PodAffinity{Rule: rule, TopologyKey: term.TopologyKey,
		LabelSelector: selectorOf(term.LabelSelector).String()}
	found, all := n.namespacesOf(owner, term)
	detail.Namespaces, detail.NamespaceCount = firstThree(found)
	detail.AllNamespaces = all
	return detail
}

func selectorOf(selector *metav1.LabelSelector) labels.Selector {
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		panic("the generator's selector " + selector.String())
	}
	return parsed
}
