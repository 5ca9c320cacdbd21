package printers

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// shortPlugins are the headers of score columns, short enough that those of the default profile fit beside each other
// on 120 columns. The wide table and plugins that are not listed use the plugin's name.
var shortPlugins = map[string]string{
	"DynamicResources":                "DEVICES",
	"ImageLocality":                   "IMAGES",
	"InterPodAffinity":                "INTERPOD",
	"NodeAffinity":                    "AFFINITY",
	"NodeResourcesBalancedAllocation": "BALANCE",
	"NodeResourcesFit":                "FIT",
	"PodTopologySpread":               "SPREAD",
	"TaintToleration":                 "TAINTS",
	"VolumeBinding":                   "VOLUMES",
}

// scoreTable tells of each scored node how every Score plugin judged it.
func (p *tablePrinter) scoreTable(rows []row) grid {
	columns := scoreColumns(rows)
	t := grid{headers: []string{"NODE", "SCORE"}, gap: scoreGap}
	for _, s := range columns {
		t.headers = append(t.headers, p.scoreHeader(s))
	}
	for _, r := range rows {
		cells := []string{r.name(), r.score()}
		for _, column := range columns {
			cells = append(cells, p.scoreCell(r, column.Plugin))
		}
		t.rows = append(t.rows, cells)
	}
	if p.width > 0 {
		t.fitFirst(p.width, minNode)
	}
	return t
}

// scoreColumns returns one score of every plugin that scored a node, in the profile's order.
func scoreColumns(rows []row) []report.Score {
	var columns []report.Score
	for _, r := range rows {
		for _, s := range r.node.Scores {
			if !slices.ContainsFunc(columns, func(c report.Score) bool { return c.Plugin == s.Plugin }) {
				columns = append(columns, s)
			}
		}
	}
	return columns
}

// scoreHeader is the plugin with its weight: "TAINTS(3)".
func (p *tablePrinter) scoreHeader(s report.Score) string {
	name := strings.ToUpper(s.Plugin)
	if !p.wide {
		name = cmp.Or(shortPlugins[s.Plugin], name)
	}
	return fmt.Sprintf("%s(%d)", name, s.Weight)
}

// scoreCell is the plugin's weighted score, or all its steps in the wide table; nodes that share a line have none.
func (p *tablePrinter) scoreCell(r row, plugin string) string {
	i := slices.IndexFunc(r.node.Scores, func(s report.Score) bool { return s.Plugin == plugin })
	if i < 0 || r.more > 0 {
		return nothing
	}
	s := r.node.Scores[i]
	if p.wide {
		return fmt.Sprintf("%d→%d×%d", s.Raw, s.Normalized, s.Weight)
	}
	return strconv.FormatInt(s.Weighted, 10)
}
