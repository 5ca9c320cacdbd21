package report

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Comparison sets two nodes of an Explanation against each other.
type Comparison struct {
	A string `json:"a"`
	B string `json:"b"`
	// Scored tells that kube-scheduler scores both nodes. Otherwise one at least does not fit, and there are no scores to
	// compare: with a single feasible node kube-scheduler scores none.
	Scored bool `json:"scored"`
	// Plugins are the weighted scores of both, in the profile's order.
	Plugins []ScoreDifference `json:"plugins"`
	// Totals are the sums of the weighted scores.
	Totals ScoreTotals `json:"totals"`
	// Better is the node with the higher total, or the only one of both that fits; empty when they are tied or neither
	// fits. It need not be the best of all nodes.
	Better string `json:"better"`
	// Tie: both are scored, with equal totals.
	Tie bool `json:"tie"`
	// RejectedBy are the plugins that stand against a node that does not fit.
	RejectedBy Rejecting `json:"rejectedBy"`
}

// ScoreDifference is one Score plugin's opinion of both nodes.
type ScoreDifference struct {
	Plugin string `json:"plugin"`
	Weight int64  `json:"weight"`
	// A and B are weighted scores.
	A int64 `json:"a"`
	B int64 `json:"b"`
	// Difference is A less B.
	Difference int64 `json:"difference"`
}

// ScoreTotals are the totals of both nodes.
type ScoreTotals struct {
	A int64 `json:"a"`
	B int64 `json:"b"`
	// Difference is A less B.
	Difference int64 `json:"difference"`
}

// Rejecting are the plugins against each node; none against one that fits.
type Rejecting struct {
	A []string `json:"a"`
	B []string `json:"b"`
}

// ErrNotComparable is returned by Compare when kube-scheduler has no choice between nodes.
var ErrNotComparable = errors.New("a DaemonSet's Pods are made for one node each, so that no scores are compared")

// Compare tells which of two nodes is better and why. The error names the node that the Explanation does not judge.
func Compare(e *Explanation, a, b string) (*Comparison, error) {
	nodeA, err := e.node(a)
	if err != nil {
		return nil, err
	}
	nodeB, err := e.node(b)
	if err != nil {
		return nil, err
	}
	if kind, _, _ := strings.Cut(e.Metadata.Kind, "."); kind == "daemonset" {
		return nil, ErrNotComparable
	}
	out := &Comparison{
		A:          a,
		B:          b,
		Plugins:    []ScoreDifference{},
		RejectedBy: Rejecting{A: e.against(nodeA), B: e.against(nodeB)},
	}
	switch fitsA, fitsB := nodeA.Verdict == Feasible, nodeB.Verdict == Feasible; {
	case fitsA && fitsB:
		out.compareScores(nodeA, nodeB)
	case fitsA:
		out.Better = a
	case fitsB:
		out.Better = b
	}
	return out, nil
}

func (e *Explanation) node(name string) (*Node, error) {
	i := slices.IndexFunc(e.Nodes, func(n Node) bool { return n.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("node %q was not judged", name)
	}
	return &e.Nodes[i], nil
}

// against are the plugins that reject the node, each once.
func (e *Explanation) against(node *Node) []string {
	rejections := node.Filters
	if node.Verdict == NotEvaluated {
		rejections = e.PreFilter
	}
	plugins := []string{}
	for _, r := range rejections {
		if !slices.Contains(plugins, r.Plugin) {
			plugins = append(plugins, r.Plugin)
		}
	}
	return plugins
}

// compareScores compares two feasible nodes, which the same plugins have scored. An extender may have scored only one.
func (c *Comparison) compareScores(a, b *Node) {
	c.Scored = true
	index := map[string]int{}
	at := func(score Score) *ScoreDifference {
		i, known := index[score.Plugin]
		if !known {
			i, index[score.Plugin] = len(c.Plugins), len(c.Plugins)
			c.Plugins = append(c.Plugins, ScoreDifference{Plugin: score.Plugin, Weight: score.Weight})
		}
		return &c.Plugins[i]
	}
	for _, score := range a.Scores {
		at(score).A += score.Weighted
	}
	for _, score := range b.Scores {
		at(score).B += score.Weighted
	}
	for i := range c.Plugins {
		c.Plugins[i].Difference = c.Plugins[i].A - c.Plugins[i].B
	}
	c.Totals = ScoreTotals{A: a.Total, B: b.Total, Difference: a.Total - b.Total}
	switch {
	case a.Total > b.Total:
		c.Better = a.Name
	case a.Total < b.Total:
		c.Better = b.Name
	default:
		c.Tie = true
	}
}
