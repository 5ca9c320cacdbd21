package upstream

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	frameworkplugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins"
)

// rawProfile is one entry of profiles as it stands in the file, before it is decoded. What has not the right type is
// passed over here: the decoder refuses it.
type rawProfile struct {
	label   string
	content map[string]any
}

// pluginSet is what a profile's plugins say for one extension point.
type pluginSet struct {
	point   string
	content map[string]any
}

func profilesOf(document map[string]any) []rawProfile {
	list, _ := document["profiles"].([]any)
	var profiles []rawProfile
	for i, entry := range list {
		content, ok := entry.(map[string]any)
		if !ok {
			continue
		}
		label := fmt.Sprintf("profiles[%d]", i)
		if name := nameOf(content, "schedulerName"); name != "" {
			label = fmt.Sprintf("profile %q", name)
		}
		profiles = append(profiles, rawProfile{label: label, content: content})
	}
	return profiles
}

// pluginSets are sorted by extension point.
func (p rawProfile) pluginSets() []pluginSet {
	plugins, _ := p.content["plugins"].(map[string]any)
	var sets []pluginSet
	for _, point := range slices.Sorted(maps.Keys(plugins)) {
		if content, ok := plugins[point].(map[string]any); ok {
			sets = append(sets, pluginSet{point: point, content: content})
		}
	}
	return sets
}

// pluginSet is empty, not nil, when the profile says nothing for the extension point.
func (p rawProfile) pluginSet(point string) pluginSet {
	for _, set := range p.pluginSets() {
		if set.point == point {
			return set
		}
	}
	return pluginSet{point: point}
}

func (p rawProfile) pluginConfigs() []map[string]any { return entriesOf(p.content, "pluginConfig") }
func (s pluginSet) enabled() []map[string]any        { return entriesOf(s.content, "enabled") }
func (s pluginSet) disabled() []map[string]any       { return entriesOf(s.content, "disabled") }

func entriesOf(object map[string]any, list string) []map[string]any {
	values, _ := object[list].([]any)
	var entries []map[string]any
	for _, value := range values {
		if entry, ok := value.(map[string]any); ok {
			entries = append(entries, entry)
		}
	}
	return entries
}

func hasPlugin(entries []map[string]any, name string) bool {
	return slices.ContainsFunc(entries, func(entry map[string]any) bool { return nameOf(entry, "name") == name })
}

func nameOf(object map[string]any, key string) string {
	name, _ := object[key].(string)
	return name
}

// checkPlugins refuses plugins that do not exist and warns of those that are disabled without existing.
func checkPlugins(profiles []rawProfile, outOfTree []string) (warnings []string, err error) {
	known := append(slices.Collect(maps.Keys(frameworkplugins.NewInTreeRegistry())), outOfTree...)
	slices.Sort(known)
	var errs []error
	refuse := func(p rawProfile, where string, entries []map[string]any) {
		for _, entry := range entries {
			if name := nameOf(entry, "name"); !slices.Contains(known, name) {
				errs = append(errs, fmt.Errorf("%s: %s: %s has no plugin %q%s", p.label, where, linkedScheduler, name,
					pluginAdvice(name, known)))
			}
		}
	}
	for _, p := range profiles {
		for _, set := range p.pluginSets() {
			refuse(p, "plugins."+set.point+".enabled", set.enabled())
			for _, entry := range set.disabled() {
				if name := nameOf(entry, "name"); name != "*" && !slices.Contains(known, name) {
					warnings = append(warnings, fmt.Sprintf(
						"%s: plugins.%s.disabled: %s has no plugin %q, so there is nothing to disable",
						p.label, set.point, linkedScheduler, name))
				}
			}
		}
		refuse(p, "pluginConfig", p.pluginConfigs())
	}
	return warnings, joinSorted(errs)
}

func pluginAdvice(name string, known []string) string {
	if i := slices.IndexFunc(removedPlugins, func(r removedPlugin) bool { return r.name == name }); i >= 0 {
		return " anymore; remove it: " + removedPlugins[i].instead
	}
	if near := nearest(name, known); len(near) > 0 {
		return "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return "; remove it or correct its name"
}
