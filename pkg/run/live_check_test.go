package run_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
	"github.com/kubectl-sched/kubectl-sched/pkg/run"
)

// A decision is judged on what the watches have told until just before the Binding.
func TestWhatHappensBetweenDecisionAndBinding(t *testing.T) {
	unfit := func(reason string) error { return &run.NoLongerFitsError{Node: "n1", Reasons: []string{reason}} }
	onNode := func(change func(*corev1.Node)) func(*apiServer) {
		return func(s *apiServer) { edit(s.store, nodeN1, change) }
	}
	adds := func(text string) func(*apiServer) { return func(s *apiServer) { s.add(text) } }
	for what, c := range map[string]struct {
		happens func(*apiServer)
		refused error
		want    string
		sent    int32 // Bindings
	}{
		"the node is cordoned": {
			happens: onNode(func(node *corev1.Node) { node.Spec.Unschedulable = true }),
			refused: unfit("node(s) were unschedulable"),
			want:    "a Bound n2", sent: 1,
		},
		"the node is tainted": {
			happens: onNode(func(node *corev1.Node) {
				node.Spec.Taints = []corev1.Taint{{Key: "sick", Effect: corev1.TaintEffectNoSchedule}}
			}),
			refused: unfit("node(s) had untolerated taint(s)"),
			want:    "a Bound n2", sent: 1,
		},
		"the node shrinks": {
			happens: onNode(func(node *corev1.Node) { node.Status.Allocatable[corev1.ResourceCPU] = resource.MustParse("500m") }),
			refused: unfit("Insufficient cpu"),
			want:    "a Bound n2", sent: 1,
		},
		"the node is removed": {
			happens: func(s *apiServer) { s.remove(nodeN1) },
			refused: &run.NodeGoneError{Node: "n1"},
			want:    "a Bound n2", sent: 1,
		},
		"somebody else's Pod fills the node": {
			happens: adds(podText("other", "4", "nodeName: n1")),
			refused: unfit("Insufficient cpu"),
			want:    "a Bound n2", sent: 1,
		},
		"somebody else's Pod on the node keeps it away": {
			happens: adds(podText("other", "1", "nodeName: n1", strings.ReplaceAll(antiAffinity, "app: self", "app: a"))),
			refused: unfit("node(s) didn't satisfy existing pods anti-affinity rules"),
			want:    "a Bound n2", sent: 1,
		},
		"the Pod is deleted": {
			happens: func(s *apiServer) { s.remove(podA) },
			refused: &bind.GoneError{},
			want:    "a Gone: the pod was deleted",
		},
		"the Pod is being deleted": {
			happens: adds(strings.Replace(podText("a", "1"), "uid:", "deletionTimestamp: 2026-01-01T00:00:00Z, uid:", 1)),
			want:    "a Gone: the pod is being deleted",
		},
		"the Pod is replaced by one of its name": {
			happens: adds(strings.Replace(podText("a", "1"), "uid-a", "uid-new", 1)),
			refused: &bind.GoneError{Replaced: true},
			want:    "a Gone: the pod was deleted, and another one has its name now",
		},
		"somebody else binds the Pod": {
			happens: func(s *apiServer) { edit(s.store, podA, func(pod *corev1.Pod) { pod.Spec.NodeName = "n2" }) },
			refused: &bind.BoundElsewhereError{NodeName: "n2"},
			want:    "a BoundElsewhere n2: somebody else bound the pod to node n2",
		},
	} {
		t.Run(what, func(t *testing.T) {
			server := newAPIServer(t, nodeText("n1"), nodeText("n2"), podText("a", "1"))
			binder := server.binder()
			var once sync.Once
			var refused error
			meanwhile := func(ctx context.Context, target bind.Target, check bind.Check) (int, error) {
				once.Do(func() {
					c.happens(server)
					waitUntil(t, "the check refuses", func() bool {
						refused = check(ctx)
						return refused != nil
					})
				})
				return binder.Bind(ctx, target, check)
			}
			bindings := bindWaiting(t, server.session(run.Options{Binder: binderFunc(meanwhile)}))
			if diff := cmp.Diff([]string{c.want}, lines(bindings)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.refused, refused); c.refused != nil && diff != "" {
				t.Errorf("the check said (-want +got):\n%s", diff)
			}
			if sent := server.bindings.Load(); sent != c.sent || bindings[0].Tries != int(sent) {
				t.Errorf("%d Bindings, %d told, want %d", sent, bindings[0].Tries, c.sent)
			}
		})
	}
}

// The room that is taken for a Pod, and what has been bound for it, does not speak against it.
func TestPodsAreNotInTheirOwnWay(t *testing.T) {
	claiming := func(claim string) string {
		return "volumes: [{name: data, persistentVolumeClaim: {claimName: " + claim + "}}]"
	}
	for what, pod := range map[string]string{
		"most of the node":               podText("self", "3"),
		"a host port":                    strings.Replace(podText("self", "1"), "image: app", "image: app, ports: [{containerPort: 80, hostPort: 80}]", 1),
		"anti-affinity with its like":    podText("self", "1", antiAffinity),
		"spreading with its like":        podText("self", "1", spreading),
		"a claim of one Pod":             podText("self", "1", claiming("mine")),
		"a claim that it has been given": podText("self", "1", claiming("waiting")),
	} {
		t.Run(what, func(t *testing.T) {
			server := newAPIServer(t, nodeText("n1"), nodeText("n2"), volumes, pod)
			server.before = server.controlVolumes
			bindings := bindWaiting(t, server.session(run.Options{Binder: server.binder()}))
			if diff := cmp.Diff([]string{"self Bound n1"}, lines(bindings)); diff != "" || bindings[0].Decision.Attempts != 1 {
				t.Errorf("%d decisions (-want +got):\n%s", bindings[0].Decision.Attempts, diff)
			}
		})
	}
}

const antiAffinity = `affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [
    {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: self}}}]}}`

const spreading = `topologySpreadConstraints: [{maxSkew: 1, topologyKey: topology.kubernetes.io/zone,
    whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: self}}}]`
