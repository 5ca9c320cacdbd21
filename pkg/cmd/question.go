package cmd

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// question is one thing asked of the engine.
type question func(context.Context, *engine.Engine) (*report.Explanation, error)

// aboutPods asks for stored Pods that share one answer.
func aboutPods(pods []*corev1.Pod) question {
	return func(ctx context.Context, e *engine.Engine) (*report.Explanation, error) {
		answer, err := e.Explain(ctx, pods[0])
		if err == nil && len(pods) > 1 {
			for _, pod := range pods {
				answer.Pods = append(answer.Pods, pod.Name)
			}
		}
		return answer, err
	}
}

// aboutStored asks for an object of the cluster: of a workload for its pending Pods, else for its template.
func aboutStored(state *cluster.State, object cluster.Object) []question {
	if pod, ok := object.(*corev1.Pod); ok {
		return []question{aboutPods([]*corev1.Pod{pod})}
	}
	var asked []question
	for _, group := range engine.Group(engine.Pending(state, object)) {
		asked = append(asked, aboutPods(group))
	}
	if len(asked) == 0 {
		asked = append(asked, aboutManifest(object))
	}
	return asked
}

// aboutManifest asks for a Pod or workload that is not in the cluster, by the admission emulated here.
func aboutManifest(object cluster.Object) question {
	return func(ctx context.Context, e *engine.Engine) (*report.Explanation, error) {
		if set, ok := object.(*appsv1.DaemonSet); ok {
			return e.ExplainDaemonSet(ctx, set)
		}
		answer, err := e.ExplainManifest(ctx, engine.Template(object))
		if err == nil {
			rename(answer, object)
		}
		return answer, err
	}
}

// rename gives the answer for a template the name of its workload.
func rename(answer *report.Explanation, object cluster.Object) {
	answer.Metadata.Name = object.GetName()
	answer.Metadata.Kind = lowerKind(object)
}
