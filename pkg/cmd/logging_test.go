package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
)

// logged returns the lines that are logged in JSON, by klog and by the loggers of contexts.
func logged(t *testing.T, verbosity int) []map[string]any {
	t.Helper()
	t.Cleanup(klog.CaptureState().Restore)
	var out bytes.Buffer
	if err := logJSON(&out, verbosity); err != nil {
		t.Fatal(err)
	}
	pod := &metav1.ObjectMeta{Namespace: "shop", Name: "web-0"}
	klog.InfoS("global", "pod", klog.KObj(pod))
	klog.V(2).InfoS("global, level 2", "took", 1500*time.Millisecond)
	klog.FromContext(t.Context()).V(3).Info("of a context, level 3", "nodes", 3)
	klog.FromContext(t.Context()).WithName("queue").Error(errors.New("broken"), "of a context, error")
	var lines []map[string]any
	for line := range strings.Lines(out.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		lines = append(lines, fields)
	}
	return lines
}

// The keys and values are those of Kubernetes' own JSON logs.
func TestJSONLogs(t *testing.T) {
	info := map[string]any{"msg": "global", "v": 0.0, "pod": map[string]any{"namespace": "shop", "name": "web-0"}}
	level2 := map[string]any{"msg": "global, level 2", "v": 2.0, "took": "1.5s"}
	level3 := map[string]any{"msg": "of a context, level 3", "v": 3.0, "nodes": 3.0}
	failure := map[string]any{"msg": "of a context, error", "logger": "queue", "err": "broken"}
	for sentence, c := range map[string]struct {
		verbosity int
		want      []map[string]any
	}{
		"at -v=0 only errors":          {0, []map[string]any{failure}},
		"below 0 as at 0":              {-3, []map[string]any{failure}},
		"at -v=1 what has no level":    {1, []map[string]any{info, failure}},
		"at -v=2 levels up to 2":       {2, []map[string]any{info, level2, failure}},
		"at -v=10 all of them":         {10, []map[string]any{info, level2, level3, failure}},
		"more than zap's highest, too": {1000, []map[string]any{info, level2, level3, failure}},
	} {
		t.Run(sentence, func(t *testing.T) {
			began := time.Now()
			got := logged(t, c.verbosity)
			for _, line := range got {
				at := time.UnixMicro(int64(line["ts"].(float64) * 1000)).Add(time.Microsecond)
				if at.Before(began) || at.After(time.Now().Add(time.Second)) {
					t.Errorf("logged at %s, want between %s and now", at, began)
				}
				if caller := line["caller"].(string); !strings.HasPrefix(caller, "cmd/logging_test.go:") {
					t.Errorf("logged by %s, want this file", caller)
				}
				delete(line, "ts")
				delete(line, "caller")
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// slowBuffer is a writer that cannot be used by two goroutines at a time.
type slowBuffer struct {
	mutex sync.Mutex
	t     *testing.T
}

func (b *slowBuffer) Write(p []byte) (int, error) {
	if !b.mutex.TryLock() {
		b.t.Error("two lines are written at a time")
		return len(p), nil
	}
	defer b.mutex.Unlock()
	for range 1000 {
		_ = json.Valid(p)
	}
	return len(p), nil
}

// Lines are written one after another, whoever logs them.
func TestJSONLogsOneLineAtATime(t *testing.T) {
	t.Cleanup(klog.CaptureState().Restore)
	if err := logJSON(&slowBuffer{t: t}, 1); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 10 {
				klog.InfoS("info")
				klog.ErrorS(nil, "error")
			}
		})
	}
	group.Wait()
}
