package upstream

import (
	"slices"

	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// leastAllocatedPlugin scored by default in v1beta1.
const leastAllocatedPlugin = "NodeResourcesLeastAllocated"

// mergeScoring moves the scoring plugins of resources into NodeResourcesFit, which since v1beta2 has one
// scoringStrategy. A profile that enables several of them keeps the last.
func (c *conversion) mergeScoring(p rawProfile) {
	score := p.pluginSet("score")
	chosen := lastStrategy(score.enabled())
	switch {
	case chosen.name != "":
		c.renameEnabled(p, score, chosen)
	case c.version != "v1beta1":
		// NodeResourcesFit scores by default, as in v1.
		return
	case hasPlugin(score.disabled(), leastAllocatedPlugin):
		for _, entry := range score.disabled() {
			if nameOf(entry, "name") == leastAllocatedPlugin {
				entry["name"] = names.NodeResourcesFit
			}
		}
		c.note("%s: plugins.score.disabled: %s became %s", p.label, leastAllocatedPlugin, names.NodeResourcesFit)
	case !hasPlugin(score.disabled(), "*"):
		chosen = strategyPlugin(leastAllocatedPlugin)
	}
	if chosen.name != "" {
		c.mergeArgs(p, chosen)
	}
}

func strategyPlugin(name string) removedPlugin {
	for _, removed := range removedPlugins {
		if removed.name == name && removed.strategy != "" {
			return removed
		}
	}
	return removedPlugin{}
}

func lastStrategy(entries []map[string]any) removedPlugin {
	for _, entry := range slices.Backward(entries) {
		if found := strategyPlugin(nameOf(entry, "name")); found.name != "" {
			return found
		}
	}
	return removedPlugin{}
}

// renameEnabled puts NodeResourcesFit in the chosen plugin's place, weight included.
func (c *conversion) renameEnabled(p rawProfile, score pluginSet, chosen removedPlugin) {
	leastIsOn := !hasPlugin(score.disabled(), leastAllocatedPlugin) && !hasPlugin(score.disabled(), "*")
	if c.version == "v1beta1" && leastIsOn && chosen.name != leastAllocatedPlugin {
		c.note("%s: plugins.score: %s, on by default in v1beta1, no longer scores beside %s", p.label,
			leastAllocatedPlugin, chosen.name)
	}
	if hasPlugin(score.enabled(), names.NodeResourcesFit) {
		removeNamed(score.content, "enabled", chosen.name)
	}
	for _, entry := range score.enabled() {
		if nameOf(entry, "name") == chosen.name {
			entry["name"] = names.NodeResourcesFit
		}
	}
	c.note("%s: plugins.score.enabled: %s became scoringStrategy %s of %s", p.label, chosen.name,
		chosen.strategy, names.NodeResourcesFit)
}

// mergeArgs makes the chosen plugin's args, if any, the scoringStrategy in the args of NodeResourcesFit.
func (c *conversion) mergeArgs(p rawProfile, chosen removedPlugin) {
	strategy := map[string]any{"type": chosen.strategy}
	for _, entry := range p.pluginConfigs() {
		if nameOf(entry, "name") != chosen.name {
			continue
		}
		args, ok := entry["args"].(map[string]any)
		if !ok && entry["args"] != nil {
			entry["name"] = names.NodeResourcesFit // of a wrong type, which the decoder says
			return
		}
		for key, value := range args {
			switch key {
			case "apiVersion", "kind":
			case "shape":
				strategy["requestedToCapacityRatio"] = map[string]any{"shape": value}
			default:
				strategy[key] = value
			}
		}
		removeNamed(p.content, "pluginConfig", chosen.name)
		c.note("%s: pluginConfig: %s became scoringStrategy of %s", p.label, chosen.name, names.NodeResourcesFit)
	}
	if chosen.name == leastAllocatedPlugin && len(strategy) == 1 {
		return // what NodeResourcesFit does by default
	}
	fitArgs(p)["scoringStrategy"] = strategy
}

// fitArgs returns the args of NodeResourcesFit in the profile's pluginConfig, which it adds when there are none.
func fitArgs(p rawProfile) map[string]any {
	for _, entry := range p.pluginConfigs() {
		if nameOf(entry, "name") == names.NodeResourcesFit {
			return childObject(entry, "args")
		}
	}
	args := map[string]any{}
	appendEntry(p.content, "pluginConfig", map[string]any{"name": names.NodeResourcesFit, "args": args})
	return args
}
