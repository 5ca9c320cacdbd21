package printers

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// resourcePods is the resource of which a Pod takes one whatever it requests.
const resourcePods = "pods"

// nodeFact has words for what a node itself refuses: resources, taints, ports.
func nodeFact(detail report.Detail, s style) string {
	switch d := detail.(type) {
	case report.InsufficientResource:
		if s == withoutNumbers {
			return ""
		}
		return resourceFact(d)
	case report.UntoleratedTaint:
		return taintFact(d)
	}
	return ""
}

func nodeSays(details report.Details) predicate {
	if lacked := lackedResources(details); lacked != "" {
		return predicate{"lacks " + lacked, "lack " + lacked}
	}
	if taints := taintFacts(details); len(taints) > 0 {
		noun := plural(len(taints), "taint ", "taints ") + listNames(taints)
		return predicate{"has " + noun, "have " + noun}
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
	write := readable
	if readable(d.Requested) == readable(free.String()) { // too close to be told apart
		write = func(quantity string) string { return quantity }
	}
	return "wants " + write(d.Requested) + ", " + write(free.String()) + " of " + write(d.Allocatable) + " free"
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
