package fix

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// nodeAffinity drops or widens what the Pod asks of labels, or gives the node the labels.
func (p *planner) nodeAffinity(r report.Rejection, node *corev1.Node) []change {
	if node == nil {
		return []change{dropNodeNames()}
	}
	unmet := unmetRequirements(r)
	if len(unmet) == 0 {
		return nil
	}
	out := []change{dropRequirements(unmet)}
	if c, ok := widen(unmet); ok {
		out = append(out, c)
	}
	if c, ok := label(node, unmet); ok {
		out = append(out, c)
	}
	return out
}

// unmetRequirements are those that stand between the Pod and the node: all of its nodeSelector, and of its alternative
// terms those of the one that lacks least. There are none when the Pod alone cannot answer.
func unmetRequirements(r report.Rejection) []report.UnmatchedNodeSelector {
	var selector []report.UnmatchedNodeSelector
	terms := map[int][]report.UnmatchedNodeSelector{}
	for _, detail := range r.Details {
		d, ok := detail.(report.UnmatchedNodeSelector)
		switch {
		case !ok, d.Source == report.SourceAddedAffinity, d.Empty && d.Term == nil, d.Invalid:
			return nil
		case d.Term == nil:
			selector = append(selector, d)
		default:
			terms[*d.Term] = append(terms[*d.Term], d)
		}
	}
	if len(terms) == 0 {
		return selector
	}
	best := shortest(terms)
	if len(best) == 0 {
		return nil
	}
	return append(selector, best...)
}

// shortest returns the requirements of the term that has fewest, the first of several; terms that no node can match do
// not count.
func shortest(terms map[int][]report.UnmatchedNodeSelector) (best []report.UnmatchedNodeSelector) {
	for _, term := range slices.Sorted(maps.Keys(terms)) {
		if unmet := terms[term]; !unmet[0].Empty && (best == nil || len(unmet) < len(best)) {
			best = unmet
		}
	}
	return best
}

func dropRequirements(unmet []report.UnmatchedNodeSelector) change {
	text := "do without " + requirements(unmet)
	return change{
		key: "drop " + fmt.Sprint(unmet), text: text, effort: relaxAffinity + effort(len(unmet)-1)/10,
		pod: func(pod *corev1.Pod) {
			for _, d := range unmet {
				if d.Source == report.SourceNodeSelector {
					delete(pod.Spec.NodeSelector, d.Key)
				} else {
					dropRequirement(pod, d)
				}
			}
			dropEmptyTerms(pod)
		},
	}
}

// requirements writes "disktype in (ssd) in its node affinity".
func requirements(unmet []report.UnmatchedNodeSelector) string {
	texts := make([]string, 0, len(unmet))
	for _, d := range unmet {
		text := d.Key + "=" + strings.Join(d.Values, ",") + " in its nodeSelector"
		if d.Source == report.SourceNodeAffinity {
			text = requirement(d) + " in its node affinity"
		}
		texts = append(texts, text)
	}
	return list(texts)
}

// requirement writes one of an affinity: "disktype in (ssd, nvme)", "label gpu".
func requirement(d report.UnmatchedNodeSelector) string {
	values := strings.Join(d.Values, ", ")
	switch corev1.NodeSelectorOperator(d.Operator) {
	case corev1.NodeSelectorOpIn:
		return d.Key + " in (" + values + ")"
	case corev1.NodeSelectorOpNotIn:
		return d.Key + " not in (" + values + ")"
	case corev1.NodeSelectorOpExists:
		return "label " + d.Key
	case corev1.NodeSelectorOpDoesNotExist:
		return "no label " + d.Key
	}
	return strings.TrimSpace(d.Key + " " + d.Operator + " " + values)
}

// eachTerm runs edit on the required terms of the Pod's node affinity.
func eachTerm(pod *corev1.Pod, edit func(i int, term *corev1.NodeSelectorTerm)) {
	affinity := pod.Spec.Affinity
	if affinity == nil || affinity.NodeAffinity == nil ||
		affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return
	}
	terms := affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	for i := range terms {
		edit(i, &terms[i])
	}
}

func dropRequirement(pod *corev1.Pod, d report.UnmatchedNodeSelector) {
	eachTerm(pod, func(i int, term *corev1.NodeSelectorTerm) {
		if i != *d.Term {
			return
		}
		list := &term.MatchExpressions
		if d.Field {
			list = &term.MatchFields
		}
		*list = slices.DeleteFunc(*list, func(r corev1.NodeSelectorRequirement) bool { return same(r, d) })
	})
}

func same(r corev1.NodeSelectorRequirement, d report.UnmatchedNodeSelector) bool {
	sorted := func(values []string) []string { return slices.Sorted(slices.Values(values)) }
	return r.Key == d.Key && string(r.Operator) == d.Operator && reflect.DeepEqual(sorted(r.Values), sorted(d.Values))
}

// dropEmptyTerms takes the whole requirement away when a term has nothing left to ask: the API reads an empty term as
// one that no node matches, where here any node will do.
func dropEmptyTerms(pod *corev1.Pod) {
	anyNode := false
	eachTerm(pod, func(_ int, term *corev1.NodeSelectorTerm) {
		anyNode = anyNode || len(term.MatchExpressions) == 0 && len(term.MatchFields) == 0
	})
	if anyNode {
		pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = nil
	}
}

// dropNodeNames lets the Pod go to nodes of other names.
func dropNodeNames() change {
	return change{
		key: "names", text: "do without the node's name in its node affinity", effort: relaxAffinity,
		pod: func(pod *corev1.Pod) {
			eachTerm(pod, func(_ int, term *corev1.NodeSelectorTerm) { term.MatchFields = nil })
			dropEmptyTerms(pod)
		},
	}
}

// widen lets one requirement allow the node's value too.
func widen(unmet []report.UnmatchedNodeSelector) (change, bool) {
	d := unmet[0]
	if len(unmet) != 1 || d.Source != report.SourceNodeAffinity || d.Operator != string(corev1.NodeSelectorOpIn) ||
		d.Field || d.Actual == nil || d.Key == corev1.LabelHostname {
		return change{}, false
	}
	text := fmt.Sprintf("allow %s=%s too in its node affinity", d.Key, *d.Actual)
	return change{
		key: "widen " + text, text: text, effort: relaxAffinity - 0.5,
		pod: func(pod *corev1.Pod) {
			eachTerm(pod, func(i int, term *corev1.NodeSelectorTerm) {
				for j := range term.MatchExpressions {
					if r := &term.MatchExpressions[j]; i == *d.Term && same(*r, d) {
						r.Values = append(r.Values, *d.Actual)
					}
				}
			})
		},
	}, true
}

// label gives the node what the Pod asks for, where that is no label that Kubernetes itself sets.
func label(node *corev1.Node, unmet []report.UnmatchedNodeSelector) (change, bool) {
	labels, words, replaced := map[string]string{}, []string{}, []string{}
	for _, d := range unmet {
		isIn := d.Operator == string(corev1.NodeSelectorOpIn) && len(d.Values) > 0 || d.Source == report.SourceNodeSelector
		if !isIn || d.Field || strings.Contains(d.Key, "kubernetes.io/") || strings.Contains(d.Key, "k8s.io/") {
			return change{}, false
		}
		value := strings.Join(d.Values[:min(1, len(d.Values))], "")
		if _, known := labels[d.Key]; known {
			continue
		}
		labels[d.Key] = value
		words = append(words, d.Key+"="+value)
		if d.Actual != nil {
			replaced = append(replaced, d.Key+"="+*d.Actual)
		}
	}
	line := append([]string{"kubectl", "label", "node", node.Name}, words...)
	text := fmt.Sprintf("label node %s with %s", node.Name, list(words))
	if len(replaced) > 0 {
		line = append(line, "--overwrite")
		text += " in place of " + list(replaced)
	}
	return change{
		key:    "label " + node.Name + " " + strings.Join(words, " "),
		text:   text,
		effort: labelNode, kind: "Node", name: node.Name,
		command: command(line...),
		node: func(node *corev1.Node) {
			if node.Labels == nil {
				node.Labels = map[string]string{}
			}
			for key, value := range labels {
				node.Labels[key] = value
			}
		},
	}, true
}
