package upstream

import (
	"context"
	"maps"

	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// Registry holds factories of plugins by name.
type Registry = frameworkruntime.Registry

// madePlugins are plugins by profile and name.
type madePlugins map[string]map[string]fwk.Plugin

// keep returns a registry that makes the same plugins and notes each that it makes.
func (m madePlugins) keep(registry Registry) Registry {
	kept := make(Registry, len(registry))
	for name, factory := range registry {
		kept[name] = func(ctx context.Context, args runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
			plugin, err := factory(ctx, args, handle)
			if err != nil {
				return nil, err
			}
			profile := handle.ProfileName()
			if m[profile] == nil {
				m[profile] = map[string]fwk.Plugin{}
			}
			m[profile][plugin.Name()] = plugin
			return plugin, nil
		}
	}
	return kept
}

// OutOfTree returns the plugins of a profile that are linked in beside the in-tree ones, by name.
func (s *Scheduler) OutOfTree(profile string) map[string]fwk.Plugin {
	return maps.Clone(s.made[profile])
}
