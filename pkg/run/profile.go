package run

import (
	"slices"
	"time"

	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
)

// all stands for every plugin in a list of disabled ones.
var all = []schedulerapi.Plugin{{Name: "*"}}

// checkSuffix ends the names of the profiles that judge a decision once more. No schedulerName ends like that.
const checkSuffix = "/check"

// adapt returns the profiles as a Session runs them, and for each a second one that judges its decisions once more.
func (s *Session) adapt(profiles []schedulerapi.KubeSchedulerProfile) []schedulerapi.KubeSchedulerProfile {
	var adapted []schedulerapi.KubeSchedulerProfile
	for _, profile := range profiles {
		profile = *profile.DeepCopy()
		s.adaptProfile(&profile)
		adapted = append(adapted, profile)
		if !s.static {
			adapted = append(adapted, checking(profile))
		}
	}
	return adapted
}

// adaptProfile makes our plugin bind, and nobody evict. Preempting is the only thing that PostFilter plugins are left
// out for; that of devices gives up allocations nobody uses. A Session that changes no cluster runs no plugin that
// would.
func (s *Session) adaptProfile(profile *schedulerapi.KubeSchedulerProfile) {
	plugins := profile.Plugins
	own := schedulerapi.Plugin{Name: pluginName}
	if !s.options.Sample {
		profile.PercentageOfNodesToScore = nil
	}
	keepOnly(&plugins.PostFilter, plugins.MultiPoint, names.DynamicResources)
	keepOnly(&plugins.PodGroupPostFilter, plugins.MultiPoint)
	plugins.Bind.Enabled = slices.DeleteFunc(plugins.Bind.Enabled, isNamed(names.DefaultBinder))
	plugins.Bind.Disabled = append(plugins.Bind.Disabled, schedulerapi.Plugin{Name: names.DefaultBinder})
	if s.static {
		keepOnly(&plugins.PreBind, plugins.MultiPoint)
		keepOnly(&plugins.Bind, plugins.MultiPoint)
		keepOnly(&plugins.PostBind, plugins.MultiPoint)
	}
	plugins.Permit.Enabled = append(plugins.Permit.Enabled, own)
	plugins.Bind.Enabled = append(plugins.Bind.Enabled, own)
	plugins.PostBind.Enabled = append(plugins.PostBind.Enabled, own)
	if s.options.Force {
		keepOnly(&plugins.PreFilter, plugins.MultiPoint, names.VolumeBinding, names.DynamicResources)
		keepOnly(&plugins.Filter, plugins.MultiPoint, names.VolumeBinding, names.DynamicResources)
	}
	limitVolumes(profile.PluginConfig, s.options.VolumeTimeout)
}

// checking returns the profile that judges the decisions of another one. It leaves out the plugins that have just bound
// in PreBind what they judge: their filters are for Pods whose volumes and devices are still to be found.
func checking(profile schedulerapi.KubeSchedulerProfile) schedulerapi.KubeSchedulerProfile {
	check := upstream.WithoutPlugins(profile, []string{names.VolumeBinding, names.DynamicResources})
	check.SchedulerName += checkSuffix
	plugins := check.Plugins
	for _, point := range []*schedulerapi.PluginSet{
		&plugins.PreEnqueue, &plugins.PostFilter, &plugins.PreScore, &plugins.Score, &plugins.Reserve, &plugins.Permit,
		&plugins.PreBind, &plugins.PostBind, &plugins.PodGroupPostFilter,
	} {
		*point = schedulerapi.PluginSet{Disabled: all}
	}
	return check
}

// keepOnly leaves of an extension point only these plugins, as far as the profile has them.
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

// adaptExtenders returns the extenders without what they must not do: in a Session that changes no cluster they do not
// bind, and where a node is forced they have no say in which nodes fit and which is best.
func (s *Session) adaptExtenders(extenders []schedulerapi.Extender) []schedulerapi.Extender {
	adapted := slices.Clone(extenders)
	for i := range adapted {
		adapted[i].PreemptVerb = ""
		if s.static {
			adapted[i].BindVerb = ""
		}
		if s.options.Force {
			adapted[i].FilterVerb, adapted[i].PrioritizeVerb = "", ""
		}
	}
	return adapted
}
