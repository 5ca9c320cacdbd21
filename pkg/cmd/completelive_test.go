package cmd_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-sched/kubectl-sched/pkg/cmd"
)

// podTable is the start of what an API server answers when it is asked for Pods as a table.
const podTable = `{"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":[{"name":"Name"},{"name":"Ready"},` +
	`{"name":"Status"}],"rows":[`

// shopTables are the answers of a cluster, by request.
var shopTables = map[string]string{
	"/api/v1/namespaces/shop/pods?": podTable +
		`{"cells":["b-runs","1/1","Running"]},{"cells":["z-waits","0/1","Pending"]},{"cells":["a-b","1/1","Running"]},` +
		`{"cells":["a","0/1","ContainerCreating"]}]}`,
	"/api/v1/namespaces/shop/pods?spec.nodeName=,status.phase=Pending": podTable +
		`{"cells":["z-waits","0/1","Pending"]}]}`,
	"/api/v1/namespaces/shop/pods?spec.nodeName=,spec.schedulerName=default-scheduler,status.phase=Pending": podTable +
		`{"cells":["y-waits","0/1","SchedulingGated"]}]}`,
	"/api/v1/nodes?": `{"kind":"Table","rows":[` +
		`{"cells":["n1","Ready"],"object":{"metadata":{"name":"n1","labels":{"topology.kubernetes.io/zone":"north"}}}},` +
		`{"cells":["n2","Ready"],"object":{"metadata":{"name":"n2"}}}]}`,
	"/api/v1/namespaces?": `{"kind":"Table","rows":[{"cells":["shop","Active"]},{"cells":["batch","Active"]}]}`,
	"/apis/apps/v1/namespaces/shop/deployments?": `{"kind":"Table","rows":[{"cells":["web","1/1"]},` +
		`{"cells":[]},{"cells":["$(id)","1/1"]}]}`,
}

func TestCompletionAsksTheCluster(t *testing.T) {
	kubeconfig := serveCluster(t, func(w http.ResponseWriter, r *http.Request) {
		fields := strings.Split(r.URL.Query().Get("fieldSelector"), ",")
		slices.Sort(fields)
		table, ok := shopTables[r.URL.Path+"?"+strings.Join(fields, ",")]
		if !ok || !strings.Contains(r.Header.Get("Accept"), "as=Table") || r.URL.Query().Get("resourceVersion") != "0" {
			t.Errorf("unexpected request %s", r.URL)
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, table)
	})
	for name, test := range map[string]struct{ line, want string }{
		"explain: all Pods, those that wait first": {
			"explain -n shop pod/", "pod/z-waits\tPending\npod/a\tContainerCreating\npod/a-b\tRunning\npod/b-runs\tRunning\n:36\n",
		},
		"bind: the Pods that wait for kube-scheduler":     {"bind -n shop pod/", "pod/y-waits\tSchedulingGated\n:36\n"},
		"bind: with a profile that judges all, all":       {"bind -n shop --scheduler-name default-scheduler pod/", "pod/z-waits\tPending\n:36\n"},
		"workloads, but names that a shell would act on":  {"explain -n shop deploy/", "deploy/web\n:36\n"},
		"nodes, with their zones":                         {"bind --node n", "n1\tnorth\nn2\n:36\n"},
		"namespaces, sorted":                              {"explain --namespace=", "batch\nshop\n:36\n"},
		"names cannot stand beside --all-namespaces":      {"explain -A pod/", ":38\n"},
		"a kind that this cluster does not know has none": {"explain -n shop widget/", ":38\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, complete(t, kubeconfig, test.line)); diff != "" {
				t.Errorf("completions of %q (-want +got):\n%s", test.line, diff)
			}
		})
	}
}

func TestCompletionDoesNotWaitForACluster(t *testing.T) {
	asked := make(chan struct{}, 1)
	kubeconfig := serveCluster(t, func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	})
	begin := time.Now()
	got := complete(t, kubeconfig, "explain -n shop pod/")
	if took := time.Since(begin); took > 3*time.Second {
		t.Errorf("took %s", took)
	}
	if len(asked) != 1 || got != ":4\n" {
		t.Errorf("asked %d times, completions %q; want one question and none", len(asked), got)
	}
}

// An answer without an end does not fill the memory until the time is up.
func TestCompletionReadsOneTable(t *testing.T) {
	var sent atomic.Int64
	kubeconfig := serveCluster(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for blanks := bytes.Repeat([]byte(" "), 1<<20); ; sent.Add(1) {
			if _, err := w.Write(blanks); err != nil {
				return
			}
		}
	})
	if got := complete(t, kubeconfig, "explain -n shop --node n"); strings.Contains(got, "\n:") {
		t.Errorf("completions %q, want none", got)
	}
	if mebibytes := sent.Load(); mebibytes > 40 {
		t.Errorf("read %d MiB", mebibytes)
	}
}

// complete returns what a shell gets for the line, whose last word is not finished.
func complete(t *testing.T, kubeconfig, line string) string {
	t.Helper()
	var out, errOut strings.Builder
	streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &errOut}
	args := append([]string{"__complete", "--kubeconfig", kubeconfig}, strings.Fields(line)...)
	code := cmd.Execute(t.Context(), cmd.Env{IOStreams: streams, Getenv: os.Getenv}, args)
	if noise := strings.TrimSpace(errOut.String()); code != 0 || strings.Contains(noise, "\n") {
		t.Errorf("exit code %d, and on stderr more than cobra's line:\n%s", code, noise)
	}
	return out.String()
}

// serveCluster starts an API server and returns a kubeconfig for it.
func serveCluster(t *testing.T, handler http.HandlerFunc) (kubeconfig string) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	config := `{"apiVersion":"v1","kind":"Config","current-context":"c","contexts":[{"name":"c","context":{"cluster":"c"}}],` +
		`"clusters":[{"name":"c","cluster":{"server":"` + server.URL + `"}}]}`
	if err := os.WriteFile(kubeconfig, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return kubeconfig
}
