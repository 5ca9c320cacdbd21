package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// clusterForManifests has what admission reads.
const clusterForManifests = `
apiVersion: v1
kind: Namespace
metadata: {name: default}
---
apiVersion: v1
kind: Namespace
metadata: {name: limited}
---
apiVersion: v1
kind: LimitRange
metadata: {name: limits, namespace: limited}
spec: {limits: [{type: Container, defaultRequest: {cpu: "3"}, max: {cpu: "6"}}]}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 1000
---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: sandbox}
handler: sandbox
overhead: {podFixed: {cpu: "2"}}
scheduling: {nodeSelector: {kubernetes.io/hostname: b}, tolerations: [{key: sandbox, operator: Exists}]}
---
` + `
apiVersion: v1
kind: Pod
metadata: {name: full, namespace: default, uid: uid-full}
spec:
  nodeName: a
  containers: [{name: main, image: app, resources: {requests: {cpu: "2500m"}}}]
status: {startTime: 2026-01-01T00:00:00Z}
`

// What admission adds to a manifest shows in the answer.
func TestManifestsAreJudgedAsTheyWouldBeStored(t *testing.T) {
	state := stateOf(t, clusterForManifests, nodeText("a", ""),
		nodeText("b", "spec: {taints: [{key: sandbox, effect: NoSchedule}, {key: node.kubernetes.io/not-ready, effect: NoExecute}]}"))
	e := engineOf(t, state, engine.Options{})
	for sentence, test := range map[string]struct {
		manifest string
		want     []string
		message  string
	}{
		"a not-ready node is tolerated by default": {
			manifest: podText("x", "1", "tolerations: [{key: sandbox, operator: Exists}]"),
			want:     []string{"Schedulable b", "b Feasible", "a Feasible"},
		},
		"limits become requests": {
			manifest: strings.Replace(podText("x", "2"), "requests", "limits", 1),
			want:     []string{"Unschedulable", "a Rejected NodeResourcesFit", "b Rejected TaintToleration"},
		},
		"a LimitRange gives requests": {
			manifest: "apiVersion: v1\nkind: Pod\nmetadata: {name: x, namespace: limited}\n" +
				"spec: {containers: [{name: main, image: app}]}",
			want: []string{"Unschedulable", "a Rejected NodeResourcesFit", "b Rejected TaintToleration"},
		},
		"a runtime class gives overhead, selector and tolerations": {
			manifest: podText("x", "3", "runtimeClassName: sandbox"),
			want:     []string{"Unschedulable", "a Rejected NodeAffinity NodeResourcesFit", "b Rejected NodeResourcesFit"},
		},
		"a request above the LimitRange's limit is refused": {
			manifest: strings.Replace(podText("x", "7"), "namespace: default", "namespace: limited", 1),
			want:     []string{"Invalid"},
			message: `Pod "x" is invalid: spec.containers[0].resources.requests: Invalid value: "7": must be less than or ` +
				"equal to cpu limit of 6",
		},
		"a priority class that is missing": {
			manifest: podText("x", "1", "priorityClassName: none"),
			want:     []string{"Invalid"},
			message:  `pods "x" is forbidden: no PriorityClass with name none was found`,
		},
		"a runtime class that is missing": {
			manifest: podText("x", "1", "runtimeClassName: none"),
			want:     []string{"Invalid"},
			message:  `pods "x" is forbidden: pod rejected: RuntimeClass "none" not found`,
		},
		"a namespace that is missing": {
			manifest: strings.Replace(podText("x", "1"), "namespace: default", "namespace: none", 1),
			want:     []string{"Invalid"},
			message:  `namespaces "none" not found`,
		},
		"a port that is none": {
			manifest: strings.Replace(podText("x", "1"), "image: app,", "image: app, ports: [{containerPort: 70000}],", 1),
			want:     []string{"Invalid"},
			message: `Pod "x" is invalid: spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and ` +
				"65535, inclusive",
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			pod := objectOf(t, test.manifest).(*corev1.Pod)
			explanation, err := e.ExplainManifest(t.Context(), engine.Manifest{Pod: pod})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, brief(explanation)); diff != "" {
				t.Errorf("verdicts (-want +got)\n%s", diff)
			}
			if explanation.Verdict == report.Invalid {
				if diff := cmp.Diff(test.message, explanation.Message); diff != "" {
					t.Errorf("message (-want +got)\n%s", diff)
				}
			}
		})
	}
}

func TestPriorityOfAManifestPreempts(t *testing.T) {
	state := stateOf(t, clusterForManifests, nodeText("a", ""))
	e := engineOf(t, state, engine.Options{})
	for _, class := range []string{"high", "system-cluster-critical", "system-node-critical"} {
		t.Run(class, func(t *testing.T) {
			pod := objectOf(t, podText("x", "2", "priorityClassName: "+class)).(*corev1.Pod)
			explanation, err := e.ExplainManifest(t.Context(), engine.Manifest{Pod: pod})
			if err != nil {
				t.Fatal(err)
			}
			got := explanation.Preemption
			if got == nil || got.NodeName != "a" || len(got.Victims) != 1 || got.Victims[0].Name != "full" {
				t.Errorf("got %+v, want Pod full evicted from node a", got)
			}
		})
	}
}

// matchLabelKeys narrow a constraint to the Pods of the manifest's own revision: the API server merges them in.
func TestMatchLabelKeysOfAManifestAreMerged(t *testing.T) {
	const labels = "labels: {app: web, rev: %s}, namespace: default,"
	label := func(text, rev string) string {
		return strings.Replace(text, "namespace: default,", strings.Replace(labels, "%s", rev, 1), 1)
	}
	state := stateOf(t, clusterForManifests, nodeText("c", ""), nodeText("d", ""), nodeText("e", ""),
		label(podText("old-1", "1", "nodeName: d"), "old"), label(podText("new-1", "1", "nodeName: c"), "new"))
	e := engineOf(t, state, engine.Options{})
	const keys = `[{labelSelector: {matchLabels: {app: web}}, matchLabelKeys: [rev], topologyKey: kubernetes.io/hostname`
	for sentence, spec := range map[string]string{
		"of a spread constraint": "topologySpreadConstraints: " + keys + ", maxSkew: 1, whenUnsatisfiable: DoNotSchedule}]",
		"of an anti-affinity term": "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " +
			keys + "}]}}",
	} {
		t.Run(sentence, func(t *testing.T) {
			pod := objectOf(t, label(podText("x", "1", spec), "new")).(*corev1.Pod)
			explanation, err := e.ExplainManifest(t.Context(), engine.Manifest{Pod: pod})
			if err != nil {
				t.Fatal(err)
			}
			for _, node := range explanation.Nodes {
				if feasible := node.Verdict == report.Feasible; feasible == (node.Name == "c") {
					t.Errorf("node %s is %s: only c has a Pod of the same revision", node.Name, node.Verdict)
				}
			}
		})
	}
}
