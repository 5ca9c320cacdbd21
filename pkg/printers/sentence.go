package printers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// maxCauses is how many causes a sentence lists before it counts the nodes of the rest.
const maxCauses = 5

// cause is what a number of nodes fail for, told by the plugin that rejects them first.
type cause struct {
	predicate predicate
	nodes     int
	// nearest is the node that lacks least, when all of them lack one resource.
	nearest shortfall
}

// predicate is what is said of nodes: of one ("lacks cpu") and of several ("lack cpu").
type predicate struct{ one, many string }

// shortfall is how much of a resource a node lacks.
type shortfall struct {
	node    string
	missing string
	// filters is how many plugins reject the node; one that only lacks the resource is nearer than any other.
	filters int
	amount  resource.Quantity
}

// noNodeSentence says why no node fits. Its counts add up to the number of nodes.
func noNodeSentence(e *report.Explanation) string {
	if len(e.Nodes) == 0 {
		return cmp.Or(e.Message, "no node was judged")
	}
	sentence := fmt.Sprintf("no node of %d fits: ", len(e.Nodes))
	if rejectedByPreFilter(e) {
		return sentence + preFilterSentence(e)
	}
	return sentence + joinCauses(causes(e.Nodes, e.PreFilter)) + further(e.Nodes)
}

// further tells how many nodes more is wrong with than what they are counted for.
func further(nodes []report.Node) string {
	more := 0
	for _, node := range nodes {
		if filters := len(node.Filters); filters > 2 || filters == 2 && !isCordonOnly(node.Filters) {
			more++
		}
	}
	if more == 0 {
		return ""
	}
	return fmt.Sprintf("; %s %s more reasons", count(more, "node"), plural(more, "has", "have"))
}

// isCordonOnly tells of two rejections that are one: a cordon and the taint that goes with it.
func isCordonOnly(filters []report.Rejection) bool {
	if filters[0].Plugin != "NodeUnschedulable" || len(filters[1].Details) != 1 {
		return false
	}
	taint, ok := filters[1].Details[0].(report.UntoleratedTaint)
	return ok && taint.Key == "node.kubernetes.io/unschedulable"
}

// preFilterSentence says which plugin rejected the Pod as a whole.
func preFilterSentence(e *report.Explanation) string {
	first := e.PreFilter[0]
	return withMessage(first.Plugin+" rejects the Pod", rejectionText(first, withNumbers))
}

// rejectedByPreFilter tells whether the Pod was rejected as a whole, before any node was tried.
func rejectedByPreFilter(e *report.Explanation) bool {
	return len(e.PreFilter) > 0 && noneEvaluated(e.Nodes)
}

func noneEvaluated(nodes []report.Node) bool {
	return !slices.ContainsFunc(nodes, func(n report.Node) bool { return n.Verdict != report.NotEvaluated })
}

// causes groups the nodes that do not fit by what they fail for, the most frequent cause first.
func causes(nodes []report.Node, preFilter []report.Rejection) []cause {
	var out []cause
	index := map[predicate]int{}
	for _, node := range nodes {
		if node.Verdict == report.Feasible {
			continue
		}
		p := nodePredicate(node, preFilter)
		i, known := index[p]
		if !known {
			i, index[p] = len(out), len(out)
			out = append(out, cause{predicate: p})
		}
		out[i].nodes++
		if s, ok := nodeShortfall(node); ok && (out[i].nearest.node == "" || s.less(out[i].nearest)) {
			out[i].nearest = s
		}
	}
	slices.SortStableFunc(out, func(a, b cause) int {
		return cmp.Or(cmp.Compare(b.nodes, a.nodes), strings.Compare(a.predicate.many, b.predicate.many))
	})
	return out
}

func joinCauses(causes []cause) string {
	var parts []string
	shown := causes
	if len(causes) > maxCauses {
		shown = causes[:maxCauses-1]
	}
	for _, c := range shown {
		parts = append(parts, c.String())
	}
	if others := causes[len(shown):]; len(others) > 0 {
		rest := cause{predicate: predicate{"fails otherwise", "fail otherwise"}}
		for _, c := range others {
			rest.nodes += c.nodes
		}
		parts = append(parts, rest.String())
	}
	return strings.Join(parts, ", ")
}

// String writes "3 lack cpu (nearest: node-b, 500m short)".
func (c cause) String() string {
	text := fmt.Sprintf("%d %s", c.nodes, c.predicate.many)
	if c.nodes == 1 {
		text = "1 " + c.predicate.one
	}
	if c.nearest.node == "" {
		return text
	}
	nearest := c.nearest.node + ", " + c.nearest.missing + " short"
	if c.nodes > 1 {
		nearest = "nearest: " + nearest
	}
	return text + " (" + nearest + ")"
}

// nodeShortfall returns what the node lacks if the first plugin rejects it for one resource. Nearness means nothing
// for places for Pods, of which a full node always lacks one.
func nodeShortfall(node report.Node) (shortfall, bool) {
	if len(node.Filters) == 0 || len(node.Filters[0].Details) != 1 {
		return shortfall{}, false
	}
	detail, ok := node.Filters[0].Details[0].(report.InsufficientResource)
	if !ok || detail.Resource == resourcePods {
		return shortfall{}, false
	}
	amount, err := resource.ParseQuantity(detail.Missing)
	if err != nil {
		return shortfall{}, false
	}
	return shortfall{node: node.Name, missing: readable(detail.Missing), filters: len(node.Filters), amount: amount}, true
}

func (s shortfall) less(than shortfall) bool {
	if (s.filters == 1) != (than.filters == 1) {
		return s.filters == 1
	}
	return s.amount.Cmp(than.amount) < 0
}
