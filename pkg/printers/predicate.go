package printers

import (
	"slices"
	"strings"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// resourcePods is the resource of which a Pod takes one whatever it requests.
const resourcePods = "pods"

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
	if lacked := lackedResources(first.Details); lacked != "" {
		return predicate{"lacks " + lacked, "lack " + lacked}
	}
	if taints := taintFacts(first.Details); len(taints) > 0 {
		noun := "taint "
		if len(taints) > 1 {
			noun = "taints "
		}
		return predicate{"has " + noun + listNames(taints), "have " + noun + listNames(taints)}
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

// lackedResources lists the resources that are not enough, sorted by name.
func lackedResources(details []report.Detail) string {
	var names []string
	for _, d := range details {
		switch {
		case d.Type != report.InsufficientResource:
		case d.Resource == resourcePods:
			names = append(names, "places for Pods")
		default:
			names = append(names, d.Resource)
		}
	}
	slices.Sort(names)
	return listNames(slices.Compact(names))
}
