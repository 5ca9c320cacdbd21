package upstream

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// score runs the Score plugins over the feasible nodes as upstream's prioritizeNodes does. With one feasible node
// kube-scheduler does not score, and neither do we.
func (s *Scheduler) score(ctx context.Context, c cycle, infos []fwk.NodeInfo) ([]fwk.NodePluginScores, error) {
	if len(infos) < 2 || !c.framework.HasScorePlugins() && len(s.sched.Extenders) == 0 {
		return nil, nil
	}
	if status := c.framework.RunPreScorePlugins(ctx, c.state, c.pod, infos); !status.IsSuccess() {
		return nil, status.AsError()
	}
	scores, status := c.framework.RunScorePlugins(ctx, c.state, c.pod, infos)
	if !status.IsSuccess() {
		return nil, status.AsError()
	}
	s.prioritize(c.pod, infos, scores)
	return scores, nil
}

// prioritize adds the scores of the extenders. Like upstream, it goes on without an extender that fails.
func (s *Scheduler) prioritize(pod *corev1.Pod, infos []fwk.NodeInfo, scores []fwk.NodePluginScores) {
	byName := make(map[string]*fwk.NodePluginScores, len(scores))
	for i := range scores {
		byName[scores[i].Name] = &scores[i]
	}
	for _, extender := range s.sched.Extenders {
		if !extender.IsInterested(pod) || !extender.IsPrioritizer() {
			continue
		}
		priorities, weight, err := extender.Prioritize(pod, infos)
		if err != nil {
			continue
		}
		for _, priority := range *priorities {
			if node := byName[priority.Host]; node != nil {
				weighted := priority.Score * weight * (fwk.MaxScore / extenderv1.MaxExtenderPriority)
				node.RawScores = append(node.RawScores, fwk.PluginScore{Name: extender.Name(), Score: priority.Score})
				node.Scores = append(node.Scores, fwk.PluginScore{Name: extender.Name(), Score: weighted})
				node.TotalScore += weighted
			}
		}
	}
}

// Weights returns the weight of every Score plugin of a profile.
func (s *Scheduler) Weights(profile string) map[string]int64 {
	weights := map[string]int64{}
	if fw, ok := s.framework(profile); ok {
		for _, plugin := range fw.ListPlugins().Score.Enabled {
			weights[plugin.Name] = int64(plugin.Weight)
		}
	}
	return weights
}
