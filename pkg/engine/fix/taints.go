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

// unschedulable is the taint that goes with a cordon.
var unschedulable = []report.UntoleratedTaint{
	{Key: corev1.TaintNodeUnschedulable, Effect: string(corev1.TaintEffectNoSchedule)},
}

func uncordon(node *corev1.Node) change {
	return change{
		key: "uncordon " + node.Name, text: "uncordon node " + node.Name, effort: uncordonNode,
		kind: "Node", name: node.Name, command: command("kubectl", "uncordon", node.Name),
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
	taints, cordoned := purposeTaints(r)
	switch {
	case node == nil, !cordoned && len(taints) == 0, cordoned && len(taints) > 0:
		return nil
	case cordoned && node.Spec.Unschedulable:
		return []change{uncordon(node)}
	case cordoned: // kubectl uncordon leaves the taint alone where there is no cordon
		return []change{untaint(node, unschedulable)}
	}
	return []change{tolerate(taints), untaint(node, taints)}
}

// purposeTaints are the taints that keep the Pod away, but for that of a cordon. There are none when one of them says
// that the node is not well.
func purposeTaints(r report.Rejection) (taints []report.UntoleratedTaint, cordoned bool) {
	for _, detail := range r.Details {
		switch taint, ok := detail.(report.UntoleratedTaint); {
		case !ok:
		case taint.Key == corev1.TaintNodeUnschedulable:
			cordoned = true
		case isCondition(taint.Key):
			return nil, false
		default:
			taints = append(taints, taint)
		}
	}
	return taints, cordoned
}

// isCondition tells whether a taint says how the node is, rather than what it is kept for.
func isCondition(taint string) bool {
	return strings.HasPrefix(taint, "node.kubernetes.io/") || strings.HasPrefix(taint, "node.cloudprovider.kubernetes.io/")
}

func tolerate(taints []report.UntoleratedTaint) change {
	names, size := taintNames(taints), addToleration+effort(len(taints)-1)/10
	if strings.Contains(names, "node-role.kubernetes.io/") {
		size = addNode - 0.5 // the control plane is not for everybody
	}
	return change{
		key: "tolerate " + fmt.Sprint(taints), text: "tolerate " + plural(len(taints), "the taint ", "the taints ") + names,
		effort: size,
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
	words := []string{"kubectl", "taint", "nodes", node.Name}
	for _, taint := range taints {
		words = append(words, taintName(taint)+"-")
	}
	return change{
		key:    "untaint " + node.Name + " " + names,
		text:   fmt.Sprintf("remove the %s %s from node %s", plural(len(taints), "taint", "taints"), names, node.Name),
		effort: untaintNode, kind: "Node", name: node.Name, command: command(words...),
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
	return list(names)
}
