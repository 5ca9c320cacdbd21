package cmd

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/printers"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// output is a buffer that goroutines share.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// newRunner is a run of which nothing but the printing is there.
func newRunner(t *testing.T) (r *runner, out, errOut *output) {
	t.Helper()
	out, errOut = &output{}, &output{}
	printer, err := printers.NewDecisions(printers.Options{Output: "name"})
	if err != nil {
		t.Fatal(err)
	}
	r = &runner{runOptions: &runOptions{
		env: Env{IOStreams: genericiooptions.IOStreams{Out: out, ErrOut: errOut}}, printer: printer,
	}, fail: func(err error) { t.Error(err) }}
	r.stream = &decisionStream{runner: r}
	return r, out, errOut
}

// What the cluster says is shown on a terminal, and not done there.
func TestNotesAreSafeForATerminal(t *testing.T) {
	r, _, errOut := newRunner(t)
	r.note("Warning: node %s is not ready", "n1\x1b[2J\u202e")
	const want = "Warning: node n1\\u001b[2J\\u202e is not ready\n"
	if diff := cmp.Diff(want, errOut.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// unexplainable is a Pod whose claim has a selector that fails on the one device there is.
const unexplainable = `
apiVersion: v1
kind: Pod
metadata: {name: web-0, namespace: shop, uid: uid-web-0}
spec:
  containers: [{name: main, image: app}]
  resourceClaims: [{name: c, resourceClaimName: one}]
---
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: of-n1}
spec: {driver: gpu.example.com, nodeName: n1, pool: {name: n1, resourceSliceCount: 1}, devices: [{name: g}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: one, namespace: shop, uid: uid-one}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu,
  selectors: [{cel: {expression: 'device.attributes["gpu.example.com"].big'}}]}}]}}`

// A decision that cannot be explained is printed all the same, and the scheduler goes on.
func TestDecisionsThatCannotBeExplained(t *testing.T) {
	r, out, errOut := newRunner(t)
	decision := report.NewDecision("shop", "web-0")
	decision.Result = report.ResultBound // which is printed by its name
	state, err := cluster.ReadFiles(t.Context(), []cluster.File{{
		Name: "test.yaml",
		Open: func(context.Context) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(unexplainable)), nil
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	pod := state.Pods[0]
	s := r.stream
	if err := s.print(streamEntry{decision: decision, pod: pod, state: state}); err != nil {
		t.Error(err)
	}
	if got := out.String(); got != "pod/web-0\n" {
		t.Errorf("printed %q", got)
	}
	if got := errOut.String(); !strings.HasPrefix(got, "Warning: pod shop/web-0 is not explained: ") {
		t.Errorf("told %q", got)
	}
}

// idle is a Loop that does nothing.
type idle struct{}

func (idle) Activity() (report.Activity, error) { return report.Activity{}, nil }
func (idle) Profiles() []string                 { return nil }

// The terminal is given back when the run is to stop, and what is said from then on is on it.
func TestLiveViewEndsWithItsContext(t *testing.T) {
	r, out, errOut := newRunner(t)
	r.stream.view = newTopView(r.env, printers.NewTop(printers.Options{}))
	ctx, cancel := context.WithCancel(t.Context())
	end := r.stream.live(ctx, idle{})
	cancel()
	const leaveScreen = "\x1b[?1049l"
	err := wait.PollUntilContextTimeout(t.Context(), time.Millisecond, 5*time.Second, true,
		func(context.Context) (bool, error) { return strings.HasSuffix(out.String(), leaveScreen), nil })
	if err != nil {
		t.Errorf("the screen is not left: %q", out.String())
	}
	end()
	r.note("Stopping")
	if got := errOut.String(); got != "Stopping\n" {
		t.Errorf("told %q", got)
	}
}
