package printers

import (
	"slices"
	"strings"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

const placedIn = "In"

// placeFact says where a volume is and where the node is: "in topology.kubernetes.io/zone za; the node is in zb".
func placeFact(terms [][]report.VolumeRequirement, s style) string {
	var wanted, actual []string
	for _, term := range terms {
		var all []string
		for _, requirement := range term {
			all = append(all, wantedPlace(requirement))
			actual = append(actual, actualPlace(requirement, len(terms) == 1 && len(term) == 1))
		}
		if len(all) > 0 { // an empty term is met by no node
			wanted = append(wanted, strings.Join(all, " and "))
		}
	}
	switch {
	case len(wanted) == 0:
		return "on no node"
	case s == withoutNumbers:
		return strings.Join(wanted, ", or ")
	}
	slices.Sort(actual)
	return strings.Join(append([]string{strings.Join(wanted, ", or ")}, actualPlaces(actual)...), "; ")
}

// actualPlaces says of the node what it has: none, one or several.
func actualPlaces(actual []string) []string {
	actual = slices.Compact(nonEmpty(actual))
	if len(actual) == 0 {
		return nil
	}
	return []string{"the node " + strings.Join(actual, ", ")}
}

// wantedPlace says "in topology.kubernetes.io/zone za or zb".
func wantedPlace(r report.VolumeRequirement) string {
	switch r.Operator {
	case placedIn:
		return "in " + r.Key + " " + alternatives(r.Values)
	case "NotIn":
		return "not in " + r.Key + " " + alternatives(r.Values)
	case "Exists":
		return "where there is a " + r.Key
	case "DoesNotExist":
		return "where there is no " + r.Key
	case "Gt":
		return "where " + r.Key + " > " + alternatives(r.Values)
	case "Lt":
		return "where " + r.Key + " < " + alternatives(r.Values)
	}
	return "where " + r.Key + " " + r.Operator + " " + alternatives(r.Values)
}

// actualPlace says what the node has: of the only label asked for the value will do.
func actualPlace(r report.VolumeRequirement, only bool) string {
	switch {
	case r.Missing && only:
		return "has no such label"
	case r.Missing:
		return "has no " + r.Key
	case r.Actual == nil: // not a label
		return ""
	case only && *r.Actual != "":
		return "is in " + *r.Actual
	case *r.Actual == "":
		return "has an empty " + r.Key
	}
	return "is in " + r.Key + " " + *r.Actual
}
