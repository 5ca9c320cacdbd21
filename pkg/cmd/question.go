package cmd

import (
	"context"

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
func aboutStored(state *cluster.State, object cluster.Object, admit *admitter) []question {
	if pod, ok := object.(*corev1.Pod); ok {
		return []question{aboutPods([]*corev1.Pod{pod})}
	}
	var asked []question
	for _, group := range engine.Group(engine.Pending(state, object)) {
		asked = append(asked, aboutPods(group))
	}
	if len(asked) == 0 {
		asked = append(asked, admit.aboutManifest(object))
	}
	return asked
}

// failing is a question that has failed already.
func failing(err error) question {
	return func(context.Context, *engine.Engine) (*report.Explanation, error) { return nil, err }
}
