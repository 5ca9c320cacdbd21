package printers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// labelFact has words for facts about labels and names of nodes.
func labelFact(detail report.Detail, s style) string {
	switch d := detail.(type) {
	case report.UnmatchedNodeSelector:
		return unmatchedFact(d, s)
	case report.NodesByName:
		return byNameFact(d)
	}
	return ""
}

func labelSays(details report.Details) predicate {
	var sources []string
	var unmatched []report.UnmatchedNodeSelector
	for _, detail := range details {
		if d, ok := detail.(report.UnmatchedNodeSelector); ok {
			unmatched = append(unmatched, d)
			if noun := selectorNoun(d.Source); !slices.Contains(sources, noun) {
				sources = append(sources, noun)
			}
		}
	}
	what := listNames(sources)
	switch {
	case len(unmatched) == 0:
		return predicate{}
	case len(unmatched) == 1 && unmatched[0].Key != "":
		what = strings.TrimPrefix(what, "its ") + " " + requirementText(unmatched[0])
	}
	return predicate{"does not match " + what, "do not match " + what}
}

func selectorNoun(source string) string {
	switch source {
	case report.SourceNodeSelector:
		return "its nodeSelector"
	case report.SourceAddedAffinity:
		return "the profile's node affinity"
	}
	return "its node affinity"
}

// unmatchedFact says "wants disktype in (ssd) but has hdd", "term 2 wants label gpu".
func unmatchedFact(d report.UnmatchedNodeSelector, s style) string {
	who := ""
	if d.Source == report.SourceAddedAffinity {
		who = "the profile "
	}
	if d.Term != nil && d.Terms > 1 {
		who = fmt.Sprintf("%sterm %d ", strings.Replace(who, "profile", "profile's", 1), *d.Term+1)
	}
	switch {
	case d.Empty && d.Term == nil:
		return selectorNoun(d.Source) + " has no terms and matches nothing"
	case d.Empty && who == "":
		return selectorNoun(d.Source) + " is empty and matches nothing"
	case d.Empty:
		return who + "is empty and matches nothing"
	}
	text := who + "wants " + requirementText(d)
	switch {
	case d.Invalid:
		return text + ", which cannot be read"
	case s == withoutNumbers:
		return text
	}
	return text + foundText(d)
}

// foundText says what the node has, where it is not plain from what is wanted or from the node's name.
func foundText(d report.UnmatchedNodeSelector) string {
	switch {
	case d.Field || d.Actual == nil && d.Operator == "Exists":
		return ""
	case d.Actual == nil:
		return " but the label is missing"
	case *d.Actual == "":
		return ` but has ""`
	case d.Operator == "Gt" || d.Operator == "Lt":
		if _, err := strconv.ParseInt(*d.Actual, 10, 64); err != nil {
			return " but has " + *d.Actual + ", no integer"
		}
	}
	return " but has " + *d.Actual
}

// requirementText writes a requirement: "disktype=ssd", "disktype in (hdd, ssd)", "gen > 5", "label gpu".
func requirementText(d report.UnmatchedNodeSelector) string {
	key, noun := d.Key, "label "
	if d.Field {
		key, noun = strings.TrimPrefix(d.Key, "metadata."), "field "
	}
	values := listSome(d.Values, len(d.Values))
	if d.Source == report.SourceNodeSelector {
		return key + "=" + values
	}
	switch d.Operator {
	case "In":
		return key + " in (" + values + ")"
	case "NotIn":
		return key + " not in (" + values + ")"
	case "Gt":
		return key + " > " + values
	case "Lt":
		return key + " < " + values
	case "Exists":
		return noun + key
	case "DoesNotExist":
		return "no " + noun + key
	}
	return strings.TrimRight(key+" "+d.Operator+" "+values, " ")
}

// byNameFact says "it asks for node a by name", "… a, b, c and 2 more by name; b does not exist".
func byNameFact(d report.NodesByName) string {
	names := listSome(d.Names, d.Count)
	text := "it asks for " + plural(d.Count, "node ", "nodes ") + names + " by name"
	if d.Conflict {
		text = "its node affinity asks for several names at once: " + names
	}
	if d.AbsentCount > 0 {
		text += "; " + listSome(d.Absent, d.AbsentCount) + plural(d.AbsentCount, " does", " do") + " not exist"
	}
	return text
}

// listSome writes the first of a number of names: "a", "a, b", "a, b, c and 4 more".
func listSome(first []string, count int) string {
	if len(first) > maxNames {
		first = first[:maxNames]
	}
	text := strings.Join(first, ", ")
	if more := count - len(first); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
