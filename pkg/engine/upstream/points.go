package upstream

import (
	"fmt"
	"slices"
	"strings"
)

// PreEnqueuePlugins returns the plugins of a profile that decide whether a Pod enters the queue, in its order.
func (s *Scheduler) PreEnqueuePlugins(profile string) []string {
	var names []string
	if fw, ok := s.framework(profile); ok {
		for _, plugin := range fw.PreEnqueuePlugins() {
			names = append(names, plugin.Name())
		}
	}
	return names
}

// FilterPlugins returns the plugins of a profile that decide about nodes, in its order.
func (s *Scheduler) FilterPlugins(profile string) []string {
	var names []string
	if fw, ok := s.framework(profile); ok {
		for _, plugin := range fw.ListPlugins().Filter.Enabled {
			names = append(names, plugin.Name)
		}
	}
	return names
}

// CheckNode fails when no node has the name; the error tells which are spelled like it.
func (s *Scheduler) CheckNode(name string) error {
	if _, known := slices.BinarySearch(s.names, name); known {
		return nil
	}
	if near := nearest(name, s.names); len(near) > 0 {
		return fmt.Errorf("no node is named %q; did you mean %s?", name, strings.Join(near, " or "))
	}
	return fmt.Errorf("no node is named %q", name)
}
