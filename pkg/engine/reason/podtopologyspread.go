package reason

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// podTopologySpread gives the numbers behind each constraint that the Pod would break. The plugin exports none of them:
// they are counted anew, as podtopologyspread.PodTopologySpread.calPreFilterState and Filter do (v1.37.2).
func podTopologySpread(ctx context.Context, q Question) explain {
	s := spread{pod: q.Pod, constraints: spreadConstraints(q), reach: newReach(q.Pod)}
	infos, err := q.Handle.SnapshotSharedLister().NodeInfos().List()
	if err != nil || len(s.constraints) == 0 {
		return nil
	}
	s.count(ctx, q.Handle.Parallelizer(), infos)
	return func(_ context.Context, r rejection) report.Details {
		if r.node == nil {
			return nil
		}
		nominated := nominatedOn(q.Handle, r.node)
		if details := s.broken(r.node.Node(), nominated); len(details) > 0 || len(nominated) == 0 {
			return details
		}
		// Filters run with the nominated Pods and without: without them, the minimum may be lower.
		return s.broken(r.node.Node(), nil)
	}
}

// nominatedOn returns the nominated Pods that the filters took into account on a node.
func nominatedOn(handle fwk.Handle, seen fwk.NodeInfo) []fwk.PodInfo {
	info, err := handle.SnapshotSharedLister().NodeInfos().Get(seen.Node().Name)
	if err != nil || len(info.GetPods()) > len(seen.GetPods()) {
		return nil
	}
	return seen.GetPods()[len(info.GetPods()):]
}

// spread is how the Pods that a Pod's constraints are about are spread over the nodes.
type spread struct {
	pod         *corev1.Pod
	constraints []*spreadConstraint
	reach       reach
}

// count counts the matching Pods by domain. A node that lacks the label of any constraint counts for none.
func (s *spread) count(ctx context.Context, parallel fwk.Parallelizer, infos []fwk.NodeInfo) {
	matching := make([][]int, len(infos))
	parallel.Until(ctx, len(infos), func(i int) {
		if s.hasKeys(infos[i].Node()) {
			matching[i] = make([]int, len(s.constraints))
			for j, c := range s.constraints {
				matching[i][j] = countMatching(infos[i].GetPods(), c.selector, s.pod.Namespace)
			}
		}
	}, "PodTopologySpread")
	for i, info := range infos {
		if matching[i] == nil {
			continue
		}
		reached := s.reach.of(info.Node())
		for j, c := range s.constraints {
			c.add(info.Node(), reached, matching[i][j])
		}
	}
	for _, c := range s.constraints {
		c.settle()
	}
}

func (s *spread) hasKeys(node *corev1.Node) bool {
	for _, c := range s.constraints {
		if _, ok := node.Labels[c.key]; !ok {
			return false
		}
	}
	return true
}

// countMatching counts as podtopologyspread.countPodsMatchSelector does (v1.37.2): Pods that are being deleted do not
// count, and an empty selector counts none although the Pod itself matches it.
func countMatching(pods []fwk.PodInfo, selector labels.Selector, namespace string) int {
	if selector.Empty() {
		return 0
	}
	count := 0
	for _, info := range pods {
		pod := info.GetPod()
		if pod.DeletionTimestamp == nil && pod.Namespace == namespace && selector.Matches(labels.Set(pod.Labels)) {
			count++
		}
	}
	return count
}

// broken returns the constraints that the Pod would break on the node.
func (s *spread) broken(node *corev1.Node, nominated []fwk.PodInfo) report.Details {
	details := report.Details{}
	counts := s.hasKeys(node)
	reached := s.reach.of(node)
	for _, c := range s.constraints {
		detail := c.detail()
		domain, ok := node.Labels[c.key]
		if !ok {
			detail.Missing = true
			details = append(details, detail)
			continue
		}
		seen := spreadNode{domain: domain, reached: reached}
		if counts {
			seen.nominated = countNominated(nominated, c.selector, s.pod.Namespace)
		}
		if c.fill(&detail, seen) {
			details = append(details, detail)
		}
	}
	return details
}

// countNominated counts as podtopologyspread.PodTopologySpread.updateWithPod does (v1.37.2).
func countNominated(pods []fwk.PodInfo, selector labels.Selector, namespace string) int {
	count := 0
	for _, info := range pods {
		if pod := info.GetPod(); pod.Namespace == namespace && selector.Matches(labels.Set(pod.Labels)) {
			count++
		}
	}
	return count
}
