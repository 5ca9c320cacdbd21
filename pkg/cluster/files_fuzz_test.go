package cluster_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// seed adds inputs of every form, right and wrong.
func seed(f *testing.F) {
	for _, text := range []string{
		podYAML + "---\n" + nodeYAML, podJSON + nodeJSON, "[" + podJSON + "]", podWithContainer, zipped(f, podYAML),
		inUTF16(podYAML, 0, 8), "\ufeff" + nodeYAML, "apiVersion: v1\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: a}}\nkind: List\n",
		`{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a","uid":"u"}},{"metadata":{"name":"b","uid":"u"}}]}`,
		"a: &a {b: 1}\nc: {<<: *a, b: 2}\n", podWithContainer + "    resources: {requests: {cpu: 10E}}\n", "\t", "--- \n...\n", "{", `{"a":"\`,
		"==== START logs for container a of pod b/c ====\nx", "apiVersion: v1\nkind: Node\nmetadata: {name: a, a: {}}\nstatus: {allocatable: {cpu: 1e3, memory: 0.5}}\n",
	} {
		f.Add([]byte(text))
	}
	found, err := filepath.Glob("testdata/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range found {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
}

func FuzzReadFiles(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		state, err := cluster.ReadFiles(t.Context(), []cluster.File{file("f", string(text))})
		if err != nil {
			checkMessage(t, err)
			return
		}
		for _, warning := range state.Warnings {
			if strings.Contains(warning, "\n") {
				t.Errorf("a warning of two lines: %q", warning)
			}
		}
		again := saveAndRead(t, state)
		if !sameState(state, again) {
			t.Errorf("saved and read again, the State is another:\n%s",
				cmp.Diff(fmt.Sprintf("%+v", state), fmt.Sprintf("%+v", again)))
		}
	})
}

func FuzzReadManifests(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		objects, _, err := cluster.ReadManifests(t.Context(), []cluster.File{file("f", string(text))})
		if err != nil {
			checkMessage(t, err)
			return
		}
		for _, object := range objects {
			if object.GetName() == "" || object.GetObjectKind().GroupVersionKind().Empty() {
				t.Errorf("an object without a name or kind: %v", object)
			}
		}
	})
}

// checkMessage wants one line that starts with the file.
func checkMessage(t *testing.T, err error) {
	t.Helper()
	if message := err.Error(); strings.Contains(message, "\n") || !strings.HasPrefix(message, "f: ") {
		t.Errorf("not one line about the file: %q", message)
	}
}
