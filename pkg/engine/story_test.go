package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/test/random"
)

// stances are what plugins say, in one line each; those that pass in Filter are left out.
func stances(story *report.Story) []string {
	var lines []string
	for _, plugin := range story.Plugins {
		line := fmt.Sprintf("%s %s %s", plugin.Point, plugin.Plugin, plugin.Verdict)
		if plugin.Decides {
			line += " decides"
		}
		if plugin.Verdict == report.Rejects || slices.Contains([]string{"NodePorts", "SchedulingGates"}, plugin.Plugin) {
			lines = append(lines, line)
		}
	}
	return lines
}

func TestStoryTellsEveryPluginsVerdict(t *testing.T) {
	for sentence, test := range map[string]struct {
		cluster []string
		want    []string
	}{
		"a plugin that has nothing to do is not involved": {
			cluster: []string{nodeText("a", ""), podText("x", "1")},
			want:    []string{"PreEnqueue SchedulingGates Passes", "Filter NodePorts NotInvolved"},
		},
		"a plugin with something to do passes": {
			cluster: []string{nodeText("a", ""),
				strings.Replace(podText("x", "1"), "image: app,", "image: app, ports: [{containerPort: 80, hostPort: 80}],", 1)},
			want: []string{"PreEnqueue SchedulingGates Passes", "Filter NodePorts Passes"},
		},
		"kube-scheduler stops at the first that rejects": {
			cluster: []string{nodeText("a", "spec: {unschedulable: true, taints: [{key: k, effect: NoSchedule}]}"),
				podText("x", "5")},
			want: []string{"PreEnqueue SchedulingGates Passes", "Filter NodeUnschedulable Rejects decides",
				"Filter TaintToleration Rejects", "Filter NodePorts NotInvolved", "Filter NodeResourcesFit Rejects"},
		},
		"a gate keeps the node from being looked at": {
			cluster: []string{nodeText("a", "spec: {unschedulable: true}"),
				podText("x", "1", "schedulingGates: [{name: example.com/wait}]")},
			want: []string{"PreEnqueue SchedulingGates Rejects decides", "Filter NodePorts NotReached"},
		},
		"PreFilter rejects the Pod as a whole": {
			cluster: []string{nodeText("a", ""),
				podText("x", "1", "volumes: [{name: v, persistentVolumeClaim: {claimName: gone}}]")},
			want: []string{"PreEnqueue SchedulingGates Passes", "PreFilter VolumeRestrictions Rejects decides",
				"Filter NodePorts NotReached"},
		},
		"PreFilter leaves the node out": {
			cluster: []string{nodeText("a", ""), nodeText("b", ""),
				podText("x", "1", strings.Replace(onlyOnA, "[a]", "[b]", 1))},
			want: []string{"PreEnqueue SchedulingGates Passes", "PreFilter NodeAffinity Rejects decides",
				"Filter NodePorts NotReached"},
		},
		"a Pod that has the node is judged as if it were not there": {
			cluster: []string{nodeText("a", ""), podText("x", "4", "nodeName: a")},
			want:    []string{"PreEnqueue SchedulingGates Passes", "Filter NodePorts NotInvolved"},
		},
		"a node that is kept for another Pod": {
			cluster: []string{nodeText("a", ""), podText("x", "1"),
				podText("other", "4", "priority: 10", "\nstatus: {nominatedNodeName: a}")},
			want: []string{"PreEnqueue SchedulingGates Passes", "Filter NodePorts NotInvolved",
				"Filter NodeResourcesFit Rejects decides"},
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			state := stateOf(t, test.cluster...)
			explanation := explain(t, engineOf(t, state, engine.Options{Node: "a"}), podNamed(t, state, "x"))
			if diff := cmp.Diff(test.want, stances(explanation.Story)); diff != "" {
				t.Errorf("stances (-want +got)\n%s", diff)
			}
		})
	}
}

func TestStoryNamesExtenders(t *testing.T) {
	options := extended(t, anExtender{filter: &extenderv1.ExtenderFilterResult{
		NodeNames: &[]string{}, FailedNodes: extenderv1.FailedNodesMap{"a": "wrong rack"},
	}}, extenderFilters)
	options.Node = "a"
	state := stateOf(t, nodeText("a", ""), podText("x", "1"))
	story := explain(t, engineOf(t, state, options), podNamed(t, state, "x")).Story
	last := story.Plugins[len(story.Plugins)-1]
	if last.Point != report.ExtenderPoint || last.Verdict != report.Rejects || !last.Decides {
		t.Errorf("the last plugin is %+v, want the extender to reject", last)
	}
}

func TestStoryAccountsForTheNode(t *testing.T) {
	const gpus = `{cpu: "4", memory: 8Gi, pods: "10", example.com/gpu: "2", hugepages-2Mi: "0"}`
	withGPUs := strings.Replace(nodeText("a", ""), `{cpu: "4", memory: 8Gi, pods: "10"}`, gpus, 1)
	asking := func(name, requests string, more ...string) string {
		return strings.Replace(podText(name, "1", more...), `{cpu: "1"}`, requests, 1)
	}
	state := stateOf(t, withGPUs,
		asking("x", `{cpu: "3", memory: 1Gi, example.com/gpu: "2"}`),
		asking("small", `{cpu: 500m, example.com/gpu: "1"}`, "nodeName: a"),
		asking("large", `{cpu: "1", memory: 512Mi}`, "nodeName: a", "priority: -5"),
		asking("promised", `{cpu: 500m}`, "priority: 10", "\nstatus: {nominatedNodeName: a}"),
		asking("done", `{cpu: "1"}`, "nodeName: a", "\nstatus: {phase: Succeeded}"),
	)
	story := explain(t, engineOf(t, state, engine.Options{Node: "a"}), podNamed(t, state, "x")).Story
	want := &report.Story{
		NodeName: "a",
		Resources: []report.ResourceAccount{
			{Resource: "pods", Allocatable: "10", Requested: "3", Free: "7", Wanted: "1"},
			{Resource: "cpu", Allocatable: "4", Requested: "2", Free: "2", Wanted: "3", Missing: "1"},
			{Resource: "memory", Allocatable: "8Gi", Requested: "512Mi", Free: "7680Mi", Wanted: "1Gi"},
			{Resource: "example.com/gpu", Allocatable: "2", Requested: "1", Free: "1", Wanted: "2", Missing: "1"},
		},
		Pods: []report.PodUsage{
			{Namespace: "default", Name: "large", Priority: -5, Requests: map[string]string{"cpu": "1", "memory": "512Mi"}},
			{Namespace: "default", Name: "promised", Priority: 10, Nominated: true,
				Requests: map[string]string{"cpu": "500m", "memory": "0"}},
			{Namespace: "default", Name: "small",
				Requests: map[string]string{"cpu": "500m", "memory": "0", "example.com/gpu": "1"}},
		},
	}
	if diff := cmp.Diff(want, story, cmpopts.IgnoreFields(report.Story{}, "Plugins")); diff != "" {
		t.Errorf("story (-want +got)\n%s", diff)
	}
}

// A resource that the plugin does not ask for is not missing.
func TestStoryMissesOnlyWhatThePluginMisses(t *testing.T) {
	ignoring := configOf(t, `
profiles:
- pluginConfig: [{name: NodeResourcesFit, args: {ignoredResources: [example.com/gpu]}}]`)
	state := stateOf(t, nodeText("a", ""),
		strings.Replace(podText("x", "1"), `{cpu: "1"}`, `{cpu: "1", example.com/gpu: "1"}`, 1))
	story := explain(t, engineOf(t, state, engine.Options{Node: "a", Config: ignoring}), podNamed(t, state, "x")).Story
	for _, account := range story.Resources {
		if account.Missing != "" {
			t.Errorf("missing: %+v", account)
		}
	}
}

func TestStoryOfADaemonSet(t *testing.T) {
	const set = `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: default, uid: uid-agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      nodeSelector: {kubernetes.io/hostname: a}
      containers: [{name: main, image: app, resources: {requests: {cpu: "5"}}}]`
	state := stateOf(t, nodeText("a", ""), nodeText("b", ""), set)
	for node, want := range map[string]int{"a": 1, "b": 0} {
		e := engineOf(t, state, engine.Options{Node: node})
		explanation, err := e.ExplainDaemonSet(t.Context(), state.DaemonSets[0])
		if err != nil {
			t.Fatal(err)
		}
		rejecting := 0
		for _, plugin := range explanation.Story.Plugins {
			if plugin.Verdict == report.Rejects {
				rejecting++
			}
		}
		if explanation.Story.NodeName != node || rejecting != want {
			t.Errorf("node %s: %d plugins reject in %+v, want %d", node, rejecting, explanation.Story, want)
		}
	}
}

func TestCheckNodeTellsWhatIsSpelledAlike(t *testing.T) {
	e := engineOf(t, stateOf(t, nodeText("general-a1", ""), nodeText("gpu-1", "")), engine.Options{})
	for name, want := range map[string]string{
		"gpu-1":      "",
		"generl-a1":  `no node is named "generl-a1"; did you mean general-a1?`,
		"other-node": `no node is named "other-node"`,
	} {
		got := ""
		if err := e.CheckNode(name); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// A story agrees with the node's row, with kube-scheduler's own PreFilter and with the State.
func TestStoriesAreTrue(t *testing.T) {
	eachCluster(t, 6, func(t *testing.T, made *random.Cluster) {
		core := newCore(t, made.State)
		for i, node := range made.State.Nodes {
			e := engineOf(t, made.State, engine.Options{Node: node.Name})
			for j, pod := range made.Pods {
				if j%len(made.State.Nodes) != i || pod.DeletionTimestamp != nil {
					continue
				}
				core.ask(pod) // brings its snapshot up to date
				explanation := explain(t, e, pod)
				where := fmt.Sprintf("pod %s/%s on %s", pod.Namespace, pod.Name, node.Name)
				row := explanation.Nodes[slices.IndexFunc(explanation.Nodes, func(n report.Node) bool {
					return n.Name == node.Name
				})]
				checkStances(t, where, explanation.Story, row, core, pod)
				checkAccounts(t, where, explanation.Story, node, row)
				checkUsers(t, where, explanation.Story, made.State.Pods)
			}
		}
	})
}

func checkStances(t *testing.T, where string, story *report.Story, row report.Node, core *core, pod *corev1.Pod) {
	t.Helper()
	state := framework.NewCycleState()
	if row.Verdict != report.NotEvaluated {
		core.framework.Framework.RunPreFilterPlugins(t.Context(), state, pod)
	}
	var rejecting []string
	decides := ""
	for _, plugin := range story.Plugins {
		if plugin.Decides {
			decides = plugin.Plugin
		}
		if plugin.Point != report.FilterPoint {
			continue
		}
		if reached := plugin.Verdict != report.NotReached; reached != (row.Verdict != report.NotEvaluated) {
			t.Errorf("%s: %s is %s, the node %s", where, plugin.Plugin, plugin.Verdict, row.Verdict)
		}
		if plugin.Verdict == report.Rejects {
			rejecting = append(rejecting, plugin.Plugin)
		}
		if not := plugin.Verdict == report.NotInvolved; not != state.GetSkipFilterPlugins().Has(plugin.Plugin) {
			t.Errorf("%s: %s is %s, PreFilter skips %v", where, plugin.Plugin, plugin.Verdict, state.GetSkipFilterPlugins())
		}
	}
	var want []string
	for _, filter := range row.Filters {
		want = append(want, filter.Plugin)
	}
	if len(want) > 0 && decides != want[0] || decides == "" && row.Verdict != report.Feasible {
		t.Errorf("%s: %q decides, the filters are %v", where, decides, want)
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(rejecting))); diff != "" {
		t.Errorf("%s: rejecting plugins (-row +story)\n%s", where, diff)
	}
}

// checkAccounts adds up the account of each resource, and what the Pods request of it.
func checkAccounts(t *testing.T, where string, story *report.Story, node *corev1.Node, row report.Node) {
	t.Helper()
	missing := map[string]bool{}
	for _, a := range story.Resources {
		allocatable, free := resource.MustParse(a.Allocatable), resource.MustParse(a.Free)
		if has := node.Status.Allocatable[corev1.ResourceName(a.Resource)]; has.Cmp(allocatable) != 0 {
			t.Errorf("%s: the node has %s of %s, the account says %s", where, has.String(), a.Resource, a.Allocatable)
		}
		users := resource.MustParse("0")
		if a.Resource == "pods" {
			users = *resource.NewQuantity(int64(len(story.Pods)), resource.DecimalSI)
		}
		for _, pod := range story.Pods {
			if requests, ok := pod.Requests[a.Resource]; ok {
				users.Add(resource.MustParse(requests))
			}
		}
		if users.Cmp(resource.MustParse(a.Requested)) != 0 {
			t.Errorf("%s: Pods request %s of %s, the account says %s", where, users.String(), a.Resource, a.Requested)
		}
		allocatable.Sub(users)
		if allocatable.Cmp(free) != 0 {
			t.Errorf("%s: %s of %s is free, the account says %s", where, allocatable.String(), a.Resource, a.Free)
		}
		lacking := resource.MustParse(a.Wanted)
		lacking.Sub(free)
		if missing[a.Resource] = a.Missing != ""; missing[a.Resource] && lacking.Cmp(resource.MustParse(a.Missing)) != 0 {
			t.Errorf("%s: %s of %s lacks, the account says %s", where, lacking.String(), a.Resource, a.Missing)
		}
	}
	for _, filter := range row.Filters {
		for _, detail := range filter.Details {
			if d, ok := detail.(report.InsufficientResource); ok && !missing[d.Resource] {
				t.Errorf("%s: %s lacks, the account does not say so", where, d.Resource)
			}
		}
	}
}

// checkUsers compares the Pods of a story with those of the State.
func checkUsers(t *testing.T, where string, story *report.Story, pods []*corev1.Pod) {
	t.Helper()
	want, got := map[string]string{}, map[string]string{}
	for _, pod := range pods {
		if pod.Spec.NodeName == story.NodeName && !upstream.Finished(pod) {
			requests := resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{UseStatusResources: true})
			want[pod.Namespace+"/"+pod.Name] = fmt.Sprint(requests.Cpu().MilliValue(), requests.Memory().Value())
		}
	}
	for _, pod := range story.Pods {
		if !pod.Nominated {
			cpu, memory := resource.MustParse(pod.Requests["cpu"]), resource.MustParse(pod.Requests["memory"])
			got[pod.Namespace+"/"+pod.Name] = fmt.Sprint(cpu.MilliValue(), memory.Value())
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: Pods (-state +story)\n%s", where, diff)
	}
}
