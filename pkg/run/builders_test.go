package run_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/pkg/run"
)

// stateOf reads a State from the documents of YAML text, with API defaults.
func stateOf(t *testing.T, documents ...string) *cluster.State {
	t.Helper()
	text := strings.Join(documents, "\n---\n")
	state, err := cluster.ReadFiles(t.Context(), []cluster.File{{
		Name: "test.yaml",
		Open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil },
	}})
	if err != nil {
		t.Fatal(err)
	}
	upstream.SetDefaults(state)
	return state
}

// nodeText is a node with 4 CPUs, in a zone of its own.
func nodeText(name string) string {
	return fmt.Sprintf(`
apiVersion: v1
kind: Node
metadata: {name: %[1]s, labels: {kubernetes.io/hostname: %[1]s, topology.kubernetes.io/zone: zone-%[1]s}}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}`, name)
}

// podText is a Pod that asks for CPUs; more is added to its spec, one field a line.
func podText(name, cpu string, more ...string) string {
	return fmt.Sprintf(`
apiVersion: v1
kind: Pod
metadata: {name: %[1]s, namespace: default, uid: uid-%[1]s, labels: {app: %[1]s}}
spec:
  containers: [{name: main, image: app, resources: {requests: {cpu: "%[2]s"}}}]
  %[3]s`, name, cpu, strings.Join(more, "\n  "))
}

// sessionOf builds a plan's Session.
func sessionOf(t *testing.T, state *cluster.State, options run.Options) *run.Session {
	t.Helper()
	session, err := run.NewPlan(t.Context(), state, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(session.Close)
	return session
}

// bindAll binds every Pod of the State, and returns what became of each in a line.
func bindAll(t *testing.T, state *cluster.State, options run.Options) []string {
	t.Helper()
	bindings, err := sessionOf(t, state, options).Bind(t.Context(), state.Pods)
	if err != nil {
		t.Fatal(err)
	}
	return lines(bindings)
}

// lines are bindings in brief: name, result, node and reason.
func lines(bindings []*report.Binding) []string {
	var out []string
	for _, one := range bindings {
		line := one.Metadata.Name + " " + string(one.Result)
		if one.NodeName != "" {
			line += " " + one.NodeName
		}
		if one.Reason != "" {
			line += ": " + one.Reason
		}
		out = append(out, line)
	}
	return out
}

// fakeBinder is a Binder that does what the test says, and notes what it was asked for.
type fakeBinder struct {
	mu    sync.Mutex
	asked []string
	// fail is asked for each target, with how often the Pod was tried before.
	fail  func(target bind.Target, before int) error
	tried map[string]int
}

func (b *fakeBinder) Bind(_ context.Context, target bind.Target, _ bind.Check) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tried == nil {
		b.tried = map[string]int{}
	}
	b.asked = append(b.asked, target.Name+" "+target.NodeName)
	before := b.tried[target.Name]
	b.tried[target.Name]++
	if b.fail == nil {
		return 1, nil
	}
	return 1, b.fail(target, before)
}

// withPodGroups turns Pod groups on for a test.
func withPodGroups(t *testing.T) {
	t.Helper()
	if err := upstream.SetGates(map[string]bool{"GenericWorkload": true}, ""); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := upstream.SetGates(map[string]bool{"GenericWorkload": false}, ""); err != nil {
			t.Fatal(err)
		}
	})
}

// gangText is the Pod group of memberText's Pods.
func gangText(minCount int) string {
	return fmt.Sprintf(`
apiVersion: scheduling.k8s.io/v1beta1
kind: PodGroup
metadata: {name: team, namespace: default}
spec: {schedulingPolicy: {gang: {minCount: %d}}}`, minCount)
}

func memberText(name, cpu string) string {
	return podText(name, cpu, "schedulingGroup: {podGroupName: team}")
}

// localClass is the class of volumes that are there already, and are bound when a Pod comes.
const localClass = `
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: local}
provisioner: kubernetes.io/no-provisioner
volumeBindingMode: WaitForFirstConsumer`

// localVolumeText is a free volume of the class on a node.
func localVolumeText(name, node string) string {
	return fmt.Sprintf(`
apiVersion: v1
kind: PersistentVolume
metadata: {name: %s}
spec:
  capacity: {storage: 1Gi}
  accessModes: [ReadWriteOnce]
  storageClassName: local
  local: {path: /mnt}
  nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [
    {key: kubernetes.io/hostname, operator: In, values: [%s]}]}]}}
status: {phase: Available}`, name, node)
}

// localClaimText is a claim of the class that waits for its Pod.
func localClaimText(name string) string {
	return fmt.Sprintf(`
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: %[1]s, namespace: default, uid: uid-%[1]s}
spec: {accessModes: [ReadWriteOnce], storageClassName: local, resources: {requests: {storage: 1Gi}}}`, name)
}
