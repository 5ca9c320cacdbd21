package engine_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	resourcehelpers "k8s.io/component-helpers/resource"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/test/random"
)

func TestRequests(t *testing.T) {
	spec := func(text string) string {
		return "apiVersion: v1\nkind: Pod\nmetadata: {name: asked, namespace: default}\nspec:\n  " + text
	}
	requests := func(text string) string { return "image: app, resources: {requests: {" + text + "}}" }
	main := "\n  containers: [{name: main, " + requests(`cpu: "1"`) + "}, {name: side, " + requests("cpu: 200m") + "}]"
	tests := map[string]struct {
		asked string
		want  []string
	}{
		"the containers, which run together": {
			asked: spec("priority: 0" + main),
			want:  []string{"cpu 1200m = Container main 1 + Container side 200m; largest big 8"},
		},
		"an init container that needs more than the containers, and the sidecar that runs before it": {
			asked: spec("initContainers: [{name: proxy, restartPolicy: Always, " + requests("cpu: 500m") + "}, " +
				"{name: migrate, " + requests(`cpu: "2"`) + "}, " +
				"{name: cache, restartPolicy: Always, " + requests("cpu: 300m") + "}]" + main),
			want: []string{"cpu 2500m = InitContainer migrate 2 + Sidecar proxy 500m; largest big 8"},
		},
		"containers and sidecars that need as much as an init container": {
			asked: spec("initContainers: [{name: proxy, restartPolicy: Always, " + requests("cpu: 300m") + "}, " +
				"{name: migrate, " + requests("cpu: 1200m") + "}]" + main),
			want: []string{
				"cpu 1500m = Container main 1 + Container side 200m + Sidecar proxy 300m; largest big 8"},
		},
		"each resource by itself, in a fixed order": {
			asked: spec("initContainers: [{name: fetch, " + requests("cpu: 100m, memory: 2Gi") + "}]\n  " +
				"containers: [{name: main, image: app, resources: {limits: {example.com/gpu: 1}, " +
				"requests: {ephemeral-storage: 1Gi, memory: 1Gi, cpu: 1, example.com/gpu: 1}}}]"),
			want: []string{
				"cpu 1 = Container main 1; largest big 8",
				"memory 2Gi = InitContainer fetch 2Gi; largest wide 32Gi",
				"ephemeral-storage 1Gi = Container main 1Gi; larger than any node",
				"example.com/gpu 1 = Container main 1; larger than any node",
				"larger than any node",
			},
		},
		"the Pod's own request in place of the containers', and the overhead": {
			asked: spec("overhead: {cpu: 250m, memory: 64Mi}\n  resources: {requests: {cpu: 3}}" + main),
			want: []string{
				"cpu 3250m = Pod 3 + Overhead 250m; largest big 8", "memory 64Mi = Overhead 64Mi; largest wide 32Gi"},
		},
		"more than any node has": {
			asked: spec("containers: [{name: main, " + requests("cpu: 9, memory: 32Gi") + "}]"),
			want: []string{"cpu 9 = Container main 9; largest big 8; larger than any node",
				"memory 32Gi = Container main 32Gi; largest wide 32Gi", "larger than any node"},
		},
		"more than any node has at once": {
			asked: spec("containers: [{name: main, " + requests("cpu: 8, memory: 32Gi") + "}]"),
			want: []string{"cpu 8 = Container main 8; largest big 8",
				"memory 32Gi = Container main 32Gi; largest wide 32Gi", "larger than any node"},
		},
		"parts finer than kube-scheduler counts": {
			asked: spec("containers: [{name: main, " + requests("memory: 400m") + "}, {name: side, " + requests("memory: 800m") +
				"}]"),
			want: []string{"memory 2 = Container main 400m + Container side 800m; largest wide 32Gi"},
		},
		"nothing": {
			asked: spec("containers: [{name: main, image: app}]"),
			want:  nil,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			state := stateOf(t, test.asked,
				nodeText("tie", ""), sizedNode("big", "8", "16Gi"), sizedNode("wide", "4", "32Gi"))
			got := requestLines(explain(t, engineOf(t, state, engine.Options{}), podNamed(t, state, "asked")))
			if diff := gocmp.Diff(test.want, got); diff != "" {
				t.Errorf("requests (-want +got)\n%s", diff)
			}
		})
	}
}

func sizedNode(name, cpu, memory string) string {
	return nodeWith(name, fmt.Sprintf(`{allocatable: {cpu: %q, memory: %s, pods: "10"}}`, cpu, memory))
}

// requestLines are the requests of an explanation in a line each.
func requestLines(explanation *report.Explanation) []string {
	var lines []string
	for _, request := range explanation.Requests {
		var parts []string
		for _, part := range request.From {
			parts = append(parts, strings.Join(strings.Fields(string(part.Kind)+" "+part.Name+" "+part.Requested), " "))
		}
		line := request.Resource + " " + request.Requested + " = " + strings.Join(parts, " + ")
		if request.LargestNode != nil {
			line += "; largest " + request.LargestNode.Name + " " + request.LargestNode.Allocatable
		}
		if request.LargerThanAnyNode {
			line += "; larger than any node"
		}
		lines = append(lines, line)
	}
	if explanation.LargerThanAnyNode {
		lines = append(lines, "larger than any node")
	}
	return lines
}

// What NodeResourcesFit does not look at makes no Pod too large.
func TestRequestsThatNeedNoNode(t *testing.T) {
	const asked = `
apiVersion: v1
kind: Pod
metadata: {name: asked, namespace: default}
spec:
  containers: [{name: main, image: app, resources: {limits: {example.com/gpu: 1}, requests: {example.com/gpu: 1}}}]`
	ignoring := "profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args: "
	tests := map[string]struct {
		config string
		more   []string
		want   bool
	}{
		"a resource that no node has":      {want: true},
		"one that the plugin ignores":      {config: ignoring + "{ignoredResources: [example.com/gpu]}"},
		"one of a group that it ignores":   {config: ignoring + "{ignoredResourceGroups: [example.com]}"},
		"one that a device class provides": {more: []string{deviceClass}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			state := stateOf(t, append(test.more, nodeText("node", ""), asked)...)
			e := engineOf(t, state, engine.Options{Config: configOf(t, test.config)})
			got := explain(t, e, podNamed(t, state, "asked"))
			if len(got.Requests) != 1 || got.Requests[0].LargerThanAnyNode != test.want || got.LargerThanAnyNode != test.want {
				t.Errorf("requests %v, want them larger than any node: %t", requestLines(got), test.want)
			}
		})
	}
}

const deviceClass = `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {extendedResourceName: example.com/gpu}`

// Whatever the containers of a Pod are, the parts are its own and add up to what upstream's arithmetic says.
func TestRequestsAddUp(t *testing.T) {
	lots := rand.New(rand.NewPCG(*seedFlag, 0))
	state := stateOf(t, nodeText("node", ""))
	for i := range 200 {
		state.Pods = append(state.Pods, podOfMany(lots, i))
	}
	e := engineOf(t, state, engine.Options{})
	for _, pod := range state.Pods {
		checkRequests(t, state, pod, explain(t, e, pod))
	}
}

// podOfMany makes a Pod of up to three containers and up to four init containers and sidecars in any order.
func podOfMany(lots *rand.Rand, i int) *corev1.Pod {
	pod := &corev1.Pod{}
	pod.Namespace, pod.Name = "default", fmt.Sprintf("many-%03d", i)
	pod.UID = types.UID("uid-" + pod.Name)
	amounts := func() corev1.ResourceList {
		list := corev1.ResourceList{}
		if lots.IntN(4) > 0 {
			list[corev1.ResourceCPU] = resource.MustParse(fmt.Sprintf("%d00m", lots.IntN(30)))
		}
		if lots.IntN(4) > 0 {
			list[corev1.ResourceMemory] = resource.MustParse(fmt.Sprintf("%dMi", lots.IntN(30)))
		}
		return list
	}
	container := func(name string, j int) corev1.Container {
		return corev1.Container{Name: fmt.Sprintf("%s-%d", name, j), Image: "app",
			Resources: corev1.ResourceRequirements{Requests: amounts()}}
	}
	for j := range 1 + lots.IntN(3) {
		pod.Spec.Containers = append(pod.Spec.Containers, container("main", j))
	}
	for j := range lots.IntN(5) {
		first := container("init", j)
		if always := corev1.ContainerRestartPolicyAlways; lots.IntN(2) == 0 {
			first.RestartPolicy = &always
		}
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, first)
	}
	if lots.IntN(4) == 0 {
		pod.Spec.Overhead = amounts()
	}
	if lots.IntN(4) == 0 {
		pod.Spec.Resources = &corev1.ResourceRequirements{Requests: amounts()}
	}
	return pod
}

func TestRequestsOfRandomClustersAddUp(t *testing.T) {
	eachCluster(t, 4, func(t *testing.T, made *random.Cluster) {
		e := engineOf(t, made.State, engine.Options{})
		for _, pod := range made.Pods {
			if explanation := explain(t, e, pod); explanation.Profile != "" {
				checkRequests(t, made.State, pod, explanation)
			}
		}
	})
}

func checkRequests(t *testing.T, state *cluster.State, pod *corev1.Pod, explanation *report.Explanation) {
	t.Helper()
	want := map[string]string{}
	for name, quantity := range resourcehelpers.PodRequests(pod, resourcehelpers.PodResourcesOptions{}) {
		if !quantity.IsZero() {
			want[string(name)] = quantity.String()
		}
	}
	if pod.DeletionTimestamp != nil && len(explanation.Nodes) == 0 {
		want = map[string]string{} // kube-scheduler does not look at it
	}
	got := map[string]string{}
	for _, request := range explanation.Requests {
		var sum resource.Quantity
		for _, part := range request.From {
			checkPart(t, pod, request.Resource, part)
			sum.Add(resource.MustParse(part.Requested))
		}
		if sum.Cmp(resource.MustParse(request.Requested)) != 0 {
			t.Errorf("pod %s: %s %s is not the sum of %v", pod.Name, request.Resource, request.Requested, request.From)
		}
		got[request.Resource] = sum.String()
		checkLargest(t, state, request)
	}
	same := gocmp.Comparer(func(a, b string) bool {
		quantity := resource.MustParse(a)
		return quantity.Cmp(resource.MustParse(b)) == 0
	})
	if diff := gocmp.Diff(want, got, same); diff != "" {
		t.Errorf("pod %s/%s: requests (-want +got)\n%s", pod.Namespace, pod.Name, diff)
	}
}

// checkPart wants the part in the Pod's spec.
func checkPart(t *testing.T, pod *corev1.Pod, name string, part report.RequestPart) {
	t.Helper()
	lists := map[string]corev1.ResourceList{string(report.OfOverhead) + " ": pod.Spec.Overhead}
	if pod.Spec.Resources != nil {
		lists[string(report.OfPod)+" "] = pod.Spec.Resources.Requests
	}
	for _, container := range pod.Spec.Containers {
		lists[string(report.OfContainer)+" "+container.Name] = container.Resources.Requests
	}
	for _, container := range pod.Spec.InitContainers {
		kind := report.OfInitContainer
		if container.RestartPolicy != nil {
			kind = report.OfSidecar
		}
		lists[string(kind)+" "+container.Name] = container.Resources.Requests
	}
	has := lists[string(part.Kind)+" "+part.Name][corev1.ResourceName(name)]
	if has.IsZero() || has.Cmp(resource.MustParse(part.Requested)) != 0 {
		t.Errorf("pod %s: part %+v of %s, want %s", pod.Name, part, name, has.String())
	}
}

// checkLargest wants no node with more than the largest, and a Pod that is too large only where the largest is too
// small and no device class provides the resource on a node that has none.
func checkLargest(t *testing.T, state *cluster.State, request report.Request) {
	t.Helper()
	most := func(node *corev1.Node) int64 {
		quantity := node.Status.Allocatable[corev1.ResourceName(request.Resource)]
		return quantity.MilliValue()
	}
	largest := slices.MaxFunc(state.Nodes, func(a, b *corev1.Node) int { return cmp.Compare(most(a), most(b)) })
	fromDevices := slices.ContainsFunc(state.DeviceClasses, func(class *resourcev1.DeviceClass) bool {
		return class.Spec.ExtendedResourceName != nil && *class.Spec.ExtendedResourceName == request.Resource
	}) && slices.ContainsFunc(state.Nodes, func(node *corev1.Node) bool { return most(node) == 0 })
	requested := resource.MustParse(request.Requested)
	tooLarge := requested.MilliValue() > most(largest) && !fromDevices
	if tooLarge != request.LargerThanAnyNode {
		t.Errorf("%s %s is larger than any node: %t, want %t", request.Resource, request.Requested, !tooLarge, tooLarge)
	}
	switch {
	case request.LargestNode == nil:
		if most(largest) > 0 {
			t.Errorf("%s: no node is the largest, want %s", request.Resource, largest.Name)
		}
	case request.LargestNode.Name != largest.Name: // MaxFunc takes the first, and the nodes are sorted
		t.Errorf("%s: the largest node is %s, want %s", request.Resource, request.LargestNode.Name, largest.Name)
	}
}
