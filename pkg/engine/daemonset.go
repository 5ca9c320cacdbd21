package engine

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine/reason"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// ExplainDaemonSet answers for a DaemonSet as its controller makes it: one Pod per node that it wants, with that node's
// affinity. Each node of the answer is the judgment of its own Pod; a node that the controller wants no Pod on is
// NotEvaluated. Pods that the DaemonSet has already are judged as if they were not there yet.
//
// The verdict is Schedulable when every wanted Pod fits. Message and Preemption are those of the first that does not.
func (e *Engine) ExplainDaemonSet(ctx context.Context, set *appsv1.DaemonSet) (*report.Explanation, error) {
	out := report.NewExplanation(report.Metadata{Namespace: set.Namespace, Name: set.Name, Kind: "daemonset.apps"})
	out.Warnings = append(out.Warnings, e.warnings...)
	out.Verdict, out.Admission = report.Schedulable, report.AdmittedLocally
	err := e.scheduler.Without(ctx, e.daemonPods(set), func() error {
		for _, node := range e.state.Nodes {
			if err := e.explainDaemonPod(ctx, set, node, out); err != nil {
				return err
			}
			if out.Verdict == report.Invalid || out.Verdict == report.NoProfile {
				return nil
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

// daemonPods returns the Pods of a DaemonSet that have a node.
func (e *Engine) daemonPods(set *appsv1.DaemonSet) []*corev1.Pod {
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

// explainDaemonPod adds the judgment of the DaemonSet's Pod for one node.
func (e *Engine) explainDaemonPod(ctx context.Context, set *appsv1.DaemonSet, node *corev1.Node,
	out *report.Explanation,
) error {
	manifest := upstream.DaemonPod(ctx, set, node)
	if manifest == nil {
		out.Nodes = append(out.Nodes, emptyNode(node.Name))
		if node.Name == e.node {
			out.Story = report.NewStory(node.Name)
		}
		return nil
	}
	manifest.Name = set.Name + "-xxxxx"
	if set.UID != "" {
		manifest.OwnerReferences = []metav1.OwnerReference{
			*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("DaemonSet"))}
	}
	stored, err := e.admission.Admit(ctx, manifest)
	if err != nil {
		refuse(out, err)
		return ctx.Err()
	}
	profile := e.profileOf(stored)
	if !e.scheduler.Serves(profile) {
		out.Verdict, out.Message = report.NoProfile, e.noProfile(profile)
		return nil
	}
	out.Profile = profile
	subject := upstream.WithClaims(e.state, stored, nil)
	return e.judged(ctx, profile, subject, func(judgment *upstream.Judgment, explainer *reason.Explainer) error {
		e.tellDaemonPod(ctx, node.Name, judgment, explainer, out)
		if (len(judgment.Gates) > 0 || judgment.Host == "") && out.Verdict == report.Schedulable {
			addFailure(out, judgment)
			return e.fixesOfFailure(ctx, subject, judgment, explainer, out)
		}
		return nil
	})
}

// tellDaemonPod adds what was found on the node of one Pod.
func (e *Engine) tellDaemonPod(ctx context.Context, node string, judgment *upstream.Judgment,
	explainer *reason.Explainer, out *report.Explanation,
) {
	for i := range judgment.Nodes {
		if judged := &judgment.Nodes[i]; judged.Info.Node().Name == node {
			out.Nodes = append(out.Nodes, daemonNode(ctx, judged, judgment, explainer))
		}
	}
	if out.Requests == nil { // they are the same for all of its Pods
		out.Requests, out.LargerThanAnyNode = explainer.Requests()
	}
	if node == e.node {
		out.Story = e.story(out.Profile, judgment, explainer, out.Nodes)
	}
}

// fixesOfFailure looks for what makes the first Pod that does not fit do so. Its affinity names its node, so that all
// that is changed is about that node.
func (e *Engine) fixesOfFailure(ctx context.Context, subject upstream.Subject, judgment *upstream.Judgment,
	explainer *reason.Explainer, out *report.Explanation,
) error {
	first := report.NewExplanation(out.Metadata)
	first.Profile = out.Profile
	fill(ctx, first, judgment, explainer, nil)
	err := e.fixes(ctx, subject, first)
	out.Fixes, out.FixesTried = first.Fixes, first.FixesTried
	return err
}

// daemonNode is the row of a wanted node. A Pod that is rejected as a whole is a no to its only node.
func daemonNode(ctx context.Context, judged *upstream.NodeJudgment, judgment *upstream.Judgment,
	explainer *reason.Explainer,
) report.Node {
	row := node(ctx, judged, explainer)
	if row.Verdict == report.NotEvaluated {
		row.Verdict, row.Filters = report.Rejected, preFilters(ctx, judgment, explainer)
	}
	return row
}

// addFailure makes the answer of the first Pod that does not fit the DaemonSet's.
func addFailure(out *report.Explanation, judgment *upstream.Judgment) {
	out.Verdict = report.Unschedulable
	if len(judgment.Gates) > 0 {
		out.Verdict = report.Gated
	}
	out.Message = judgment.Message
	out.Preemption = preemption(judgment.Preemption)
}
