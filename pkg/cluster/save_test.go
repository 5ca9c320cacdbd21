package cluster_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// stateOfEveryKind has one object of each kind.
func stateOfEveryKind(t testing.TB) *cluster.State {
	t.Helper()
	var list strings.Builder
	for _, kind := range cluster.Kinds {
		list.WriteString("---\napiVersion: " + kind.GroupVersion().String() + "\nkind: " + kind.Kind +
			"\nmetadata: {name: a, uid: u, labels: {b: c}}\n")
	}
	state, err := cluster.ReadFiles(t.Context(), []cluster.File{file("f", list.String())})
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func TestSaveWritesWhatReadFilesReads(t *testing.T) {
	full := stateOfEveryKind(t)
	for name, state := range map[string]*cluster.State{
		"an object of every kind":      full,
		"nothing, and all of it known": {},
		"one Pod, and the rest not known": {
			Pods: []*corev1.Pod{{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "x", UID: "u"}}},
			Gaps: func() (gaps []cluster.Gap) {
				for _, kind := range cluster.Kinds {
					if kind.Kind != "Pod" && (kind.Use == cluster.Scheduling || kind.Use == cluster.Admission) {
						gaps = append(gaps, cluster.Gap{Kind: kind, Reason: cluster.Absent})
					}
				}
				return gaps
			}(),
		},
	} {
		t.Run(name, func(t *testing.T) {
			if again := saveAndRead(t, state); !sameState(state, again) {
				t.Errorf("State (-saved +read):\n%s", cmp.Diff(names(state), names(again)))
			}
		})
	}
	if len(names(full)) != len(cluster.Kinds) || len(full.Gaps) > 0 {
		t.Errorf("not every kind was read: %v, gaps %v", names(full), full.Gaps)
	}
}

func TestSaveLeavesTheStateAlone(t *testing.T) {
	state := stateOfEveryKind(t)
	before := state.Pods[0].DeepCopy()
	var first, second bytes.Buffer
	for _, w := range []io.Writer{&first, &second} {
		if err := cluster.Save(w, state); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(before, state.Pods[0]); diff != "" {
		t.Errorf("Pod (-before +after):\n%s", diff)
	}
	if first.String() != second.String() {
		t.Error("two runs give different bytes")
	}
}

func TestSaveTellsThatItCannotWrite(t *testing.T) {
	full := errors.New("disk full")
	if err := cluster.Save(failingWriter{full}, stateOfEveryKind(t)); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func saveAndRead(t testing.TB, state *cluster.State) *cluster.State {
	t.Helper()
	var saved strings.Builder
	if err := cluster.Save(&saved, state); err != nil {
		t.Fatal(err)
	}
	again, err := cluster.ReadFiles(t.Context(), []cluster.File{file("saved", saved.String())})
	if err != nil {
		t.Fatalf("reading what was saved: %v\n%s", err, saved.String())
	}
	return again
}

// sameState compares States but for their warnings.
func sameState(a, b *cluster.State) bool {
	if a.Source != b.Source || len(a.Gaps) != len(b.Gaps) {
		return false
	}
	for i := range a.Gaps {
		if a.Gaps[i] != b.Gaps[i] {
			return false
		}
	}
	for _, kind := range cluster.Kinds {
		if !equality.Semantic.DeepEqual(objectsOf(kind, a), objectsOf(kind, b)) {
			return false
		}
	}
	return true
}

func objectsOf(kind *cluster.Kind, s *cluster.State) (objects []cluster.Object) {
	for object := range kind.Objects(s) {
		objects = append(objects, object)
	}
	return objects
}
