package engine_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/pkg/whatif"
	"github.com/kubectl-sched/kubectl-sched/test/random"
)

// Every fix that is shown is true: carried out as its steps say, on a cluster and by an engine of its own, it opens
// just the nodes that it names, or lets kube-scheduler evict Pods there.
func TestFixesAreTrue(t *testing.T) {
	kinds := map[string]int{}
	eachCluster(t, 8, func(t *testing.T, made *random.Cluster) {
		e := engineOf(t, made.State, engine.Options{Fixes: 5})
		for _, pod := range made.Pods {
			for _, fix := range explain(t, e, pod).Fixes {
				for _, step := range fix.Steps {
					kinds[step.Kind]++
				}
				checkFix(t, made.State, pod, fix)
			}
		}
	})
	t.Logf("steps by kind: %v", kinds)
	for _, kind := range []string{"Pod", "Node"} {
		if kinds[kind] == 0 {
			t.Errorf("no fix changes a %s: the clusters do not test it", kind)
		}
	}
}

// checkFix judges the Pod anew after the fix.
func checkFix(t *testing.T, state *cluster.State, pod *corev1.Pod, fix report.Fix) {
	t.Helper()
	fixed, edit := pod.DeepCopy(), whatif.Edit{}
	for _, step := range fix.Steps {
		fixed, edit = carryOut(t, state, fixed, edit, step)
	}
	after := explain(t, engineOf(t, edit.Apply(state), engine.Options{}), fixed)
	if len(fix.Victims) > 0 {
		if after.Preemption == nil || !slices.ContainsFunc(after.Preemption.Candidates, func(c report.Candidate) bool {
			return c.NodeName == fix.Nodes[0] && len(c.Victims) == len(fix.Victims)
		}) {
			t.Errorf("pod %s/%s: after %q kube-scheduler evicts nobody on %v", pod.Namespace, pod.Name, fix.Change, fix.Nodes)
		}
		return
	}
	if diff := cmp.Diff(feasibleNames(after.Nodes), fix.Nodes); diff != "" || after.Verdict != report.Schedulable {
		t.Errorf("pod %s/%s: after %q it is %s (-judged anew +fix)\n%s%s", pod.Namespace, pod.Name, fix.Change,
			after.Verdict, diff, after.Message)
	}
}

func feasibleNames(nodes []report.Node) []string {
	names := []string{}
	for _, node := range nodes {
		if node.Verdict == report.Feasible {
			names = append(names, node.Name)
		}
	}
	slices.Sort(names)
	return names
}

// carryOut does what a step says and nothing else.
func carryOut(t *testing.T, state *cluster.State, pod *corev1.Pod, edit whatif.Edit, step report.Step) (
	*corev1.Pod, whatif.Edit,
) {
	t.Helper()
	switch {
	case step.Patch != "" && step.Kind == "Pod":
		return patched(t, pod, step.Patch), edit
	case step.Patch != "" && step.Kind == "Node":
		node := objectNamed(t, edit.Apply(state).Nodes, "", step.Name)
		return pod, edit.And(whatif.Edit{Nodes: []*corev1.Node{patched(t, node, step.Patch)}})
	case step.Create != "" && step.Kind == "Node":
		return pod, edit.And(whatif.Edit{Nodes: []*corev1.Node{decoded[corev1.Node](t, step.Create)}})
	case step.Create != "" && step.Kind == "StorageClass":
		return pod, edit.And(whatif.Edit{StorageClasses: []*storagev1.StorageClass{decoded[storagev1.StorageClass](t, step.Create)}})
	case step.Create != "" && step.Kind == "PersistentVolumeClaim":
		return pod, edit.And(whatif.Edit{VolumeClaims: []*corev1.PersistentVolumeClaim{
			decoded[corev1.PersistentVolumeClaim](t, step.Create)}})
	case step.Delete && step.Kind == "Pod":
		return pod, edit.And(whatif.Edit{Gone: []*corev1.Pod{objectNamed(t, state.Pods, step.Namespace, step.Name)}})
	}
	t.Fatalf("a step that does nothing known: %+v", step)
	return nil, edit
}

func patched[T any](t *testing.T, object *T, patch string) *T {
	t.Helper()
	before, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	after, err := strategicpatch.StrategicMergePatch(before, []byte(patch), new(T))
	if err != nil {
		t.Fatalf("patch %s: %v", patch, err)
	}
	return decoded[T](t, string(after))
}

func decoded[T any](t *testing.T, text string) *T {
	t.Helper()
	out := new(T)
	if err := json.Unmarshal([]byte(text), out); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out
}

func objectNamed[T cluster.Object](t *testing.T, objects []T, namespace, name string) T {
	t.Helper()
	i := slices.IndexFunc(objects, func(o T) bool { return o.GetNamespace() == namespace && o.GetName() == name })
	if i < 0 {
		t.Fatalf("no object %s/%s", namespace, name)
	}
	return objects[i]
}

// Looking for fixes changes no answer that comes after it.
func TestFixesLeaveNothingBehind(t *testing.T) {
	eachCluster(t, 4, func(t *testing.T, made *random.Cluster) {
		before := asJSON(t, made.State)
		with := engineOf(t, made.State, engine.Options{Fixes: 5})
		without := engineOf(t, made.State, engine.Options{})
		for _, pod := range made.Pods {
			explain(t, with, pod)
		}
		for _, pod := range made.Pods {
			got, want := explain(t, with, pod), explain(t, without, pod)
			got.Fixes, got.FixesTried = want.Fixes, 0
			if diff := cmp.Diff(asJSON(t, want), asJSON(t, got)); diff != "" {
				t.Errorf("pod %s/%s (-without +with fixes)\n%s", pod.Namespace, pod.Name, diff)
			}
		}
		if after := asJSON(t, made.State); after != before {
			t.Error("the State has changed")
		}
	})
}

func TestFixes(t *testing.T) {
	for sentence, test := range map[string]struct {
		state []string
		pod   string
		want  []string
	}{
		"the request is lowered to what is free": {
			[]string{nodeText("a", ""), podText("old", "3", "nodeName: a")},
			podText("web", "2"),
			[]string{"lower the cpu request of container main from 2 to 1 -> a", "add one more node like a -> new-a"},
		},
		"a cordoned node is taken back": {
			[]string{nodeText("a", "spec: {unschedulable: true, taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]}")},
			podText("web", "2"),
			[]string{"uncordon node a -> a: kubectl uncordon a", "add one more node like a -> new-a"},
		},
		"a taint is tolerated or taken away": {
			[]string{nodeText("a", "spec: {taints: [{key: gpu, value: 'yes', effect: NoSchedule}]}")},
			podText("web", "2"),
			[]string{
				`tolerate the taint gpu=yes:NoSchedule -> a: kubectl patch pod/web -n default -p '{"spec":{"tolerations":[{"effect":"NoSchedule","key":"gpu","operator":"Equal","value":"yes"}]}}'`,
				"remove the taint gpu=yes:NoSchedule from node a -> a: kubectl taint nodes a gpu=yes:NoSchedule-",
			},
		},
		"two changes at once": {
			[]string{
				nodeText("a", "spec: {taints: [{key: gpu, effect: NoSchedule}]}"), podText("old", "3", "nodeName: a"),
			},
			podText("web", "2"),
			[]string{
				"tolerate the taint gpu:NoSchedule, and lower the cpu request of container main from 2 to 1 -> a: " +
					`kubectl patch pod/web -n default -p '{"spec":{"tolerations":[{"effect":"NoSchedule","key":"gpu","operator":"Exists"}]}}'`,
				"remove the taint gpu:NoSchedule from node a, and lower the cpu request of container main from 2 to 1 -> a: " +
					"kubectl taint nodes a gpu:NoSchedule-",
			},
		},
		"the Pod that is in the way goes elsewhere": {
			[]string{
				nodeText("a", ""), nodeText("b", "spec: {taints: [{key: node.kubernetes.io/not-ready, effect: NoSchedule}]}"),
				owned(podText("old", "3", "nodeName: a", "tolerations: [{operator: Exists}]")),
			},
			podText("web", "4"),
			[]string{
				"lower the cpu request of container main from 4 to 1 -> a", "move pod default/old off node a -> a",
				"add one more node like a -> new-a", "add one more node like b -> new-b",
			},
		},
		"a Pod that finds no other node is not moved": {
			[]string{nodeText("a", ""), owned(podText("old", "3", "nodeName: a"))},
			podText("web", "4"),
			[]string{"lower the cpu request of container main from 4 to 1 -> a", "add one more node like a -> new-a"},
		},
		"a higher priority": {
			[]string{nodeText("a", ""), podText("old", "3", "nodeName: a", "priority: 5"), `
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: urgent}
value: 10`},
			podText("web", "4"),
			[]string{
				"lower the cpu request of container main from 4 to 1 -> a", "add one more node like a -> new-a",
				"give it the PriorityClass urgent (10) -> a",
			},
		},
		"host ports": {
			[]string{nodeText("a", ""), strings.Replace(podText("old", "1", "nodeName: a"),
				"image: app", "image: app, ports: [{hostPort: 80, containerPort: 80}]", 1)},
			strings.Replace(podText("web", "1"), "image: app", "image: app, ports: [{hostPort: 80, containerPort: 80}]", 1),
			[]string{"do without the host port 80/TCP -> a", "add one more node like a -> new-a"},
		},
		"topology spread and anti-affinity": {
			[]string{nodeText("a", ""), appWeb(podText("old", "1", "nodeName: a"))},
			appWeb(podText("web", "1", antiAffinity)),
			[]string{
				"prefer rather than require its Pod anti-affinity over kubernetes.io/hostname -> a",
				"add one more node like a -> new-a",
			},
		},
		"a label that the node lacks": {
			[]string{nodeText("a", "")},
			podText("web", "1", "nodeSelector: {disk: ssd}"),
			[]string{
				"do without disk=ssd in its nodeSelector -> a",
				"label node a with disk=ssd -> a: kubectl label node a disk=ssd",
			},
		},
		"a node that is not ready is left alone": {
			[]string{nodeText("a", "spec: {taints: [{key: node.kubernetes.io/not-ready, effect: NoSchedule}]}")},
			podText("web", "1"),
			[]string{"add one more node like a -> new-a"},
		},
		"scheduling gates": {
			[]string{nodeText("a", "")},
			podText("web", "1", "schedulingGates: [{name: example.com/quota}]"),
			[]string{`remove the gate example.com/quota -> a: kubectl patch pod/web -n default -p '{"spec":{"schedulingGates":null}}'`},
		},
		"a claim that is missing, where a class can make its volume": {
			[]string{nodeText("a", ""), `
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: csi.example.com
volumeBindingMode: WaitForFirstConsumer`},
			podText("web", "1", "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]"),
			[]string{"create the PersistentVolumeClaim data (StorageClass fast) -> a"},
		},
		"nothing short helps": {
			[]string{nodeText("a", "")},
			podText("web", "64"),
			nil,
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			state := stateOf(t, append(test.state, test.pod)...)
			e := engineOf(t, state, engine.Options{Fixes: 5})
			var got []string
			for _, fix := range explain(t, e, podNamed(t, state, "web")).Fixes {
				line := fix.Change + " -> " + strings.Join(fix.Nodes, " ")
				for _, step := range fix.Steps {
					if step.Command != "" {
						line += ": " + step.Command
					}
				}
				got = append(got, line)
				checkFix(t, state, podNamed(t, state, "web"), fix)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("fixes (-want +got)\n%s", diff)
			}
		})
	}
}

const antiAffinity = `affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [
    {topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}]}}`

// owned gives a Pod of podText a controller that makes it anew.
func owned(text string) string {
	return strings.Replace(text, "namespace: default,", "namespace: default, ownerReferences: "+
		"[{apiVersion: apps/v1, kind: StatefulSet, name: old, uid: old, controller: true}],", 1)
}

func appWeb(text string) string {
	return strings.Replace(text, "namespace: default,", "namespace: default, labels: {app: web},", 1)
}
