//go:build e2e

package e2e

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// reportingController is who the events of `bind` are from.
const reportingController = "kubectl-sched"

// aftermath is what the API server knows when all is over.
type aftermath struct {
	pods  []corev1.Pod // sorted by namespace and name
	nodes map[string]*corev1.Node
	// scheduled are the Scheduled events of each Pod that are from `bind`.
	scheduled map[types.UID][]eventsv1.Event
}

func readAftermath(ctx context.Context, t *testing.T) *aftermath {
	t.Helper()
	pods, err := env.Client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := env.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	events, err := env.Client.EventsV1().Events("").List(ctx, metav1.ListOptions{
		FieldSelector: fields.OneTermEqualSelector("reason", "Scheduled").String(),
	})
	if err != nil {
		t.Fatal(err)
	}
	a := &aftermath{pods: pods.Items, nodes: map[string]*corev1.Node{}, scheduled: map[types.UID][]eventsv1.Event{}}
	slices.SortFunc(a.pods, func(x, y corev1.Pod) int {
		return cmp.Or(cmp.Compare(x.Namespace, y.Namespace), cmp.Compare(x.Name, y.Name))
	})
	for i := range nodes.Items {
		a.nodes[nodes.Items[i].Name] = &nodes.Items[i]
	}
	for _, event := range events.Items {
		if event.ReportingController == reportingController {
			a.scheduled[event.Regarding.UID] = append(a.scheduled[event.Regarding.UID], event)
		}
	}
	return a
}

// find returns the Pod of that UID; nil when it is gone.
func (a *aftermath) find(uid types.UID) *corev1.Pod {
	for i := range a.pods {
		if a.pods[i].UID == uid {
			return &a.pods[i]
		}
	}
	return nil
}

// unbound returns the names of those of the Pods that have no node.
func (a *aftermath) unbound(created []*corev1.Pod) []string {
	var names []string
	for _, pod := range created {
		if now := a.find(pod.UID); now != nil && now.Spec.NodeName == "" {
			names = append(names, pod.Name)
		}
	}
	return names
}

// lost complains about Pods that were created and are there no more, in spite of nobody having deleted them.
func (a *aftermath) lost(created []*corev1.Pod) []string {
	var complaints []string
	for _, pod := range created {
		if a.find(pod.UID) == nil {
			complaints = append(complaints, fmt.Sprintf("Pod %s is lost", pod.Name))
		}
	}
	return complaints
}

// moved complains about Pods that were on another node than the one they have, or on one that never existed.
func (a *aftermath) moved(watch *podWatch, removedNodes ...string) []string {
	var complaints []string
	for _, pod := range a.pods {
		if seen := watch.nodesOf(pod.UID); len(seen) > 1 {
			complaints = append(complaints, fmt.Sprintf("Pod %s was on %q, one after the other", pod.Name, seen))
		}
		node := pod.Spec.NodeName
		if node != "" && a.nodes[node] == nil && !slices.Contains(removedNodes, node) {
			complaints = append(complaints, fmt.Sprintf("Pod %s is on node %s, which never existed", pod.Name, node))
		}
	}
	return complaints
}

// untrue complains about results that say something else than what is.
func (a *aftermath) untrue(results []report.Binding, created []*corev1.Pod) []string {
	byName := map[string]*report.Binding{}
	var complaints []string
	for i, result := range results {
		name := result.Metadata.Namespace + "/" + result.Metadata.Name
		if byName[name] != nil {
			complaints = append(complaints, fmt.Sprintf("Pod %s has two results", name))
		}
		byName[name] = &results[i]
	}
	for _, pod := range created {
		result := byName[pod.Namespace+"/"+pod.Name]
		if result == nil {
			complaints = append(complaints, fmt.Sprintf("Pod %s has no result", pod.Name))
			continue
		}
		now := a.find(pod.UID)
		if now == nil {
			continue // whoever deleted it knows what to expect
		}
		if node := told(result); node != now.Spec.NodeName {
			complaints = append(complaints, fmt.Sprintf("Pod %s is on node %q; the result is %s, node %q, reason %q",
				pod.Name, now.Spec.NodeName, result.Result, result.NodeName, result.Reason))
		}
	}
	return complaints
}

// told is the node that a result says its Pod has.
func told(result *report.Binding) string {
	if result.Result == report.ResultBound || result.Result == report.ResultBoundElsewhere {
		return result.NodeName
	}
	return ""
}

// unsung complains about Pods that `bind` bound, and that do not have one Scheduled event each.
func (a *aftermath) unsung(results []report.Binding, created []*corev1.Pod) []string {
	var complaints []string
	for _, pod := range created {
		want := 0
		if resultOf(results, pod).Result == report.ResultBound {
			want = 1
		}
		if got := len(a.scheduled[pod.UID]); got != want {
			complaints = append(complaints, fmt.Sprintf("Pod %s has %d Scheduled events, want %d", pod.Name, got, want))
		}
	}
	return complaints
}
