package run

import (
	"slices"

	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// adapt returns the profiles with our plugin in the place of DefaultBinder. All else stays, unless nothing may be
// written: plugins that bind, or do something just before or after it, are left out then.
func (l *Loop) adapt(profiles []schedulerapi.KubeSchedulerProfile) []schedulerapi.KubeSchedulerProfile {
	var adapted []schedulerapi.KubeSchedulerProfile
	for _, profile := range profiles {
		profile = *profile.DeepCopy()
		plugins := profile.Plugins
		own := schedulerapi.Plugin{Name: pluginName}
		if l.options.DryRun {
			keepOnly(&plugins.PreBind, plugins.MultiPoint)
			keepOnly(&plugins.Bind, plugins.MultiPoint)
			keepOnly(&plugins.PostBind, plugins.MultiPoint)
			plugins.Bind.Enabled = append(plugins.Bind.Enabled, own)
		} else {
			bindInstead(&plugins.MultiPoint)
			bindInstead(&plugins.Bind)
		}
		if !slices.ContainsFunc(plugins.PostBind.Enabled, isNamed(pluginName)) {
			plugins.PostBind.Enabled = append(plugins.PostBind.Enabled, own)
		}
		adapted = append(adapted, profile)
	}
	return adapted
}

// bindInstead puts our plugin where DefaultBinder is enabled or disabled.
func bindInstead(set *schedulerapi.PluginSet) {
	for _, list := range [][]schedulerapi.Plugin{set.Enabled, set.Disabled} {
		for i := range list {
			if list[i].Name == names.DefaultBinder {
				list[i].Name = pluginName
			}
		}
	}
}

// adaptExtenders returns the extenders; in a dry run they do not bind.
func (l *Loop) adaptExtenders(extenders []schedulerapi.Extender) []schedulerapi.Extender {
	adapted := slices.Clone(extenders)
	for i := range adapted {
		if l.options.DryRun {
			adapted[i].BindVerb = ""
		}
	}
	return adapted
}
