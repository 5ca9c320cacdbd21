package printers

import (
	"fmt"
	"slices"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// nextRemark says what would come next for a Pod that was rejected before any node was looked at.
func nextRemark(next *report.Next) string {
	aside := "Were it not for " + asideText(next) + ", "
	feasible := countFeasible(next.Nodes)
	switch {
	case feasible == 1 && len(next.Nodes) == 1:
		return aside + next.Nodes[0].Name + ", the only node, would fit."
	case feasible == len(next.Nodes):
		return aside + fmt.Sprintf("all %d nodes would fit.", feasible)
	}
	rejected := joinCauses(causes(next.Nodes, next.PreFilter))
	if feasible == 0 {
		return aside + fmt.Sprintf("no node of %d would fit either: %s.", len(next.Nodes), rejected)
	}
	names := make([]string, 0, feasible)
	for _, node := range next.Nodes[:feasible] {
		names = append(names, node.Name)
	}
	return aside + fmt.Sprintf("%s would fit (%s); of the others %s.", count(feasible, "node"), listNames(names), rejected)
}

// asNext returns the report with the nodes of what comes next in place of those that were not looked at.
func asNext(e *report.Explanation) *report.Explanation {
	out := *e
	out.Nodes, out.PreFilter = e.Next.Nodes, e.Next.PreFilter
	return &out
}

// nextTitle stands above the table of what comes next.
func nextTitle(next *report.Next) string {
	return "Without " + asideText(next) + " (kube-scheduler does not get that far):"
}

// volumePlugins read the Pod's claims.
var volumePlugins = []string{"NodeVolumeLimits", "VolumeBinding", "VolumeRestrictions", "VolumeZone"}

// asideText names what was set aside: plugins, those of volumes in one word.
func asideText(next *report.Next) string {
	var names []string
	for _, plugin := range next.SetAside {
		if slices.Contains(volumePlugins, plugin) {
			plugin = "its volumes"
		}
		if !slices.Contains(names, plugin) {
			names = append(names, plugin)
		}
	}
	return alternatives(names)
}
