package run

import (
	"slices"
	"time"

	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// all stands for every plugin in a list of disabled ones.
var all = []schedulerapi.Plugin{{Name: "*"}}

// adapt returns the profiles as a Session runs them: our plugin binds, and nobody is evicted. Preempting is the only
// thing that PostFilter plugins are left out for; that of devices gives up allocations nobody uses.
func (s *Session) adapt(profiles []schedulerapi.KubeSchedulerProfile) []schedulerapi.KubeSchedulerProfile {
	adapted := make([]schedulerapi.KubeSchedulerProfile, 0, len(profiles))
	for _, profile := range profiles {
		profile = *profile.DeepCopy()
		if !s.options.Sample {
			profile.PercentageOfNodesToScore = nil
		}
		plugins := profile.Plugins
		keepOnly(&plugins.PostFilter, plugins.MultiPoint, names.DynamicResources)
		keepOnly(&plugins.PodGroupPostFilter, plugins.MultiPoint)
		plugins.Bind.Enabled = slices.DeleteFunc(plugins.Bind.Enabled, isNamed(names.DefaultBinder))
		plugins.Bind.Disabled = append(plugins.Bind.Disabled, schedulerapi.Plugin{Name: names.DefaultBinder})
		plugins.MultiPoint.Enabled = append(plugins.MultiPoint.Enabled, schedulerapi.Plugin{Name: pluginName})
		if s.static {
			keepOnly(&plugins.PreBind, plugins.MultiPoint)
		}
		if s.options.Force {
			keepOnly(&plugins.PreFilter, plugins.MultiPoint, names.VolumeBinding, names.DynamicResources)
			keepOnly(&plugins.Filter, plugins.MultiPoint, names.VolumeBinding, names.DynamicResources)
		}
		limitVolumes(profile.PluginConfig, s.options.VolumeTimeout)
		adapted = append(adapted, profile)
	}
	return adapted
}

// keepOnly leaves of an extension point only the plugins of these names, as far as the profile has them.
func keepOnly(point *schedulerapi.PluginSet, multi schedulerapi.PluginSet, plugins ...string) {
	var kept []schedulerapi.Plugin
	for _, name := range plugins {
		disabled := slices.ContainsFunc(point.Disabled, func(plugin schedulerapi.Plugin) bool {
			return plugin.Name == name || plugin.Name == "*"
		})
		if slices.ContainsFunc(point.Enabled, isNamed(name)) ||
			!disabled && slices.ContainsFunc(multi.Enabled, isNamed(name)) {
			kept = append(kept, schedulerapi.Plugin{Name: name})
		}
	}
	*point = schedulerapi.PluginSet{Enabled: kept, Disabled: all}
}

func isNamed(name string) func(schedulerapi.Plugin) bool {
	return func(plugin schedulerapi.Plugin) bool { return plugin.Name == name }
}

// limitVolumes sets how long volumes may take to be bound, unless it is 0.
func limitVolumes(configs []schedulerapi.PluginConfig, timeout time.Duration) {
	if timeout == 0 {
		return
	}
	for i := range configs {
		if args, ok := configs[i].Args.(*schedulerapi.VolumeBindingArgs); ok {
			args.BindTimeoutSeconds = max(1, int64(timeout/time.Second))
		}
	}
}

// withoutVerdict returns the extenders without their say in which nodes fit and which is best.
func withoutVerdict(extenders []schedulerapi.Extender) []schedulerapi.Extender {
	silent := slices.Clone(extenders)
	for i := range silent {
		silent[i].FilterVerb, silent[i].PrioritizeVerb = "", ""
	}
	return silent
}
