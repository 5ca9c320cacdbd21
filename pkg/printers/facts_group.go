package printers

import (
	"fmt"
	"strings"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// groupFact has words for facts about devices, gates and groups of Pods.
func groupFact(detail report.Detail, s style) string {
	switch d := detail.(type) {
	case report.Gate:
		return "waits for gate " + d.Name
	case report.ResizePreemptionDisabled:
		return "preemption for resizes is disabled by " + listNames(d.Owners)
	case report.ResizeElsewhere:
		return "the Pod is on " + d.NodeName
	case report.MissingPodGroup:
		return fmt.Sprintf("there is no %s %s/%s", d.Kind, d.Namespace, d.Name)
	case report.PodGroupTooSmall:
		return inParentheses(fmt.Sprintf("%d of %d Pods of group %s/%s %s", d.Pods, d.MinCount, d.Namespace, d.Name,
			plural(d.Pods, "exists", "exist")), someNames(d.Members, d.Pods))
	case report.CompositePodGroupTooSmall:
		return fmt.Sprintf("%d of %d groups of group %s/%s %s complete", d.Complete, d.MinGroupCount, d.Namespace, d.Name,
			plural(d.Complete, "is", "are"))
	case report.PodGroupCycle:
		return "groups " + listNames(d.Names) + " of " + d.Namespace + " hold each other"
	}
	if text := claimFact(detail); text != "" {
		return text
	}
	return deviceFact(detail, s)
}

func groupSays(details report.Details) predicate {
	for _, detail := range details {
		if said := deviceSays(detail); said != (predicate{}) {
			return said
		}
		switch d := detail.(type) {
		case report.Gate:
			return predicate{"waits for gate " + d.Name, "wait for gate " + d.Name}
		case report.ResizePreemptionDisabled:
			return predicate{"has preemption for resizes disabled", "have preemption for resizes disabled"}
		case report.ResizeElsewhere:
			return predicate{"is not its node", "are not its node"}
		}
	}
	return predicate{}
}

// someNames lists the first of total names: "a and b", "a, b, c and 4 more".
func someNames(first []string, total int) string {
	if total > len(first) && len(first) > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(first, ", "), total-len(first))
	}
	return listNames(first)
}
