package upstream

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
)

// next judges a Pod that was rejected before any node was looked at once more, without the plugins that did so, until
// nodes are looked at: what would come next if those were content. It is nil when no plugin can be set aside.
//
// It is no verdict: kube-scheduler never gets there.
func (s *Scheduler) next(ctx context.Context, profile string, pod *corev1.Pod, judgment *Judgment) (*Judgment, error) {
	var aside []string
	for last := judgment; !last.anyEvaluated(); {
		known := len(aside)
		aside = slices.Compact(slices.Sorted(slices.Values(append(aside, last.whole()...))))
		if len(aside) == known || len(last.Nodes) == 0 {
			return nil, nil
		}
		fw, err := s.derive(ctx, "next", derivation{profile: profile, without: aside, lister: s.snapshot})
		if err != nil {
			return nil, err
		}
		last = &Judgment{SetAside: aside, Gates: gates(Quiet(ctx), fw, pod), Nodes: s.notEvaluated()}
		if len(last.Gates) == 0 {
			if err := s.filter(Quiet(ctx), newCycle(fw, pod), last); err != nil {
				return nil, fmt.Errorf("judging what comes after %v: %w", aside, err)
			}
		}
		judgment = last
	}
	return judgment, nil
}

// volumePlugins read the Pod's claims: what one of them finds wrong with a claim NodeVolumeLimits finds again on each
// node.
var volumePlugins = []string{names.VolumeBinding, names.VolumeRestrictions, names.VolumeZone}

// whole are the plugins to set aside: those that reject the Pod as a whole, or leave none of the nodes.
func (j *Judgment) whole() []string {
	var plugins []string
	for _, gate := range j.Gates {
		plugins = append(plugins, gate.Plugin())
	}
	if j.PreFilter != nil && j.PreFilter.Plugin() != "" {
		plugins = append(plugins, j.PreFilter.Plugin())
	}
	plugins = append(plugins, j.Narrowed...)
	if slices.ContainsFunc(plugins, func(name string) bool { return slices.Contains(volumePlugins, name) }) {
		plugins = append(plugins, names.NodeVolumeLimits)
	}
	return plugins
}

func (j *Judgment) anyEvaluated() bool {
	return slices.ContainsFunc(j.Nodes, func(node NodeJudgment) bool { return node.Evaluated })
}
