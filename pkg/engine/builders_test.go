package engine_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// stateOf reads a State from the documents of YAML text, with API defaults.
func stateOf(t *testing.T, documents ...string) *cluster.State {
	t.Helper()
	state, err := cluster.ReadFiles(t.Context(), []cluster.File{fileOf(documents...)})
	if err != nil {
		t.Fatal(err)
	}
	upstream.SetDefaults(state)
	return state
}

// objectOf reads one manifest, in the namespace default when it names none.
func objectOf(t *testing.T, text string) cluster.Object {
	t.Helper()
	objects, _, err := cluster.ReadManifests(t.Context(), []cluster.File{fileOf(text)})
	if err != nil {
		t.Fatal(err)
	}
	if objects[0].GetNamespace() == "" {
		objects[0].SetNamespace("default")
	}
	return objects[0]
}

func fileOf(documents ...string) cluster.File {
	text := strings.Join(documents, "\n---\n")
	return cluster.File{Name: "test.yaml", Open: func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(text)), nil
	}}
}

// configOf reads a KubeSchedulerConfiguration without its first lines.
func configOf(t *testing.T, text string) *upstream.Config {
	t.Helper()
	const head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
	config, err := upstream.ReadConfig("config.yaml", []byte(head+text))
	if err != nil {
		t.Fatal(err)
	}
	return config
}

func engineOf(t *testing.T, state *cluster.State, options engine.Options) *engine.Engine {
	t.Helper()
	e, err := engine.New(t.Context(), state, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

// podNamed finds a Pod of the State.
func podNamed(t *testing.T, state *cluster.State, name string) *corev1.Pod {
	t.Helper()
	for _, pod := range state.Pods {
		if pod.Name == name {
			return pod
		}
	}
	t.Fatalf("no Pod is named %s", name)
	return nil
}

// nodeText is a node with 4 CPUs; more is added to its document.
func nodeText(name, more string) string {
	return fmt.Sprintf(`
apiVersion: v1
kind: Node
metadata: {name: %[1]s, labels: {kubernetes.io/hostname: %[1]s, topology.kubernetes.io/zone: zone-%[1]s}}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}
%[2]s`, name, more)
}

// podText is a Pod that asks for CPUs; more is added to its spec, one field a line.
func podText(name, cpu string, more ...string) string {
	return fmt.Sprintf(`
apiVersion: v1
kind: Pod
metadata: {name: %[1]s, namespace: default, uid: uid-%[1]s}
spec:
  containers: [{name: main, image: app, resources: {requests: {cpu: "%[2]s"}}}]
  %[3]s`, name, cpu, strings.Join(more, "\n  "))
}

// deleted marks a Pod of podText as being deleted.
func deleted(text string) string {
	return strings.Replace(text, "namespace: default,", "namespace: default, deletionTimestamp: 2026-01-01T00:00:00Z,", 1)
}

// brief is an explanation in one line per node: what is left of it when only the verdicts matter.
func brief(explanation *report.Explanation) []string {
	lines := []string{strings.TrimSpace(fmt.Sprintf("%s %s", explanation.Verdict, explanation.NodeName))}
	for _, node := range explanation.Nodes {
		line := fmt.Sprintf("%s %s", node.Name, node.Verdict)
		for _, filter := range node.Filters {
			line += " " + filter.Plugin
		}
		lines = append(lines, line)
	}
	return lines
}
