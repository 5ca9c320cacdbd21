package upstream

import (
	"fmt"
	"slices"
	"strings"

	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// conversion rewrites one document of an old version to v1 and notes what that changed. It works on the plain document,
// not on types of the old version, so that all it does not know stays for the strict decoder of v1 to refuse.
type conversion struct {
	version  string
	warnings []string
}

// profileSteps run over every profile, in this order: what became something else goes before what is just dropped.
var profileSteps = []func(*conversion, rawProfile){
	(*conversion).mergeScoring,
	(*conversion).dropPlugins,
	(*conversion).dropUnreserve,
	(*conversion).listConstraints,
	(*conversion).renameArgsVersion,
}

// convert turns the document into v1 in place. It returns one warning for the version and one for each thing that was
// dropped or renamed, or that means something else in v1.
func convert(version string, document map[string]any) []string {
	c := &conversion{version: version}
	c.note("is %s/%s, read here as %s/%s: %s itself refuses it",
		schedulerapi.GroupName, version, schedulerapi.GroupName, currentVersion, linkedScheduler)
	document["apiVersion"] = schedulerapi.GroupName + "/" + currentVersion
	c.dropFields(document)
	c.renameLock(document)
	c.disablePreemption(document)
	profiles := profilesOf(document)
	for _, p := range profiles {
		for _, step := range profileSteps {
			step(c, p)
		}
	}
	c.noteWeights(profiles)
	return c.warnings
}

func (c *conversion) note(format string, args ...any) {
	c.warnings = append(c.warnings, fmt.Sprintf(format, args...))
}

func (c *conversion) dropFields(document map[string]any) {
	for _, removed := range removedFields {
		if _, ok := document[removed.name]; ok {
			delete(document, removed.name)
			c.note("%s was dropped: %s", removed.name, removed.why)
		}
	}
}

// renameLock keeps a leader election that v1 would refuse from hiding the answer, which does not depend on it.
func (c *conversion) renameLock(document map[string]any) {
	election, _ := document["leaderElection"].(map[string]any)
	if lock := nameOf(election, "resourceLock"); slices.Contains(removedLocks, lock) {
		election["resourceLock"] = "leases"
		c.note("leaderElection.resourceLock %s became leases, the only one in v1", lock)
	}
}

// disablePreemption turns v1beta1's switch into the plugin that does preemption, in every profile.
func (c *conversion) disablePreemption(document map[string]any) {
	disabled, ok := document["disablePreemption"].(bool)
	if !ok || c.version != "v1beta1" {
		return
	}
	delete(document, "disablePreemption")
	if !disabled {
		c.note("disablePreemption was dropped: false is what v1 does")
		return
	}
	c.note("disablePreemption became DefaultPreemption in plugins.postFilter.disabled")
	if list, ok := document["profiles"].([]any); document["profiles"] == nil || ok && len(list) == 0 {
		document["profiles"] = []any{map[string]any{}}
	}
	for _, p := range profilesOf(document) {
		postFilter := childObject(childObject(p.content, "plugins"), "postFilter")
		appendEntry(postFilter, "disabled", map[string]any{"name": names.DefaultPreemption})
	}
}

// childObject returns the object under key. It makes one where there is none; where something else is, it returns a
// spare one, and the decoder refuses what is there.
func childObject(object map[string]any, key string) map[string]any {
	if existing, ok := object[key].(map[string]any); ok {
		return existing
	}
	made := map[string]any{}
	if object[key] == nil {
		object[key] = made
	}
	return made
}

// appendEntry leaves alone what is no list, for the decoder to refuse.
func appendEntry(object map[string]any, key string, entry map[string]any) {
	if list, ok := object[key].([]any); ok || object[key] == nil {
		object[key] = append(list, entry)
	}
}

func (c *conversion) dropPlugins(p rawProfile) {
	for _, removed := range removedPlugins {
		drop := func(object map[string]any, list, where string) {
			if removeNamed(object, list, removed.name) {
				c.note("%s: %s: %s was dropped: %s", p.label, where, removed.name, removed.instead)
			}
		}
		for _, set := range p.pluginSets() {
			drop(set.content, "enabled", "plugins."+set.point+".enabled")
			drop(set.content, "disabled", "plugins."+set.point+".disabled")
		}
		drop(p.content, "pluginConfig", "pluginConfig")
	}
}

// removeNamed takes the entries of that name out of the list and tells whether there were any.
func removeNamed(object map[string]any, list, name string) bool {
	values, _ := object[list].([]any)
	kept := slices.DeleteFunc(values, func(value any) bool {
		entry, ok := value.(map[string]any)
		return ok && nameOf(entry, "name") == name
	})
	if len(kept) == len(values) {
		return false
	}
	object[list] = kept
	return true
}

// dropUnreserve drops the extension point that v1beta1 merged into reserve.
func (c *conversion) dropUnreserve(p rawProfile) {
	plugins, _ := p.content["plugins"].(map[string]any)
	if _, ok := plugins["unreserve"]; ok && c.version == "v1beta1" {
		delete(plugins, "unreserve")
		c.note("%s: plugins.unreserve was dropped: plugins of reserve undo what they reserved", p.label)
	}
}

// listConstraints spells out v1beta1's default for constraints that are given without a defaultingType.
func (c *conversion) listConstraints(p rawProfile) {
	for _, entry := range p.pluginConfigs() {
		args, _ := entry["args"].(map[string]any)
		constraints, _ := args["defaultConstraints"].([]any)
		if c.version != "v1beta1" || nameOf(entry, "name") != names.PodTopologySpread || len(constraints) == 0 {
			continue
		}
		if args["defaultingType"] == nil {
			args["defaultingType"] = "List"
			c.note("%s: pluginConfig: PodTopologySpread got defaultingType List, v1beta1's default beside "+
				"defaultConstraints", p.label)
		}
	}
}

// renameArgsVersion is for args that carry an apiVersion of their own.
func (c *conversion) renameArgsVersion(p rawProfile) {
	for _, entry := range p.pluginConfigs() {
		args, _ := entry["args"].(map[string]any)
		if args["apiVersion"] == schedulerapi.GroupName+"/"+c.version {
			args["apiVersion"] = schedulerapi.GroupName + "/" + currentVersion
		}
	}
}

// noteWeights warns when a profile scores with default weights that v1beta3 raised.
func (c *conversion) noteWeights(profiles []rawProfile) {
	if c.version == "v1beta3" {
		return
	}
	if len(profiles) == 0 {
		profiles = []rawProfile{{}}
	}
	var raised []string
	for _, weight := range raisedWeights {
		if slices.ContainsFunc(profiles, func(p rawProfile) bool { return p.scoresByDefault(weight.plugin) }) {
			raised = append(raised, fmt.Sprintf("%s %d (was %d)", weight.plugin, weight.now, weight.was))
		}
	}
	if len(raised) > 0 {
		c.note("default score weights are those of v1: %s; to keep the old ones, write them in plugins.score.enabled",
			strings.Join(raised, ", "))
	}
}

// scoresByDefault tells whether the plugin scores without the profile saying so.
func (p rawProfile) scoresByDefault(plugin string) bool {
	score := p.pluginSet("score")
	return !hasPlugin(score.enabled(), plugin) && !hasPlugin(score.disabled(), plugin) && !hasPlugin(score.disabled(), "*")
}
