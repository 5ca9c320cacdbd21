package cluster_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

func TestReadManifestsKeepsTheOrder(t *testing.T) {
	const workloads = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: s}
---
apiVersion: v1
kind: Service
metadata: {name: s, unknown: ignored}
---
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Pod, metadata: {name: p, namespace: x}}
- {apiVersion: batch/v1, kind: Job, metadata: {generateName: j-}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: c}}
- {apiVersion: v1, kind: ReplicationController, metadata: {name: r}}
- {apiVersion: v1, kind: PodTemplate, metadata: {name: t}}
---
apiVersion: extensions/v1beta1
kind: Deployment
metadata: {name: d}
spec: {template: {metadata: {labels: {a: b}}}}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: c}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: d}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: r}
---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: r}
`
	objects, warnings, err := cluster.ReadManifests(t.Context(), []cluster.File{file("w.yaml", workloads), file("p", podJSON)})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, object := range objects {
		gvk := object.GetObjectKind().GroupVersionKind()
		got = append(got, fmt.Sprintf("%s %s %s/%s", gvk.GroupVersion(), gvk.Kind, object.GetNamespace(), object.GetName()))
	}
	want := []string{
		"apps/v1 StatefulSet /s", "v1 Pod x/p", "batch/v1 Job /j-xxxxx", "v1 ReplicationController /r", "v1 PodTemplate /t",
		"apps/v1 Deployment /d", "batch/v1 CronJob /c", "apps/v1 DaemonSet /d", "apps/v1 ReplicaSet /r", "apps/v1 ReplicaSet /r",
		"v1 Pod shop/web",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	wantWarnings := []string{
		"skipped 2 objects that are not Pods and make none: ConfigMap 1, Service 1",
		"read 1 object of older API versions as today's: extensions/v1beta1 Deployment 1",
	}
	if diff := cmp.Diff(wantWarnings, warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestReadManifestsTellsWhatIsWrong(t *testing.T) {
	const hint = "give the manifest of a Pod, or of what makes Pods, such as a Deployment"
	misindented, err := os.ReadFile("testdata/misindented-affinity.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ text, want string }{
		"a misindented field": {string(misindented),
			`pod.yaml: document 1 (line 9): Pod default/wants-ssd: unknown field "spec.affinity.nodeAffinity.nodeSelectorTerms"`},
		"several unknown fields": {podWithContainer + "    imag: x\n  nodeSelectr: {}\n",
			`pod.yaml: document 1 (line 8): Pod web: unknown fields "spec.containers[0].imag", "spec.nodeSelectr"`},
		"an unknown field in an item of a List": {"apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: a\n    lables: {}\n",
			`pod.yaml: document 1, item 1 (line 8): Pod a: unknown field "metadata.lables"`},
		"an unknown field in JSON": {podJSON + `{"apiVersion":"v1","kind":"Pod",` + "\n" + `"metadata":{"name":"b"},` + "\n" + `"sepc":{}}`,
			`pod.yaml: document 2 (line 3): Pod b: unknown field "sepc"`},
		"a wrong type": {podWithContainer + "  nodeSelector: {a: 1}\n",
			"pod.yaml: document 1 (line 8): Pod web: spec.nodeSelector.a: 1 is a number where a string belongs: put it in quotes"},
		"no Pods":    {nodeYAML, "pod.yaml: no Pod or workload, only Node 1: " + hint},
		"no objects": {"", "pod.yaml: no Pod or workload, nothing at all: " + hint},
		"no name":    {"apiVersion: v1\nkind: Pod\nspec: {}\n", "pod.yaml: document 1 (line 1): Pod: metadata.name is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := cluster.ReadManifests(t.Context(), []cluster.File{file("pod.yaml", test.text)})
			if err == nil || err.Error() != test.want {
				t.Errorf("error:\n got %v\nwant %s", err, test.want)
			}
		})
	}
}
