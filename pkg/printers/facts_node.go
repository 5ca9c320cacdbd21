package printers

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// resourcePods is the resource of which a Pod takes one whatever it requests.
const resourcePods = "pods"

// nodeFact has words for what a node itself refuses: resources, taints, ports, features.
func nodeFact(detail report.Detail, s style) string {
	switch d := detail.(type) {
	case report.InsufficientResource:
		if s == withoutNumbers {
			return ""
		}
		return resourceFact(d)
	case report.UntoleratedTaint:
		return withToleration(taintFact(d), d.Toleration, s)
	case report.CordonedNode:
		return withToleration("cordoned", d.Toleration, s)
	case report.WrongNode:
		return wrongNodeFact(d)
	case report.PortInUse:
		return portFact(d, s)
	case report.MissingFeature:
		return featureFact(d, s)
	}
	return ""
}

// nodeSays makes a predicate of the facts of one plugin, which are of one type.
func nodeSays(details report.Details) predicate {
	if lacked := lackedResources(details); lacked != "" {
		return predicate{"lacks " + lacked, "lack " + lacked}
	}
	if taints := taintFacts(details); len(taints) > 0 {
		noun := plural(len(taints), "taint ", "taints ") + listNames(taints)
		return predicate{"has " + noun, "have " + noun}
	}
	if ports := portNames(details); len(ports) > 0 {
		noun := plural(len(ports), "port ", "ports ") + listNames(ports) + " in use"
		return predicate{"has " + noun, "have " + noun}
	}
	if features := featureNames(details); len(features) > 0 {
		noun := plural(len(features), "feature ", "features ") + listNames(features)
		return predicate{"does not declare " + noun, "do not declare " + noun}
	}
	for _, detail := range details {
		switch d := detail.(type) {
		case report.CordonedNode:
			return predicate{"is cordoned", "are cordoned"}
		case report.WrongNode:
			return predicate{"is not node " + d.Wanted + ", which it names", "are not node " + d.Wanted + ", which it names"}
		}
	}
	return predicate{}
}

// lackedResources lists the resources that are not enough, sorted by name.
func lackedResources(details report.Details) string {
	var names []string
	for _, detail := range details {
		switch d, ok := detail.(report.InsufficientResource); {
		case !ok:
		case d.Resource == resourcePods:
			names = append(names, "places for Pods")
		default:
			names = append(names, d.Resource)
		}
	}
	slices.Sort(names)
	return listNames(slices.Compact(names))
}

// resourceFact says "wants 2, 500m of 4 free".
func resourceFact(d report.InsufficientResource) string {
	allocatable, err := resource.ParseQuantity(d.Allocatable)
	if err != nil {
		return "wants " + d.Requested
	}
	free := allocatable.DeepCopy()
	if used, err := resource.ParseQuantity(d.Used); err == nil {
		free.Sub(used)
	}
	if free.Sign() <= 0 {
		return "wants " + readable(d.Requested) + ", none of " + readable(d.Allocatable) + " free"
	}
	write := telling(d.Requested, free.String())
	return "wants " + write(d.Requested) + ", " + write(free.String()) + " of " + write(d.Allocatable) + " free"
}

// telling returns what writes two quantities in few digits, but in all of them when they would look the same.
func telling(a, b string) func(string) string {
	if readable(a) == readable(b) {
		return func(quantity string) string { return quantity }
	}
	return readable
}

// taintFact writes a taint as kubectl does: "dedicated=gpu:NoSchedule", "dedicated:NoSchedule".
func taintFact(d report.UntoleratedTaint) string {
	if d.Value == "" {
		return d.Key + ":" + d.Effect
	}
	return d.Key + "=" + d.Value + ":" + d.Effect
}

func taintFacts(details report.Details) []string {
	var taints []string
	for _, detail := range details {
		if d, ok := detail.(report.UntoleratedTaint); ok {
			taints = append(taints, taintFact(d))
		}
	}
	return taints
}

// withToleration adds, where everything is said, the toleration to paste into a Pod.
func withToleration(text string, t report.Toleration, s style) string {
	if s != withPlugins || t.Key == "" {
		return text
	}
	value := ""
	if t.Value != "" {
		value = fmt.Sprintf(", value: %q", t.Value)
	}
	return fmt.Sprintf("%s, tolerated by {key: %s, operator: %s%s, effect: %s}", text, t.Key, t.Operator, value, t.Effect)
}

func wrongNodeFact(d report.WrongNode) string {
	if !d.Exists {
		return "it names node " + d.Wanted + ", which does not exist"
	}
	return "it names node " + d.Wanted
}

func featureFact(d report.MissingFeature, s style) string {
	if s == withoutNumbers || d.KubeletVersion == "" {
		return d.Feature + " not declared"
	}
	return d.Feature + " not declared by kubelet " + d.KubeletVersion
}

func featureNames(details report.Details) []string {
	var names []string
	for _, detail := range details {
		if d, ok := detail.(report.MissingFeature); ok {
			names = append(names, d.Feature)
		}
	}
	return names
}
