package upstream

import (
	"context"
	"fmt"
	"slices"
	"strings"

	fwk "k8s.io/kube-scheduler/framework"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	frameworkplugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// derivation tells how a framework differs from a profile's own.
type derivation struct {
	profile string
	// without are the plugins that are left out, sorted.
	without []string
	// lister is where nodes are read from.
	lister fwk.SharedLister
}

// derive returns a framework like the profile's but for what the derivation says. It is made once for each name.
func (s *Scheduler) derive(ctx context.Context, name string, d derivation) (framework.Framework, error) {
	key := strings.Join(append([]string{name, d.profile}, d.without...), "/")
	if fw, ok := s.derived[key]; ok {
		return fw, nil
	}
	registry := frameworkplugins.NewInTreeRegistry()
	if err := registry.Merge(s.outOfTree); err != nil {
		return nil, fmt.Errorf("deriving from profile %q: %w", d.profile, err)
	}
	own := s.sched.Profiles[d.profile]
	profile := WithoutPlugins(s.profiles[d.profile], d.without)
	// What a framework starts ends with the Scheduler, not with the question for which it is made.
	ctx, stop := context.WithCancel(context.WithoutCancel(Quiet(ctx)))
	fw, err := frameworkruntime.NewFramework(ctx, registry, &profile,
		frameworkruntime.WithClientSet(own.ClientSet()),
		frameworkruntime.WithKubeConfig(own.KubeConfig()),
		frameworkruntime.WithEventRecorder(own.EventRecorder()),
		frameworkruntime.WithInformerFactory(own.SharedInformerFactory()),
		frameworkruntime.WithSharedDRAManager(own.SharedDRAManager()),
		frameworkruntime.WithSharedCSIManager(own.SharedCSIManager()),
		frameworkruntime.WithSnapshotSharedLister(d.lister),
		frameworkruntime.WithMutableSnapshotLister(s.snapshot),
		frameworkruntime.WithPodNominator(own),
		frameworkruntime.WithPodActivator(own),
		frameworkruntime.WithExtenders(own.Extenders()),
		frameworkruntime.WithPodGroupManager(own.PodGroupManager()),
		frameworkruntime.WithWaitingPods(frameworkruntime.NewWaitingPodsMap()),
		frameworkruntime.WithPodsInPreBind(frameworkruntime.NewPodsInPreBindMap()),
	)
	if err != nil {
		stop()
		return nil, fmt.Errorf("deriving from profile %q: %w", d.profile, err)
	}
	closed := s.stop
	s.stop = func() { stop(); closed() }
	s.derived[key] = fw
	return fw, nil
}

// WithoutPlugins returns the profile without these plugins at any extension point.
func WithoutPlugins(profile schedulerapi.KubeSchedulerProfile, names []string) schedulerapi.KubeSchedulerProfile {
	out := *profile.DeepCopy()
	plugins := out.Plugins
	for _, set := range []*schedulerapi.PluginSet{
		&plugins.MultiPoint, &plugins.PreEnqueue, &plugins.PreFilter, &plugins.Filter, &plugins.PostFilter,
		&plugins.PreScore, &plugins.Score, &plugins.Reserve, &plugins.Permit, &plugins.PreBind, &plugins.PostBind,
	} {
		set.Enabled = slices.DeleteFunc(set.Enabled, func(plugin schedulerapi.Plugin) bool {
			return slices.Contains(names, plugin.Name)
		})
	}
	return out
}
