package fix

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// cordon takes the node back into service. The taint that goes with it goes too.
func (p *planner) cordon(_ report.Rejection, node *corev1.Node) []change {
	if node == nil {
		return nil
	}
	return []change{uncordon(node)}
}

func uncordon(node *corev1.Node) change {
	return change{
		key: "uncordon " + node.Name, text: "uncordon node " + node.Name, effort: uncordonNode,
		kind: "Node", name: node.Name, command: "kubectl uncordon " + node.Name,
		node: func(node *corev1.Node) {
			node.Spec.Unschedulable = false
			node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(taint corev1.Taint) bool {
				return taint.Key == corev1.TaintNodeUnschedulable
			})
		},
	}
}

// taints lets the Pod tolerate all taints that keep it away, or takes them off the node. Those that Kubernetes puts on
// a node that is not well are left alone: a Pod is not better off there.
func (p *planner) taints(r report.Rejection, node *corev1.Node) []change {
	var taints []report.UntoleratedTaint
	cordoned := false
	for _, detail := range r.Details {
		switch taint, ok := detail.(report.UntoleratedTaint); {
		case !ok:
		case taint.Key == corev1.TaintNodeUnschedulable:
			cordoned = true
		case isCondition(taint.Key):
			return nil
		default:
			taints = append(taints, taint)
		}
	}
	switch {
	case cordoned && len(taints) == 0 && node != nil:
		return []change{uncordon(node)}
	case cordoned || len(taints) == 0:
		return nil
	}
	out := []change{tolerate(taints)}
	if node != nil {
		out = append(out, untaint(node, taints))
	}
	return out
}

// isCondition tells whether a taint says how the node is, rather than what it is kept for.
func isCondition(taint string) bool {
	return strings.HasPrefix(taint, "node.kubernetes.io/") || strings.HasPrefix(taint, "node.cloudprovider.kubernetes.io/")
}

func tolerate(taints []report.UntoleratedTaint) change {
	names := taintNames(taints)
	return change{
		key: "tolerate " + names, text: "tolerate " + plural(len(taints), "the taint ", "the taints ") + names,
		effort: addToleration + effort(len(taints)-1)/10,
		pod: func(pod *corev1.Pod) {
			for _, taint := range taints {
				pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{
					Key: taint.Toleration.Key, Operator: corev1.TolerationOperator(taint.Toleration.Operator),
					Value: taint.Toleration.Value, Effect: corev1.TaintEffect(taint.Toleration.Effect),
				})
			}
		},
	}
}

func untaint(node *corev1.Node, taints []report.UntoleratedTaint) change {
	names := taintNames(taints)
	command := "kubectl taint nodes " + node.Name
	for _, taint := range taints {
		command += " " + quote(taintName(taint)+"-")
	}
	return change{
		key:    "untaint " + node.Name + " " + names,
		text:   fmt.Sprintf("remove the %s %s from node %s", plural(len(taints), "taint", "taints"), names, node.Name),
		effort: untaintNode, kind: "Node", name: node.Name, command: command,
		node: func(node *corev1.Node) {
			node.Spec.Taints = slices.DeleteFunc(node.Spec.Taints, func(has corev1.Taint) bool {
				return slices.ContainsFunc(taints, func(taint report.UntoleratedTaint) bool {
					return taint.Key == has.Key && taint.Value == has.Value && taint.Effect == string(has.Effect)
				})
			})
		},
	}
}

// taintName writes a taint as kubectl does.
func taintName(taint report.UntoleratedTaint) string {
	if taint.Value == "" {
		return taint.Key + ":" + taint.Effect
	}
	return taint.Key + "=" + taint.Value + ":" + taint.Effect
}

func taintNames(taints []report.UntoleratedTaint) string {
	names := make([]string, 0, len(taints))
	for _, taint := range taints {
		names = append(names, taintName(taint))
	}
	return strings.Join(names, " and ")
}
