package engine_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/go-logr/logr"
	gocmp "github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/test/random"
)

const cordonTaint = "node.kubernetes.io/unschedulable"

func TestDetailsOfNodes(t *testing.T) {
	cordoned := report.CordonedNode{
		Toleration: report.Toleration{Key: cordonTaint, Operator: "Exists", Effect: "NoSchedule"}}
	ports := func(name, ports string) string {
		return podText(name, "0", "nodeName: node", "initContainers: [{name: log, image: app, restartPolicy: Always, "+
			"ports: ["+ports+"]}]")
	}
	nominated := func(name, ports string) string {
		return podText(name, "0", "priority: 10", "initContainers: [{name: log, image: app, restartPolicy: Always, "+
			"ports: ["+ports+"]}]") + "\nstatus: {nominatedNodeName: node}"
	}
	wanted := func(more ...string) string {
		return podText("asked", "1", append(more, "initContainers: [{name: log, image: app, restartPolicy: Always, "+
			"ports: [{containerPort: 80, hostPort: 8080}, {containerPort: 81, hostPort: 9090, hostIP: 10.0.0.1}, "+
			"{containerPort: 82, hostPort: 8080, hostIP: 0.0.0.0}]}]")...)
	}
	tests := map[string]struct {
		node   string
		asked  string
		others []string
		want   map[string]report.Details
	}{
		"a taint with a value is tolerated by that value, one without by any": {
			node: nodeText("node", `spec: {taints: [{key: team, value: red, effect: NoSchedule}, `+
				`{key: old, effect: PreferNoSchedule}, {key: maint, effect: NoExecute}]}`),
			asked: podText("asked", "1"),
			want: map[string]report.Details{names.TaintToleration: {
				report.UntoleratedTaint{Key: "team", Value: "red", Effect: "NoSchedule", Toleration: report.Toleration{
					Key: "team", Operator: "Equal", Value: "red", Effect: "NoSchedule"}},
				report.UntoleratedTaint{Key: "maint", Effect: "NoExecute", Toleration: report.Toleration{
					Key: "maint", Operator: "Exists", Effect: "NoExecute"}},
			}},
		},
		"a cordoned node without its taint": {
			node:  nodeText("node", `spec: {unschedulable: true}`),
			asked: podText("asked", "1"),
			want:  map[string]report.Details{names.NodeUnschedulable: {cordoned}},
		},
		"a cordoned node with its taint": {
			node:  nodeText("node", `spec: {unschedulable: true, taints: [{key: `+cordonTaint+`, effect: NoSchedule}]}`),
			asked: podText("asked", "1"),
			want: map[string]report.Details{
				names.NodeUnschedulable: {cordoned},
				names.TaintToleration: {report.UntoleratedTaint{
					Key: cordonTaint, Effect: "NoSchedule", Toleration: cordoned.Toleration}},
			},
		},
		"ports that several Pods hold, each on an IP of its own": {
			node:  nodeText("node", ""),
			asked: wanted(),
			others: []string{
				ports("b", "{containerPort: 80, hostPort: 8080, hostIP: 10.0.0.5}"),
				ports("a", "{containerPort: 80, hostPort: 8080, hostIP: 127.0.0.1}, {containerPort: 80, hostPort: 9090}"),
				nominated("a-waits", "{containerPort: 80, hostPort: 8080, hostIP: 10.0.0.6}"),
				ports("other-port", "{containerPort: 8080, hostPort: 8081}"),
				ports("other-protocol", "{containerPort: 80, hostPort: 8080, protocol: UDP}"),
				ports("other-ip", "{containerPort: 80, hostPort: 9090, hostIP: 10.0.0.2}"),
			},
			want: map[string]report.Details{names.NodePorts: {
				report.PortInUse{HostIP: "0.0.0.0", Protocol: "TCP", Port: 8080, HeldIP: "127.0.0.1",
					Namespace: "default", Name: "a"},
				report.PortInUse{HostIP: "0.0.0.0", Protocol: "TCP", Port: 8080, HeldIP: "10.0.0.6",
					Namespace: "default", Name: "a-waits", Nominated: true},
				report.PortInUse{HostIP: "0.0.0.0", Protocol: "TCP", Port: 8080, HeldIP: "10.0.0.5",
					Namespace: "default", Name: "b"},
				report.PortInUse{HostIP: "10.0.0.1", Protocol: "TCP", Port: 9090, HeldIP: "0.0.0.0",
					Namespace: "default", Name: "a"},
			}},
		},
		"a port that is kept for a nominated Pod": {
			node:   nodeText("node", ""),
			asked:  wanted(),
			others: []string{nominated("waits", "{containerPort: 80, hostPort: 8080}")},
			want: map[string]report.Details{names.NodePorts: {report.PortInUse{HostIP: "0.0.0.0", Protocol: "TCP",
				Port: 8080, HeldIP: "0.0.0.0", Namespace: "default", Name: "waits", Nominated: true}}},
		},
		"a feature that the kubelet does not declare": {
			node: nodeWith("node", `{allocatable: {pods: "10"}, nodeInfo: {kubeletVersion: v1.36.1}}`),
			asked: `
apiVersion: v1
kind: Pod
metadata: {name: asked, namespace: default}
spec:
  containers:
  - name: main
    image: app
    restartPolicy: Never
    restartPolicyRules: [{action: RestartAllContainers, exitCodes: {operator: In, values: [42]}}]`,
			want: map[string]report.Details{names.NodeDeclaredFeatures: {report.MissingFeature{
				Feature: "RestartAllContainersOnContainerExits", KubeletVersion: "v1.36.1"}}},
		},
		"everything of which the node has not enough": {
			node: nodeWith("node", `{allocatable: {cpu: "1", memory: 1Gi, pods: "1", hugepages-2Mi: 4Mi}}`),
			asked: `
apiVersion: v1
kind: Pod
metadata: {name: asked, namespace: default}
spec:
  containers:
  - name: main
    image: app
    resources: {limits: {cpu: 1500m, memory: 2Gi, ephemeral-storage: 1Gi, hugepages-2Mi: 8Mi, example.com/gpu: 1}}`,
			others: []string{podText("there", "250m", "nodeName: node")},
			want: map[string]report.Details{names.NodeResourcesFit: {
				report.InsufficientResource{Resource: "pods", Requested: "1", Used: "1", Allocatable: "1", Missing: "1"},
				report.InsufficientResource{
					Resource: "cpu", Requested: "1500m", Used: "250m", Allocatable: "1", Missing: "750m"},
				report.InsufficientResource{
					Resource: "memory", Requested: "2Gi", Used: "0", Allocatable: "1Gi", Missing: "1Gi"},
				report.InsufficientResource{
					Resource: "ephemeral-storage", Requested: "1Gi", Used: "0", Allocatable: "0", Missing: "1Gi"},
				report.InsufficientResource{
					Resource: "example.com/gpu", Requested: "1", Used: "0", Allocatable: "0", Missing: "1"},
				report.InsufficientResource{
					Resource: "hugepages-2Mi", Requested: "8Mi", Used: "0", Allocatable: "4Mi", Missing: "4Mi"},
			}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			state := stateOf(t, append([]string{test.node, test.asked}, test.others...)...)
			explanation := explain(t, engineOf(t, state, engine.Options{}), podNamed(t, state, "asked"))
			got := map[string]report.Details{}
			for _, filter := range explanation.Nodes[0].Filters {
				got[filter.Plugin] = filter.Details
			}
			if diff := gocmp.Diff(test.want, got); diff != "" {
				t.Errorf("details by plugin (-want +got)\n%s", diff)
			}
		})
	}
}

// nodeWith is a node with a status of its own.
func nodeWith(name, status string) string {
	return "apiVersion: v1\nkind: Node\nmetadata: {name: " + name + "}\nstatus: " + status
}

// nodeFacts are the plugins whose rejections a node itself explains.
var nodeFacts = []string{
	names.NodeName, names.NodeUnschedulable, names.TaintToleration, names.NodePorts, names.NodeResourcesFit,
	names.NodeDeclaredFeatures,
}

// Every rejection has a fact behind it, and each is found in the objects again.
func TestDetailsOfNodesAreTrue(t *testing.T) {
	seen := map[string]int{}
	eachCluster(t, 8, func(t *testing.T, made *random.Cluster) {
		e := engineOf(t, made.State, engine.Options{})
		for _, pod := range made.Pods {
			for _, judged := range explain(t, e, pod).Nodes {
				truth := nodeTruth{State: made.State, pod: pod, node: nodeNamed(t, made.State, judged.Name)}
				for _, filter := range judged.Filters {
					if !slices.Contains(nodeFacts, filter.Plugin) {
						continue
					}
					if len(filter.Details) == 0 {
						t.Errorf("pod %s/%s, node %s: no detail of %s", pod.Namespace, pod.Name, judged.Name, filter.Plugin)
					}
					truth.check(t, filter)
					seen[filter.Plugin]++
				}
			}
		}
	})
	for _, plugin := range nodeFacts {
		if seen[plugin] == 0 && plugin != names.NodeName { // a Pod that is judged has no spec.nodeName
			t.Errorf("no cluster showed a rejection by %s", plugin)
		}
	}
}

func nodeNamed(t *testing.T, state *cluster.State, name string) *corev1.Node {
	t.Helper()
	i := slices.IndexFunc(state.Nodes, func(node *corev1.Node) bool { return node.Name == name })
	if i < 0 {
		t.Fatalf("no node is named %s", name)
	}
	return state.Nodes[i]
}

// nodeTruth is what the facts of one node's rejections are held against.
type nodeTruth struct {
	*cluster.State
	pod  *corev1.Pod
	node *corev1.Node
}

func (n nodeTruth) check(t *testing.T, filter report.Rejection) {
	t.Helper()
	var held []report.PortInUse
	for _, detail := range filter.Details {
		switch detail := detail.(type) {
		case report.UntoleratedTaint:
			n.checkToleration(t, detail.Toleration)
		case report.CordonedNode:
			n.checkToleration(t, detail.Toleration)
			if !n.node.Spec.Unschedulable {
				t.Errorf("node %s is not cordoned", n.node.Name)
			}
		case report.PortInUse:
			held = append(held, detail)
		case report.MissingFeature:
			if slices.Contains(n.node.Status.DeclaredFeatures, detail.Feature) ||
				n.pod.Spec.Containers[0].RestartPolicyRules == nil {
				t.Errorf("pod %s/%s, node %s: feature %s is not asked for, or declared", n.pod.Namespace, n.pod.Name,
					n.node.Name, detail.Feature)
			}
		}
	}
	if filter.Plugin == names.NodePorts {
		n.checkHolders(t, held)
	}
}

// checkToleration wants one that the Pod has not, for a taint of the node's or the one that stands for its cordon.
func (n nodeTruth) checkToleration(t *testing.T, toleration report.Toleration) {
	t.Helper()
	taint := corev1.Taint{Key: toleration.Key, Value: toleration.Value, Effect: corev1.TaintEffect(toleration.Effect)}
	cordoned := n.node.Spec.Unschedulable && taint.Key == cordonTaint
	if !slices.Contains(n.node.Spec.Taints, taint) && !cordoned {
		t.Errorf("node %s: toleration %+v is for none of its taints %v", n.node.Name, toleration, n.node.Spec.Taints)
	}
	added := corev1.Toleration{Key: toleration.Key, Operator: corev1.TolerationOperator(toleration.Operator),
		Value: toleration.Value, Effect: taint.Effect}
	if slices.Contains(n.pod.Spec.Tolerations, added) || !added.ToleratesTaint(logr.Discard(), &taint, false) {
		t.Errorf("node %s: toleration %+v is no help against %s", n.node.Name, toleration, taint.ToString())
	}
}

// checkHolders wants each Pod of the node that has one of the wanted ports, and of nominated Pods only such.
func (n nodeTruth) checkHolders(t *testing.T, got []report.PortInUse) {
	t.Helper()
	var want []report.PortInUse
	got = slices.Clone(got)
	for _, other := range n.Pods {
		nominated := other.Spec.NodeName == "" && other.Status.NominatedNodeName == n.node.Name
		finished := other.Status.Phase == corev1.PodSucceeded || other.Status.Phase == corev1.PodFailed
		if other == n.pod || finished || other.Spec.NodeName != n.node.Name && !nominated {
			continue
		}
		for _, clash := range n.clashes(other) {
			clash.Nominated = nominated
			// Whether a nominated Pod counts is a matter of priorities and of the round in which upstream saw it.
			if !nominated || slices.Contains(got, clash) {
				want = append(want, clash)
			}
		}
	}
	byAll := func(a, b report.PortInUse) int {
		return cmp.Or(cmp.Compare(a.Port, b.Port), cmp.Compare(a.Protocol, b.Protocol), cmp.Compare(a.HostIP, b.HostIP),
			cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	}
	slices.SortFunc(want, byAll)
	slices.SortFunc(got, byAll)
	if diff := gocmp.Diff(want, got); diff != "" || len(got) == 0 {
		t.Errorf("pod %s/%s, node %s: holders of ports (-want +got)\n%s", n.pod.Namespace, n.pod.Name, n.node.Name, diff)
	}
}

// clashes are the ports of the Pod's that another has too. The clusters have them in ordinary containers only.
func (n nodeTruth) clashes(other *corev1.Pod) []report.PortInUse {
	const every = "0.0.0.0"
	var out []report.PortInUse
	for _, want := range n.pod.Spec.Containers[0].Ports {
		for _, held := range other.Spec.Containers[0].Ports {
			wantIP, heldIP := cmp.Or(want.HostIP, every), cmp.Or(held.HostIP, every)
			if want.HostPort == held.HostPort && want.Protocol == held.Protocol &&
				(wantIP == heldIP || wantIP == every || heldIP == every) {
				out = append(out, report.PortInUse{HostIP: wantIP, Protocol: string(want.Protocol), Port: want.HostPort,
					HeldIP: heldIP, Namespace: other.Namespace, Name: other.Name})
			}
		}
	}
	return out
}
