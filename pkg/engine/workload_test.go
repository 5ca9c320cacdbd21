package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
)

func TestManifestOfEveryWorkload(t *testing.T) {
	const selected = `selector: {matchLabels: {app: web}}, template: ` +
		`{metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: app}]}}`
	state := stateOf(t, podText("web-0", "1"))
	for sentence, test := range map[string]struct {
		workload, name string
		claims         []string
	}{
		"a Pod is its own":  {workload: podText("web", "1"), name: "web"},
		"a Deployment":      {workload: "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {" + selected + "}", name: "web"},
		"a ReplicaSet":      {workload: "apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: web}\nspec: {" + selected + "}", name: "web"},
		"a DaemonSet: none": {workload: "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: web}\nspec: {" + selected + "}"},
		"a StatefulSet: the first Pod that is not there, with its claims": {
			workload: "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: web}\nspec: {serviceName: web, " + selected +
				", volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]}",
			name: "web-1", claims: []string{"data-web-1"}},
		"a Job": {name: "web", workload: "apiVersion: batch/v1\nkind: Job\nmetadata: {name: web}\n" +
			"spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: app}]}, metadata: {labels: {app: web}}}}"},
		"a CronJob": {name: "web", workload: "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: web}\nspec: {schedule: '* * * * *', " +
			"jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: app}]}, metadata: {labels: {app: web}}}}}}"},
		"a ReplicationController": {name: "web", workload: "apiVersion: v1\nkind: ReplicationController\nmetadata: {name: web}\n" +
			"spec: {selector: {app: web}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: app}]}}}"},
		"a PodTemplate": {name: "web", workload: "apiVersion: v1\nkind: PodTemplate\nmetadata: {name: web}\n" +
			"template: {metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: app}]}}"},
	} {
		t.Run(sentence, func(t *testing.T) {
			manifest := engine.ManifestOf(state, objectOf(t, test.workload))
			if manifest.Pod == nil {
				if test.name != "" {
					t.Fatal("got no Pod")
				}
				return
			}
			got := []string{manifest.Pod.Namespace, manifest.Pod.Name, manifest.Pod.Spec.Containers[0].Image}
			if diff := cmp.Diff([]string{"default", test.name, "app"}, got); diff != "" {
				t.Errorf("namespace, name and image (-want +got)\n%s", diff)
			}
			var claims []string
			for _, claim := range manifest.VolumeClaims {
				claims = append(claims, claim.Name)
			}
			if diff := cmp.Diff(test.claims, claims); diff != "" {
				t.Errorf("claims (-want +got)\n%s", diff)
			}
		})
	}
}

const ownedPods = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default, uid: uid-d}
spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: app}]}}}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  name: web-1
  namespace: default
  ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: uid-d, controller: true}]
spec: {selector: {matchLabels: {app: web}}}
`

// ownedPod is a Pod of the ReplicaSet web-1; its owner's namespace is the Pod's.
func ownedPod(name, cpu, spec string) string {
	return `
apiVersion: v1
kind: Pod
metadata:
  name: ` + name + `
  namespace: default
  labels: {app: web}
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-1, uid: uid-r, controller: true}]
spec:
  containers: [{name: main, image: app, resources: {requests: {cpu: "` + cpu + `"}}, volumeMounts: [{name: kube-api-access-` + name + `, mountPath: /t}]}]
  volumes: [{name: kube-api-access-` + name + `, emptyDir: {}}]
  ` + spec
}

func TestPendingPodsOfAWorkloadAreGrouped(t *testing.T) {
	state := stateOf(t, ownedPods, podText("stranger", "1"),
		ownedPod("web-1-a", "1", ""), ownedPod("web-1-b", "1", ""), ownedPod("web-1-c", "2", ""),
		ownedPod("web-1-running", "1", "nodeName: node"), ownedPod("web-1-done", "1", "\nstatus: {phase: Failed}"),
		ownedPod("web-1-d", "1", "\nstatus: {nominatedNodeName: node}"), ownedPod("web-1-e", "2", ""))
	for _, pod := range stateOf(t, ownedPod("web-1-f", "3", ""), ownedPod("web-1-g", "3", "")).Pods {
		own := corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}}
		pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: "own", VolumeSource: own})
		state.Pods = append(state.Pods, pod)
	}
	pending := engine.Pending(state, state.Deployments[0])
	var got [][]string
	for _, group := range engine.Group(pending) {
		var names []string
		for _, pod := range group {
			names = append(names, pod.Name)
		}
		got = append(got, names)
	}
	want := [][]string{{"web-1-a", "web-1-b"}, {"web-1-c", "web-1-e"}, {"web-1-d"}, {"web-1-f"}, {"web-1-g"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("groups (-want +got)\n%s", diff)
	}
	alone := engine.Group([]*corev1.Pod{podNamed(t, state, "stranger"), podNamed(t, state, "stranger").DeepCopy()})
	if len(alone) != 2 {
		t.Errorf("Pods without an owner make %d groups, want one each", len(alone))
	}
}

const daemonSet = `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: default, uid: uid-set}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      nodeSelector: {agent: "yes"}
      containers: [{name: main, image: app, resources: {requests: {cpu: "2"}}}]
`

func TestDaemonSet(t *testing.T) {
	wanted := func(name, more string) string {
		return `
apiVersion: v1
kind: Node
metadata: {name: ` + name + `, labels: {kubernetes.io/hostname: ` + name + `, agent: "yes"}}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}
` + more
	}
	own := `
apiVersion: v1
kind: Pod
metadata:
  name: agent-own
  namespace: default
  uid: uid-own
  ownerReferences: [{apiVersion: apps/v1, kind: DaemonSet, name: agent, uid: uid-set, controller: true}]
spec: {nodeName: own, containers: [{name: main, image: app, resources: {requests: {cpu: "3"}}}]}
`
	for sentence, test := range map[string]struct {
		cluster []string
		want    []string
		message string
	}{
		"each wanted node has a Pod of its own": {
			cluster: []string{wanted("cordoned", "spec: {unschedulable: true}"), nodeText("other", ""), wanted("own", ""), own},
			want:    []string{"Schedulable", "cordoned Feasible", "own Feasible", "other NotEvaluated"},
		},
		"the first Pod that does not fit gives the message": {
			cluster: []string{wanted("full", ""), wanted("own", ""), podText("big", "3", "nodeName: full")},
			want:    []string{"Unschedulable", "own Feasible", "full Rejected NodeResourcesFit"},
			message: "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't satisfy plugin(s) [NodeAffinity]. " +
				"preemption: 0/2 nodes are available: 1 No preemption victims found for incoming pod, 1 Preemption is not " +
				"helpful for scheduling.",
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			state := stateOf(t, append(test.cluster, daemonSet, "apiVersion: v1\nkind: Namespace\nmetadata: {name: default}")...)
			explanation, err := engineOf(t, state, engine.Options{}).ExplainDaemonSet(t.Context(), state.DaemonSets[0])
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, brief(explanation)); diff != "" {
				t.Errorf("verdicts (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(test.message, explanation.Message); diff != "" {
				t.Errorf("message (-want +got)\n%s", diff)
			}
		})
	}
}
