package engine

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine/reason"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// CheckNode fails when the State has no node of the name; the error tells which are spelled like it.
func (e *Engine) CheckNode(name string) error { return e.scheduler.CheckNode(name) }

// story tells all about the node that Options name; nil when they name none. rows are the judgments of the nodes.
func (e *Engine) story(profile string, judgment *upstream.Judgment, explainer *reason.Explainer, rows []report.Node,
) *report.Story {
	i := slices.IndexFunc(judgment.Nodes, func(n upstream.NodeJudgment) bool { return n.Info.Node().Name == e.node })
	if i < 0 {
		return nil
	}
	judged := &judgment.Nodes[i]
	seen := judged.Info
	if judged.Evaluated {
		seen = judged.Seen
	}
	out := report.NewStory(e.node)
	out.Plugins = decided(slices.Concat(
		preEnqueueVerdicts(e.scheduler.PreEnqueuePlugins(profile), judgment),
		preFilterVerdicts(judgment, judged),
		filterVerdicts(e.scheduler.FilterPlugins(profile), judgment, judged),
	), judged)
	out.Resources = explainer.Accounts(seen)
	if judged.Evaluated {
		keepLacking(out.Resources, rows[slices.IndexFunc(rows, func(n report.Node) bool { return n.Name == e.node })])
	}
	out.Pods = reason.Usage(seen, scarcest(out.Resources))
	return out
}

func preEnqueueVerdicts(plugins []string, judgment *upstream.Judgment) []report.PluginVerdict {
	var out []report.PluginVerdict
	for _, plugin := range plugins {
		verdict := report.Passes
		if rejectedBy(judgment.Gates, plugin) {
			verdict = report.Rejects
		}
		out = append(out, report.PluginVerdict{Plugin: plugin, Point: report.PreEnqueuePoint, Verdict: verdict})
	}
	return out
}

// preFilterVerdicts are those that reject the Pod as a whole, or together leave the node out.
func preFilterVerdicts(judgment *upstream.Judgment, judged *upstream.NodeJudgment) []report.PluginVerdict {
	if judged.Evaluated {
		return nil
	}
	plugins := judgment.Narrowed
	if status := judgment.PreFilter; status != nil && status.Plugin() != "" {
		plugins = []string{status.Plugin()}
	}
	var out []report.PluginVerdict
	for _, plugin := range plugins {
		out = append(out, report.PluginVerdict{Plugin: plugin, Point: report.PreFilterPoint, Verdict: report.Rejects})
	}
	return out
}

// filterVerdicts are those of all Filter plugins, and of the extenders that reject the node.
func filterVerdicts(plugins []string, judgment *upstream.Judgment, judged *upstream.NodeJudgment,
) []report.PluginVerdict {
	var out []report.PluginVerdict
	for _, plugin := range plugins {
		verdict := report.Passes
		switch {
		case !judged.Evaluated:
			verdict = report.NotReached
		case rejectedBy(judged.Rejections, plugin):
			verdict = report.Rejects
		case judgment.NotInvolved.Has(plugin):
			verdict = report.NotInvolved
		}
		out = append(out, report.PluginVerdict{Plugin: plugin, Point: report.FilterPoint, Verdict: verdict})
	}
	for _, status := range judged.Rejections {
		if extender := status.Plugin(); !slices.Contains(plugins, extender) {
			out = append(out, report.PluginVerdict{
				Plugin: reason.ShownName(extender), Point: report.ExtenderPoint, Verdict: report.Rejects,
			})
		}
	}
	return out
}

func rejectedBy(statuses []*fwk.Status, plugin string) bool {
	return slices.ContainsFunc(statuses, func(status *fwk.Status) bool { return status.Plugin() == plugin })
}

// decided marks the plugin at which kube-scheduler stops. Where Pods are nominated, that need not be the first filter
// in the profile's order.
func decided(plugins []report.PluginVerdict, judged *upstream.NodeJudgment) []report.PluginVerdict {
	i := slices.IndexFunc(plugins, func(p report.PluginVerdict) bool {
		if len(judged.Rejections) > 0 && p.Plugin != judged.Rejections[0].Plugin() {
			return false
		}
		return p.Verdict == report.Rejects
	})
	if i >= 0 {
		plugins[i].Decides = true
	}
	return plugins
}

// keepLacking leaves only what NodeResourcesFit misses on the node: it may be disabled, ignore a resource, or leave it
// to DynamicResources.
func keepLacking(accounts []report.ResourceAccount, row report.Node) {
	lacking := map[string]bool{}
	for _, filter := range row.Filters {
		for _, detail := range filter.Details {
			if lack, ok := detail.(report.InsufficientResource); ok {
				lacking[lack.Resource] = true
			}
		}
	}
	for i := range accounts {
		if !lacking[accounts[i].Resource] {
			accounts[i].Missing = ""
		}
	}
}

// scarcest is the resource by which the node's Pods are sorted. Of places for Pods each takes one.
func scarcest(accounts []report.ResourceAccount) corev1.ResourceName {
	for _, account := range accounts {
		if account.Missing != "" && account.Resource != string(corev1.ResourcePods) {
			return corev1.ResourceName(account.Resource)
		}
	}
	return corev1.ResourceCPU
}
