package printers

import (
	"strings"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// predicates are what a rejection by a plugin says of nodes, where upstream's text takes more words for it.
var predicates = map[string]predicate{
	"NodeName":          {"is not the node it names", "are not the node it names"},
	"NodeUnschedulable": {"is cordoned", "are cordoned"},
	"TaintToleration":   {"has a taint it does not tolerate", "have taints it does not tolerate"},
	"NodeAffinity":      {"does not match its node affinity or selector", "do not match its node affinity or selector"},
	"NodePorts":         {"has its host port in use", "have its host port in use"},
	"NodeVolumeLimits":  {"is at its limit of volumes", "are at their limit of volumes"},
	"VolumeZone":        {"is outside the zone of its volume", "are outside the zone of its volume"},
	"PodTopologySpread": {"would break its topology spread", "would break its topology spread"},
}

// nodePredicate says what is wrong with the node, by the plugin that rejects it first.
func nodePredicate(node report.Node, preFilter []report.Rejection) predicate {
	if node.Verdict == report.NotEvaluated {
		by := joinPlugins(preFilter, "PreFilter")
		return predicate{"is ruled out by " + by, "are ruled out by " + by}
	}
	if len(node.Filters) == 0 {
		return predicate{"is rejected", "are rejected"}
	}
	first := node.Filters[0]
	if said := detailsPredicate(first.Details); said != (predicate{}) {
		return said
	}
	if known, ok := predicates[first.Plugin]; ok {
		return known
	}
	return upstreamPredicate(first)
}

// upstreamPredicate makes a predicate of upstream's own text: "node(s) had no available disk", "Insufficient cpu".
func upstreamPredicate(r report.Rejection) predicate {
	text := strings.Join(r.Reasons, ", ")
	if rest, ok := strings.CutPrefix(text, "node(s) "); ok {
		return predicate{rest, rest}
	}
	return predicate{withMessage("fails "+r.Plugin, text), withMessage("fail "+r.Plugin, text)}
}
