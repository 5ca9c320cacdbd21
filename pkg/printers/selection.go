package printers

import (
	"fmt"
	"strconv"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// selectionMode tells which nodes a table shows.
type selectionMode int

const (
	// foldedNodes: all nodes; beyond a screenful, those that fare alike share a line.
	foldedNodes selectionMode = iota
	// allNodes: a line for every node.
	allNodes
	// failedNodes: the nodes that are not feasible, folded like foldedNodes.
	failedNodes
	// feasibleNodes: a line for every feasible node.
	feasibleNodes
	// firstNodes: a line for each of the first nodes.
	firstNodes
)

// selection is the parsed --nodes.
type selection struct {
	mode  selectionMode
	first int
}

func parseSelection(nodes string) (selection, error) {
	switch nodes {
	case "":
		return selection{mode: foldedNodes}, nil
	case "all":
		return selection{mode: allNodes}, nil
	case "failed":
		return selection{mode: failedNodes}, nil
	case "feasible":
		return selection{mode: feasibleNodes}, nil
	}
	first, err := strconv.Atoi(nodes)
	if err != nil || first < 0 {
		return selection{}, fmt.Errorf("--nodes %q: must be all, failed, feasible or a number of nodes", nodes)
	}
	return selection{mode: firstNodes, first: first}, nil
}

// choose returns the selected nodes, in their order.
func (s selection) choose(nodes []report.Node) []report.Node {
	switch s.mode {
	case failedNodes:
		return nodes[countFeasible(nodes):]
	case feasibleNodes:
		return nodes[:countFeasible(nodes)]
	case firstNodes:
		return nodes[:min(s.first, len(nodes))]
	default:
		return nodes
	}
}

// countFeasible counts the feasible nodes, which a report lists first.
func countFeasible(nodes []report.Node) int {
	count := 0
	for count < len(nodes) && nodes[count].Verdict == report.Feasible {
		count++
	}
	return count
}
