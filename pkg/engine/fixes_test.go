package engine_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
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
			explanation := explain(t, e, pod)
			for _, warning := range explanation.Warnings {
				if strings.HasPrefix(warning, "not all changes were tried") {
					t.Errorf("pod %s/%s: %s", pod.Namespace, pod.Name, warning)
				}
			}
			for _, fix := range explanation.Fixes {
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
	if upstream.Valid(t.Context(), pod) && !upstream.Valid(t.Context(), fixed) {
		t.Errorf("pod %s/%s: after %q the API server would refuse it", pod.Namespace, pod.Name, fix.Change)
	}
	after := explain(t, engineOf(t, edit.Apply(state), engine.Options{}), fixed)
	if len(fix.Victims) > 0 {
		if after.Preemption == nil {
			t.Fatalf("pod %s/%s: after %q it is %s", pod.Namespace, pod.Name, fix.Change, after.Verdict)
		}
		got := report.Fix{Nodes: []string{after.Preemption.NodeName}, Victims: after.Preemption.Victims}
		if diff := cmp.Diff(got, report.Fix{Nodes: fix.Nodes, Victims: fix.Victims}); diff != "" {
			t.Errorf("pod %s/%s: preemption after %q (-judged anew +fix)\n%s", pod.Namespace, pod.Name, fix.Change, diff)
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
		return patched(t, pod, step), edit
	case step.Patch != "" && step.Kind == "Node":
		node := objectNamed(t, edit.Apply(state).Nodes, "", step.Name)
		return pod, edit.And(whatif.Edit{Nodes: []*corev1.Node{patched(t, node, step)}})
	case step.Create != "" && step.Kind == "Node":
		return pod, edit.And(whatif.Edit{Nodes: []*corev1.Node{decoded[corev1.Node](t, step.Create)}})
	case step.Create != "" && step.Kind == "StorageClass":
		return pod, edit.And(whatif.Edit{StorageClasses: []*storagev1.StorageClass{decoded[storagev1.StorageClass](t, step.Create)}})
	case step.Create != "" && step.Kind == "CSINode":
		return pod, edit.And(whatif.Edit{CSINodes: []*storagev1.CSINode{decoded[storagev1.CSINode](t, step.Create)}})
	case step.Create != "" && step.Kind == "PersistentVolumeClaim":
		return pod, edit.And(whatif.Edit{VolumeClaims: []*corev1.PersistentVolumeClaim{
			decoded[corev1.PersistentVolumeClaim](t, step.Create)}})
	case step.Delete && step.Kind == "Pod":
		gone := objectNamed(t, state.Pods, step.Namespace, step.Name)
		edit = edit.And(whatif.Edit{Gone: []*corev1.Pod{gone}})
		if step.MovesTo != "" {
			moved := gone.DeepCopy()
			moved.Spec.NodeName, moved.Status, moved.UID = step.MovesTo, corev1.PodStatus{}, "moved"
			edit = edit.And(whatif.Edit{Placed: []*corev1.Pod{moved}})
		}
		return pod, edit
	}
	t.Fatalf("a step that does nothing known: %+v", step)
	return nil, edit
}

func patched[T any](t *testing.T, object *T, step report.Step) *T {
	t.Helper()
	before, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	apply := func() ([]byte, error) { return strategicpatch.StrategicMergePatch(before, []byte(step.Patch), new(T)) }
	if step.PatchType == "merge" {
		apply = func() ([]byte, error) { return jsonpatch.MergePatch(before, []byte(step.Patch)) }
	}
	after, err := apply()
	if err != nil {
		t.Fatalf("patch %s: %v", step.Patch, err)
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
				"lower the cpu request of container main from 4 to 1 -> a", "move pod default/old off node a (old would fit on b) -> a",
				"add one more node like a -> new-a", "add one more node like b -> new-b",
			},
		},
		"a Pod that would repel the other from where it goes is not moved": {
			[]string{
				strings.Replace(nodeText("a", ""), "zone-a", "same", 1), strings.Replace(nodeText("b", ""), "zone-b", "same", 1),
				appWeb(owned(podText("old", "3", "nodeName: a", strings.Replace(antiAffinity, "kubernetes.io/hostname",
					"topology.kubernetes.io/zone", 1)))),
				podText("full", "1", "nodeName: b"),
			},
			appWeb(podText("web", "4")),
			nil,
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
		"anti-affinity": {
			[]string{nodeText("a", ""), appWeb(podText("old", "1", "nodeName: a"))},
			appWeb(podText("web", "1", antiAffinity)),
			[]string{
				"prefer rather than require its Pod anti-affinity over kubernetes.io/hostname -> a",
				"add one more node like a -> new-a",
			},
		},
		"topology spread over a node that no Pod may go to": {
			[]string{
				nodeText("a", ""), appWeb(podText("old", "1", "nodeName: a")),
				nodeText("cp", "spec: {taints: [{key: node-role.kubernetes.io/control-plane, effect: NoSchedule}]}"),
			},
			appWeb(podText("web", "1", "topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, "+
				"whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}]")),
			[]string{
				"set nodeTaintsPolicy: Honor in the spread over kubernetes.io/hostname -> a",
				"remove the taint node-role.kubernetes.io/control-plane:NoSchedule from node cp -> cp: " +
					"kubectl taint nodes cp node-role.kubernetes.io/control-plane:NoSchedule-",
				"tolerate the taint node-role.kubernetes.io/control-plane:NoSchedule -> cp: " +
					`kubectl patch pod/web -n default -p '{"spec":{"tolerations":[{"effect":"NoSchedule",` +
					`"key":"node-role.kubernetes.io/control-plane","operator":"Exists"}]}}'`,
				"add one more node like a -> new-a",
			},
		},
		"node affinity is widened to what the node has": {
			[]string{strings.Replace(nodeText("a", ""), "labels: {", "labels: {disk: hdd, ", 1)},
			podText("web", "1", "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "+
				"[{matchExpressions: [{key: disk, operator: In, values: [ssd]}]}]}}}"),
			[]string{
				"allow disk=hdd too in its node affinity -> a",
				"do without disk in (ssd) in its node affinity -> a",
				"label node a with disk=ssd in place of disk=hdd -> a: kubectl label node a disk=ssd --overwrite",
			},
		},
		"a node that has the taint of a cordon and no cordon": {
			[]string{nodeText("a", "spec: {taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]}")},
			podText("web", "1"),
			[]string{
				"remove the taint node.kubernetes.io/unschedulable:NoSchedule from node a -> a: " +
					"kubectl taint nodes a node.kubernetes.io/unschedulable:NoSchedule-",
				"add one more node like a -> new-a",
			},
		},
		"the limit of a resource that is not overcommitted goes down with its request": {
			[]string{strings.Replace(nodeText("a", ""), `cpu: "4"`, `cpu: "4", example.com/gpu: "2"`, 1)},
			strings.Replace(podText("web", "1"), `{requests: {cpu: "1"}}`,
				`{requests: {cpu: "1", example.com/gpu: "4"}, limits: {example.com/gpu: "4"}}`, 1),
			[]string{"lower the example.com/gpu request of container main from 4 to 2 -> a"},
		},
		"a claim in use by another Pod": {
			[]string{nodeText("a", ""), claimOf("single", "ReadWriteOncePod", "pv"), volumeOf("pv", "single"),
				podText("old", "1", "nodeName: a", "volumes: [{name: data, persistentVolumeClaim: {claimName: single}}]")},
			podText("web", "1", "volumes: [{name: data, persistentVolumeClaim: {claimName: single}}]"),
			[]string{"end pod default/old, which has the volume -> a: kubectl delete pod/old -n default"},
		},
		"a StorageClass that is missing": {
			[]string{nodeText("a", ""), strings.Replace(claimOf("data", "ReadWriteOnce", ""), "volumeName",
				"storageClassName: ghost, volumeName", 1), `
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: csi.example.com
volumeBindingMode: Immediate`},
			podText("web", "1", "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]"),
			[]string{"create the StorageClass ghost (say, like fast: provisioner csi.example.com, WaitForFirstConsumer) -> a"},
		},
		"a claim that the StatefulSet describes": {
			[]string{nodeText("a", ""), `
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: csi.example.com
volumeBindingMode: WaitForFirstConsumer`, ownerText + `
  volumeClaimTemplates:
  - metadata: {name: data}
    spec: {storageClassName: fast, accessModes: [ReadWriteOnce], resources: {requests: {storage: 50Gi}}}`},
			owned(podText("web", "1", "volumes: [{name: data, persistentVolumeClaim: {claimName: data-web}}]")),
			[]string{"create the PersistentVolumeClaim data-web as its StatefulSet has it (50Gi) -> a"},
		},
		"preemption that the Pod's own policy forbids": {
			[]string{nodeText("a", ""), podText("old", "3", "nodeName: a")},
			podText("web", "4", "priority: 5", "preemptionPolicy: Never"),
			[]string{
				"lower the cpu request of container main from 4 to 1 -> a", "add one more node like a -> new-a",
				"set its preemptionPolicy to PreemptLowerPriority -> a",
			},
		},
		"ports that a strategic merge patch does not tell apart": {
			[]string{nodeText("a", ""), strings.Replace(podText("old", "1", "nodeName: a"),
				"image: app", "image: app, ports: [{hostPort: 53, containerPort: 53, protocol: UDP}]", 1)},
			strings.Replace(podText("web", "1"), "image: app", "image: app, ports: "+
				"[{hostPort: 53, containerPort: 53}, {hostPort: 53, containerPort: 53, protocol: UDP}]", 1),
			[]string{"do without the host port 53/UDP -> a", "add one more node like a -> new-a"},
		},
		"words that a shell would act on": {
			[]string{nodeText("a", "")},
			podText("web", "1", "nodeSelector: {disk: $(reboot)}"),
			[]string{
				"do without disk=$(reboot) in its nodeSelector -> a",
				"label node a with disk=$(reboot) -> a: kubectl label node a 'disk=$(reboot)'",
			},
		},
		"what is not in the template of the workload is changed in the Pod": {
			[]string{nodeText("a", ""), ownerText},
			owned(podText("web", "1", "schedulingGates: [{name: example.com/quota}]")),
			[]string{`remove the gate example.com/quota -> a: kubectl patch pod/web -n default -p '{"spec":{"schedulingGates":null}}'`},
		},
		"a workload that is not Kubernetes' own": {
			[]string{nodeText("a", "")},
			strings.Replace(owned(podText("web", "1", "schedulingGates: [{name: example.com/quota}]")),
				"apps/v1", "apps.example.com/v1", 1),
			[]string{`remove the gate example.com/quota -> a: kubectl patch pod/web -n default -p '{"spec":{"schedulingGates":null}}'`},
		},
		"a new node has what runs on every node of its kind, and no label that names another": {
			[]string{strings.Replace(nodeText("a", "spec: {unschedulable: true}"), "labels: {", "labels: {example.com/node: a, ", 1),
				strings.Replace(owned(podText("agent", "1", "nodeName: a")), "kind: StatefulSet", "kind: DaemonSet", 1)},
			podText("web", "3500m", "nodeSelector: {example.com/node: a}"),
			[]string{"uncordon node a, and lower the cpu request of container main from 3500m to 3 -> a: kubectl uncordon a"},
		},
		"a template of a workload is changed, not its Pod": {
			[]string{nodeText("a", "spec: {taints: [{key: gpu, effect: NoSchedule}]}"), ownerText},
			owned(podText("web", "2")),
			[]string{
				`tolerate the taint gpu:NoSchedule -> a: kubectl patch statefulset/old -n default -p '{"spec":{"template":{"spec":` +
					`{"tolerations":[{"effect":"NoSchedule","key":"gpu","operator":"Exists"}]}}}}' && kubectl delete pod/web -n default`,
				"remove the taint gpu:NoSchedule from node a -> a: kubectl taint nodes a gpu:NoSchedule-",
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
		"nothing for a Pod that is being deleted": {
			[]string{nodeText("a", "")},
			deleted(podText("web", "1", "schedulingGates: [{name: example.com/quota}]")),
			nil,
		},
		"a claim that is missing, where a class can make its volume": {
			[]string{nodeText("a", ""), `
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: csi.example.com
volumeBindingMode: WaitForFirstConsumer`},
			podText("web", "1", "volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]"),
			[]string{"create the PersistentVolumeClaim data (say, 1Gi of StorageClass fast, ReadWriteOnce) -> a"},
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

func claimOf(name, mode, volume string) string {
	return fmt.Sprintf(`
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: %s, namespace: default, annotations: {pv.kubernetes.io/bind-completed: "yes"}}
spec: {accessModes: [%s], volumeName: "%s", resources: {requests: {storage: 1Gi}}}`, name, mode, volume)
}

func volumeOf(name, claim string) string {
	return fmt.Sprintf(`
apiVersion: v1
kind: PersistentVolume
metadata: {name: %s}
spec:
  accessModes: [ReadWriteOncePod]
  capacity: {storage: 1Gi}
  claimRef: {name: %s, namespace: default}
  csi: {driver: csi.example.com, volumeHandle: one}`, name, claim)
}

// ownerText is the controller of an owned Pod.
const ownerText = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: old, namespace: default, uid: old}
spec:
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: app}]}}`

// owned gives a Pod of podText a controller that makes it anew.
func owned(text string) string {
	return strings.Replace(text, "namespace: default,", "namespace: default, ownerReferences: "+
		"[{apiVersion: apps/v1, kind: StatefulSet, name: old, uid: old, controller: true}],", 1)
}

func appWeb(text string) string {
	return strings.Replace(text, "namespace: default,", "namespace: default, labels: {app: web},", 1)
}

// A DaemonSet's answer has the fixes of its first Pod that does not fit, which are about that Pod's node.
func TestFixesOfADaemonSet(t *testing.T) {
	state := stateOf(t, nodeText("a", ""), nodeText("b", ""), podText("old", "3", "nodeName: b"), `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: default, uid: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: main, image: app, resources: {requests: {cpu: "2"}}}]}`)
	answer, err := engineOf(t, state, engine.Options{Fixes: 1}).ExplainDaemonSet(t.Context(), state.DaemonSets[0])
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, fix := range answer.Fixes {
		got = append(got, fix.Change+" -> "+strings.Join(fix.Nodes, " ")+": "+fix.Steps[0].Command)
	}
	want := []string{"lower the cpu request of container main from 2 to 1 -> b: kubectl patch daemonset/agent -n default -p " +
		`'{"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"main"}],"containers":` +
		`[{"name":"main","resources":{"requests":{"cpu":"1"}}}]}}}}'`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fixes (-want +got)\n%s", diff)
	}
}
