package engine

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// ExplainDaemonSet answers for a DaemonSet as its controller makes it: one Pod per node that it wants, with that node's
// affinity. Each node of the answer is the judgement of its own Pod; a node that the controller wants no Pod on is
// NotEvaluated. Pods that the DaemonSet has already are judged as if they were not there yet.
//
// The verdict is Schedulable when every wanted Pod fits. Message and Preemption are those of the first that does not.
func (e *Engine) ExplainDaemonSet(ctx context.Context, set *appsv1.DaemonSet) (*report.Explanation, error) {
	out := report.NewExplanation(report.Metadata{Namespace: set.Namespace, Name: set.Name, Kind: "daemonset.apps"})
	out.Warnings = append(out.Warnings, e.warnings...)
	out.Verdict = report.Schedulable
	err := e.scheduler.Without(ctx, e.podsOf(set), func() error {
		for _, node := range e.state.Nodes {
			if err := e.explainDaemonPod(ctx, set, node, out); err != nil || out.Verdict == report.Invalid {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	sortNodes(out.Nodes)
	return out, nil
}

// podsOf returns the Pods of a DaemonSet that have a node.
func (e *Engine) podsOf(set *appsv1.DaemonSet) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, pod := range e.state.Pods {
		if pod.Namespace != set.Namespace || pod.Spec.NodeName == "" {
			continue
		}
		if owner := metav1.GetControllerOf(pod); owner != nil && owner.Kind == "DaemonSet" && owner.Name == set.Name {
			pods = append(pods, pod)
		}
	}
	return pods
}

// explainDaemonPod adds the judgement of the DaemonSet's Pod for one node.
func (e *Engine) explainDaemonPod(ctx context.Context, set *appsv1.DaemonSet, node *corev1.Node,
	out *report.Explanation,
) error {
	manifest := upstream.DaemonPod(ctx, set, node)
	if manifest == nil {
		out.Nodes = append(out.Nodes, report.Node{
			Name:    node.Name,
			Verdict: report.NotEvaluated,
			Filters: []report.Rejection{},
			Scores:  []report.Score{},
		})
		return nil
	}
	manifest.Name = set.Name + "-" + node.Name
	answer, err := e.ExplainManifest(ctx, manifest)
	if err != nil {
		return err
	}
	for _, judged := range answer.Nodes {
		if judged.Name == node.Name {
			out.Nodes = append(out.Nodes, judged)
		}
	}
	out.Profile = answer.Profile
	if answer.Verdict != report.Schedulable && out.Verdict == report.Schedulable {
		out.Verdict, out.Message = answer.Verdict, answer.Message
		out.PreFilter, out.Preemption = answer.PreFilter, answer.Preemption
	}
	return nil
}
