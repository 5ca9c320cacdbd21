package printers

import (
	"fmt"
	"slices"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// neighborFact has words for facts about the Pods nearby.
func neighborFact(detail report.Detail, s style) string {
	switch d := detail.(type) {
	case report.TopologySpread:
		return spreadFact(d, s)
	case report.PodAffinity:
		return podAffinityFact(d, s)
	}
	return ""
}

func neighborSays(details report.Details) predicate {
	if keys := missingKeys(details); len(keys) > 0 {
		noun := plural(len(keys), "label ", "labels ") + listNames(keys)
		return predicate{"lacks " + noun, "lack " + noun}
	}
	var keys []string
	var rules []report.PodAffinity
	for _, detail := range details {
		switch d := detail.(type) {
		case report.TopologySpread:
			keys = append(keys, d.TopologyKey)
		case report.PodAffinity:
			rules = append(rules, d)
		}
	}
	switch {
	case len(keys) > 0:
		text := "would break its spread over " + listNames(keys)
		return predicate{text, text}
	case len(rules) > 0:
		return podAffinitySays(rules)
	}
	return predicate{}
}

// missingKeys lists the labels that the node lacks, each once.
func missingKeys(details report.Details) []string {
	var keys []string
	for _, detail := range details {
		key := ""
		switch d := detail.(type) {
		case report.TopologySpread:
			if d.Missing {
				key = d.TopologyKey
			}
		case report.PodAffinity:
			if d.Missing {
				key = d.TopologyKey
			}
		}
		if key != "" && !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// podAffinitySays speaks of the rule that kube-scheduler looks at first. Which Pods are there differs from node to
// node.
func podAffinitySays(rules []report.PodAffinity) predicate {
	switch first := rules[0]; first.Rule {
	case report.RuleAffinity:
		return predicate{"has no Pod nearby that its affinity asks for", "have no Pod nearby that its affinity asks for"}
	case report.RuleAntiAffinity:
		text := " a Pod nearby that its anti-affinity forbids" + selectorText(first.LabelSelector)
		return predicate{"has" + text, "have" + text}
	}
	return predicate{"has a Pod nearby whose anti-affinity forbids it", "have a Pod nearby whose anti-affinity forbids it"}
}

func selectorText(selector string) string {
	if selector == "" {
		return ""
	}
	return " (" + selector + ")"
}

// spreadFact says "zone za: 2 matching Pods + itself - 0 in zone zc (least) = 3 > maxSkew 1".
func spreadFact(d report.TopologySpread, s style) string {
	switch {
	case d.Missing:
		return "no label " + d.TopologyKey
	case s == withoutNumbers:
		return fmt.Sprintf("over %s, maxSkew %d%s", d.TopologyKey, d.MaxSkew, spreadNotes(d))
	}
	itself := ""
	if d.Self > 0 {
		itself = " + itself"
	}
	return fmt.Sprintf("%s: %s%s - %s = %d > maxSkew %d%s", domainName(d.TopologyKey, d.Domain),
		count(d.Matching, "matching Pod"), itself, leastText(d), d.Skew, d.MaxSkew, spreadNotes(d))
}

// leastText says what the minimum is and where.
func leastText(d report.TopologySpread) string {
	if d.MinimumDomainCount == 0 {
		if d.Domains >= d.MinDomains {
			return fmt.Sprint(d.Minimum)
		}
		return fmt.Sprintf("%d (%d of minDomains %d)", d.Minimum, d.Domains, d.MinDomains)
	}
	return fmt.Sprintf("%d %s (least)", d.Minimum, inDomains(d.TopologyKey, d.MinimumDomains, d.MinimumDomainCount))
}

// spreadNotes tells that the minimum does not rise, and what would help.
func spreadNotes(d report.TopologySpread) string {
	notes := ""
	if d.ClosedNodeCount > 0 {
		notes = fmt.Sprintf("; it cannot go to %s %s, yet %s", plural(d.ClosedNodeCount, "node", "nodes"),
			listSome(d.ClosedNodes, d.ClosedNodeCount), plural(d.ClosedNodeCount, "that counts", "those count"))
	}
	if len(d.Honor) > 0 {
		notes += "; " + listNames(d.Honor) + " Honor would help"
	}
	return notes
}

// podAffinityFact says "no Pod with app=db of namespace shop in zone za, but in zone zb", "its anti-affinity:
// shop/web-1 is in zone za", "anti-affinity of shop/db-0 in zone za repels it".
func podAffinityFact(d report.PodAffinity, s style) string {
	if d.Missing {
		return "no label " + d.TopologyKey
	}
	where := inDomains(d.TopologyKey, []string{d.Domain}, 1)
	if s == withoutNumbers && !isWide(d.TopologyKey) {
		where = "there"
		d.Pods, d.PodCount = nil, 2
	}
	pods := listSome(d.Pods, d.PodCount)
	if len(d.Pods) == 0 {
		pods = "Pods"
	}
	switch d.Rule {
	case report.RuleAffinity:
		return affinityFact(d, where)
	case report.RuleAntiAffinity:
		text := "its anti-affinity: " + pods + plural(d.PodCount, " is ", " are ") + where
		return text + termText(d, s)
	}
	return "anti-affinity of " + pods + " " + where + " repels it" + termText(d, s)
}

// termText tells whom a term of anti-affinity looks for, where there is room: "; it forbids app=web of namespace shop".
func termText(d report.PodAffinity, s style) string {
	if s == withNumbers {
		return ""
	}
	whom := d.LabelSelector
	if whom == "" {
		whom = "all Pods"
	}
	return "; it forbids " + whom + namespacesText(d)
}

func affinityFact(d report.PodAffinity, where string) string {
	wanted := "no Pod"
	switch {
	case d.Terms > 1:
		wanted = fmt.Sprintf("no Pod that matches all %d terms of its affinity", d.Terms)
	case d.LabelSelector != "":
		wanted += " with " + d.LabelSelector
	}
	if d.Terms < 2 {
		wanted += namespacesText(d)
	}
	if d.ElsewhereCount == 0 {
		return wanted + " in any domain of " + d.TopologyKey
	}
	return wanted + " " + where + ", but " + inDomains(d.TopologyKey, d.Elsewhere, d.ElsewhereCount)
}

func namespacesText(d report.PodAffinity) string {
	if d.AllNamespaces {
		return " of any namespace"
	}
	if d.NamespaceCount == 0 {
		return " (no namespace is selected)"
	}
	return plural(d.NamespaceCount, " of namespace ", " of namespaces ") + listSome(d.Namespaces, d.NamespaceCount)
}

// keyNouns are the topology keys that have a plain word.
var keyNouns = map[string]string{
	"kubernetes.io/hostname":        "node",
	"topology.kubernetes.io/zone":   "zone",
	"topology.kubernetes.io/region": "region",
}

// isWide tells that a domain has many nodes as a rule, which then fail alike.
func isWide(key string) bool { return keyNouns[key] == "zone" || keyNouns[key] == "region" }

// domainName names a domain: "zone za", "node n1", "example.com/rack=r1".
func domainName(key, value string) string {
	switch noun, ok := keyNouns[key]; {
	case value == "":
		return key + `=""`
	case ok:
		return noun + " " + value
	}
	return key + "=" + value
}

// inDomains says where some Pods are: "in zone za, zb and 2 more", "on node n1", "in example.com/rack=r1".
func inDomains(key string, values []string, count int) string {
	noun, known := keyNouns[key]
	preposition := "in "
	if noun == "node" {
		preposition = "on "
	}
	names := make([]string, 0, len(values))
	for i, value := range values {
		if known && i > 0 && value != "" { // the word for all comes once
			names = append(names, value)
			continue
		}
		names = append(names, domainName(key, value))
	}
	return preposition + listSome(names, count)
}
