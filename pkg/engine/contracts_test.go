package engine_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/kubernetes/pkg/scheduler"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/reason"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/test/random"
)

// eachCluster runs a subtest for each of n random clusters.
func eachCluster(t *testing.T, n int, check func(*testing.T, *random.Cluster)) {
	t.Helper()
	for i := range n {
		seed := *seedFlag + uint64(i)
		made := random.New(random.Options{Seed: seed, Pods: podsPerCluster})
		upstream.SetDefaults(made.State)
		passed := t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) { check(t, made) })
		if !passed {
			t.Errorf("repeat with -seed %d", seed)
		}
	}
}

// A rejection beyond the first is what kube-scheduler would say were it the only one: every plugin is asked alone, by
// a profile that has no other.
func TestEveryRejectionIsThePluginsOwn(t *testing.T) {
	eachCluster(t, 8, func(t *testing.T, made *random.Cluster) {
		core := newCore(t, made.State, scheduler.WithProfiles(soloProfiles(t)...))
		e := engineOf(t, made.State, engine.Options{})
		for _, pod := range made.Pods {
			if pod.DeletionTimestamp != nil {
				continue
			}
			explanation := explain(t, e, pod)
			if core.ask(pod).gatedBy != "" {
				continue
			}
			want := map[string]map[string]rejection{}
			for _, plugin := range filters {
				core.askAlone(plugin, pod, want)
			}
			got := allRejections(explanation, want)
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("pod %s/%s: rejections differ from those of single plugins (-want +got)\n%s",
					pod.Namespace, pod.Name, diff)
			}
		}
	})
}

// soloProfiles are the default profile and one for each Filter plugin, named after it, that has no other.
func soloProfiles(t *testing.T) []schedulerapi.KubeSchedulerProfile {
	t.Helper()
	config, err := upstream.DefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	profiles := config.KubeSchedulerConfiguration.Profiles
	for _, plugin := range filters {
		solo := *profiles[0].DeepCopy()
		solo.SchedulerName = plugin
		solo.Plugins = &schedulerapi.Plugins{MultiPoint: schedulerapi.PluginSet{Enabled: []schedulerapi.Plugin{
			{Name: names.PrioritySort}, {Name: names.DefaultBinder}, {Name: plugin},
		}}}
		profiles = append(profiles, solo)
	}
	return profiles
}

// askAlone adds the nodes that the plugin rejects when it is asked alone.
func (c *core) askAlone(plugin string, pod *corev1.Pod, rejections map[string]map[string]rejection) {
	c.t.Helper()
	fw, state := c.sched.Profiles[plugin], framework.NewCycleState()
	left, status, _ := fw.RunPreFilterPlugins(c.t.Context(), state, pod)
	if !status.IsSuccess() {
		return
	}
	infos, err := fw.SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		c.t.Fatal(err)
	}
	for _, info := range infos {
		name := info.Node().Name
		if !left.AllNodes() && !left.NodeNames.Has(name) && name != pod.Status.NominatedNodeName {
			continue
		}
		if status := fw.RunFilterPluginsWithNominatedPods(c.t.Context(), state, pod, info); !status.IsSuccess() {
			if rejections[name] == nil {
				rejections[name] = map[string]rejection{}
			}
			rejections[name][plugin] = rejectionOf(status)
		}
	}
}

// allRejections are those of the nodes that were evaluated. Of the others it takes over what is wanted.
func allRejections(explanation *report.Explanation, want map[string]map[string]rejection) map[string]map[string]rejection {
	out := map[string]map[string]rejection{}
	for _, node := range explanation.Nodes {
		if node.Verdict == report.NotEvaluated && want[node.Name] != nil {
			out[node.Name] = want[node.Name]
		}
		for _, filter := range node.Filters {
			if out[node.Name] == nil {
				out[node.Name] = map[string]rejection{}
			}
			out[node.Name][filter.Plugin] = rejection{Plugin: filter.Plugin, Code: filter.Code, Reasons: filter.Reasons}
		}
	}
	return out
}

// Explaining changes nothing: whatever is asked in between, in whatever order, every answer stays the same to the
// byte.
func TestExplainLeavesNothingBehind(t *testing.T) {
	eachCluster(t, 8, func(t *testing.T, made *random.Cluster) {
		var bound []*corev1.Pod
		for _, pod := range made.State.Pods {
			if pod.Spec.NodeName != "" && len(bound) < 10 {
				bound = append(bound, pod)
			}
		}
		first, other := engineOf(t, made.State, engine.Options{}), engineOf(t, made.State, engine.Options{})
		asked := slices.Concat(made.Pods, bound)
		want := map[*corev1.Pod]string{}
		for _, pod := range asked {
			want[pod] = asJSON(t, explain(t, first, pod))
		}
		slices.Reverse(asked)
		for _, pod := range asked {
			explainManifest(t, first, pod)
			if diff := cmp.Diff(want[pod], asJSON(t, explain(t, first, pod))); diff != "" {
				t.Errorf("pod %s/%s asked again (-first +second)\n%s", pod.Namespace, pod.Name, diff)
			}
			if diff := cmp.Diff(want[pod], asJSON(t, explain(t, other, pod))); diff != "" {
				t.Errorf("pod %s/%s asked of another engine (-first +second)\n%s", pod.Namespace, pod.Name, diff)
			}
		}
	})
}

// explainManifest asks about a Pod like this one that is not in the cluster, with a claim that would be made for it.
func explainManifest(t *testing.T, e *engine.Engine, like *corev1.Pod) {
	t.Helper()
	pod := &corev1.Pod{}
	pod.Namespace, pod.Name, pod.Labels = like.Namespace, "manifest-"+like.Name, like.Labels
	pod.Spec.Containers = []corev1.Container{{Name: "main", Image: "app"}}
	pod.Spec.Affinity, pod.Spec.Tolerations = like.Spec.Affinity, like.Spec.Tolerations
	class := "wait"
	template := &corev1.PersistentVolumeClaimTemplate{Spec: corev1.PersistentVolumeClaimSpec{
		AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		StorageClassName: &class,
		Resources: corev1.VolumeResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
	}}
	pod.Spec.Volumes = []corev1.Volume{{Name: "scratch", VolumeSource: corev1.VolumeSource{
		Ephemeral: &corev1.EphemeralVolumeSource{VolumeClaimTemplate: template}}}}
	explanation, err := e.ExplainManifest(t.Context(), engine.Manifest{Pod: pod})
	if err != nil {
		t.Fatal(err)
	}
	if explanation.Verdict == report.Invalid {
		t.Errorf("the manifest of pod %s/%s is refused: %s", pod.Namespace, pod.Name, explanation.Message)
	}
}

// Every rejection by an in-tree plugin has facts, wherever it is told, and what passes has none. Every fact has words.
func TestEveryRejectionHasDetails(t *testing.T) {
	known := reason.Plugins()
	plugins := map[string]int{}
	check := func(t *testing.T, pod *corev1.Pod, where string, rejections []report.Rejection) {
		t.Helper()
		for _, r := range rejections {
			plugins[r.Plugin]++
			if slices.Contains(known, r.Plugin) && len(r.Details) == 0 {
				t.Errorf("pod %s/%s: %s: %s rejects (%v) without a detail", pod.Namespace, pod.Name, where, r.Plugin, r.Reasons)
			}
		}
	}
	eachCluster(t, 24, func(t *testing.T, made *random.Cluster) {
		e := engineOf(t, made.State, engine.Options{})
		for _, pod := range made.Pods {
			explanation := explain(t, e, pod)
			check(t, pod, "as a whole", explanation.PreFilter)
			for _, node := range explanation.Nodes {
				check(t, pod, node.Name, node.Filters)
			}
			if explanation.Next == nil {
				continue
			}
			check(t, pod, "next", explanation.Next.PreFilter)
			for _, node := range explanation.Next.Nodes {
				check(t, pod, "next on "+node.Name, node.Filters)
			}
		}
	})
	t.Logf("rejections by plugin: %v", plugins)
	for _, plugin := range filters {
		if plugins[plugin] == 0 && plugin != names.NodeName { // which rejects only a Pod that has a node
			t.Errorf("%s rejects nothing: the clusters do not test it", plugin)
		}
	}
}

// The facts of a rejection are true: the numbers of a resource add up, and a taint is one that the node has.
func TestDetailsAreTrue(t *testing.T) {
	eachCluster(t, 8, func(t *testing.T, made *random.Cluster) {
		e := engineOf(t, made.State, engine.Options{})
		nodes := map[string]*corev1.Node{}
		for _, node := range made.State.Nodes {
			nodes[node.Name] = node
		}
		for _, pod := range made.Pods {
			for _, judged := range explain(t, e, pod).Nodes {
				for _, filter := range judged.Filters {
					checkDetails(t, nodes[judged.Name], filter)
				}
			}
		}
	})
}

func checkDetails(t *testing.T, node *corev1.Node, filter report.Rejection) {
	t.Helper()
	for _, detail := range filter.Details {
		switch detail := detail.(type) {
		case report.InsufficientResource:
			checkSum(t, node, detail)
		case report.UntoleratedTaint:
			taint := corev1.Taint{Key: detail.Key, Value: detail.Value, Effect: corev1.TaintEffect(detail.Effect)}
			if taint.Effect == corev1.TaintEffectPreferNoSchedule || !slices.Contains(node.Spec.Taints, taint) {
				t.Errorf("node %s: taint %s is none that keeps a Pod away: the node has %v",
					node.Name, taint.ToString(), node.Spec.Taints)
			}
		}
	}
}

func checkSum(t *testing.T, node *corev1.Node, detail report.InsufficientResource) {
	t.Helper()
	missing := resource.MustParse(detail.Requested)
	missing.Add(resource.MustParse(detail.Used))
	missing.Sub(resource.MustParse(detail.Allocatable))
	if missing.Sign() <= 0 || missing.Cmp(resource.MustParse(detail.Missing)) != 0 {
		t.Errorf("node %s, %s: %s requested + %s used - %s allocatable is %s, want it positive and the missing %s",
			node.Name, detail.Resource, detail.Requested, detail.Used, detail.Allocatable, missing.String(), detail.Missing)
	}
	allocatable := node.Status.Allocatable[corev1.ResourceName(detail.Resource)]
	if allocatable.Cmp(resource.MustParse(detail.Allocatable)) != 0 {
		t.Errorf("node %s has %s %s allocatable, the detail says %s",
			node.Name, allocatable.String(), detail.Resource, detail.Allocatable)
	}
}

func explain(t *testing.T, e *engine.Engine, pod *corev1.Pod) *report.Explanation {
	t.Helper()
	explanation, err := e.Explain(t.Context(), pod)
	if err != nil {
		t.Fatalf("explaining pod %s/%s: %v", pod.Namespace, pod.Name, err)
	}
	return explanation
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	data, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
