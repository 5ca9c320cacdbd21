//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/test/e2e/controlplane"
)

const (
	// runTimeout is how long a run may take before it counts as hung.
	runTimeout = 15 * time.Minute
	// stopTimeout is how long it may take to end after an interrupt: as long as a Pod of its own may.
	stopTimeout = time.Minute
)

// runProcess is a `kubectl sched run --watch -o json` at work.
type runProcess struct {
	pid    int // of the plugin itself: kubectl becomes it
	cmd    *exec.Cmd
	done   <-chan struct{} // closed when it has ended
	stderr *textBuffer
	stream *decisionReader
}

// startRun starts `kubectl sched run --watch -o json` with more arguments, without endpoints unless they ask for them.
// It dies with the test.
func startRun(ctx context.Context, t *testing.T, kubectl kubectl, args ...string) *runProcess {
	t.Helper()
	waitCaches(ctx, t)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), runTimeout)
	r := &runProcess{stderr: &textBuffer{}, stream: &decisionReader{}}
	r.cmd = kubectl.command(ctx, append([]string{"sched", "run", "--watch", "-o=json", "--bind-address="}, args...)...)
	r.cmd.Stdout, r.cmd.Stderr = r.stream, r.stderr
	var err error
	if r.done, err = controlplane.Launch(r.cmd); err != nil {
		cancel()
		t.Fatalf("running %q: %v", r.cmd.Args, err)
	}
	r.pid = r.cmd.Process.Pid
	t.Cleanup(func() {
		r.kill()
		cancel()
		if t.Failed() {
			t.Logf("stderr of %q:\n%s", r.cmd.Args, r.stderr)
		}
	})
	return r
}

// decisions are those that were printed so far, in their order.
func (r *runProcess) decisions() []report.Decision { return r.stream.decisions() }

// kill ends it at once, as a crash would, and returns when it is gone.
func (r *runProcess) kill() {
	_ = r.cmd.Process.Kill() // the only error is that it has ended already
	<-r.done
}

// stop interrupts it, as ctrl-C does, and checks that it ends well.
func (r *runProcess) stop(t *testing.T) {
	t.Helper()
	if err := r.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Errorf("interrupting %q: %v", r.cmd.Args, err)
	}
	patience, end := context.WithTimeout(context.WithoutCancel(t.Context()), stopTimeout)
	defer end()
	select {
	case <-r.done:
	case <-patience.Done():
		t.Fatalf("%q has not ended %s after an interrupt", r.cmd.Args, stopTimeout)
	}
	if code := r.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("%q ended with %s after an interrupt, want exit code 0\nstderr: %s", r.cmd.Args, r.cmd.ProcessState, r.stderr)
	}
	r.stream.check(t)
}

// waitFor waits until the decisions so far are as wanted, and fails the test when the process ends before.
func (r *runProcess) waitFor(ctx context.Context, t *testing.T, what string, done func([]report.Decision) bool) {
	t.Helper()
	err := wait.PollUntilContextTimeout(ctx, pollInterval, decisionTimeout, true, func(context.Context) (bool, error) {
		select {
		case <-r.done:
			t.Fatalf("waiting for %s: it ended with %s\nstderr: %s", what, r.cmd.ProcessState, r.stderr)
		default:
		}
		return done(r.decisions()), nil
	})
	if err != nil {
		t.Fatalf("waiting for %s: %v\nlast decisions: %+v", what, err, lastOf(r.decisions()))
	}
}

// waitSaid waits until it has said something on stderr.
func (r *runProcess) waitSaid(ctx context.Context, t *testing.T, what string) {
	t.Helper()
	r.waitFor(ctx, t, "it to say "+what, func([]report.Decision) bool { return strings.Contains(r.stderr.String(), what) })
}

// passRun is one pass of `kubectl sched run -o json`.
type passRun struct {
	output
	decisions []report.Decision
}

// pass runs `kubectl sched run -o json` with more arguments, once.
func pass(ctx context.Context, t *testing.T, args ...string) passRun {
	t.Helper()
	waitCaches(ctx, t)
	return passThrough(ctx, t, env.kubectl, args...)
}

func passThrough(ctx context.Context, t *testing.T, kubectl kubectl, args ...string) passRun {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, bindTimeout)
	defer cancel()
	run := passRun{output: kubectl.run(ctx, t, append([]string{"sched", "run", "-o=json"}, args...)...)}
	var stream decisionReader
	_, _ = stream.Write([]byte(run.stdout))
	run.decisions = stream.decisions()
	stream.check(t)
	return run
}

// lastOf returns the last decision about each Pod, by its name.
func lastOf(decisions []report.Decision) map[string]report.Decision {
	last := map[string]report.Decision{}
	for _, decision := range decisions {
		last[decision.Metadata.Name] = decision
	}
	return last
}

// countOf counts the Pods whose last decision has the result.
func countOf(decisions []report.Decision, result report.Result) int {
	count := 0
	for _, decision := range lastOf(decisions) {
		if decision.Result == result {
			count++
		}
	}
	return count
}

// decisionReader reads Decisions as JSON lines while they are written.
type decisionReader struct {
	mu      sync.Mutex
	rest    []byte // that is not read yet: this is done by whoever asks, not beside what may be measured
	decided []report.Decision
	bad     []string
}

func (d *decisionReader) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rest = append(d.rest, p...)
	return len(p), nil
}

func (d *decisionReader) decisions() []report.Decision {
	d.mu.Lock()
	defer d.mu.Unlock()
	for {
		line, rest, whole := bytes.Cut(d.rest, []byte("\n"))
		if !whole {
			return slices.Clone(d.decided)
		}
		d.rest = rest
		var decision report.Decision
		if err := json.Unmarshal(line, &decision); err != nil || decision.Kind != "Decision" {
			d.bad = append(d.bad, string(line))
			continue
		}
		d.decided = append(d.decided, decision)
	}
}

// check checks that there was nothing but whole Decisions.
func (d *decisionReader) check(t *testing.T) {
	t.Helper()
	d.decisions()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.bad) > 0 || len(d.rest) > 0 {
		t.Errorf("stdout has lines that are no Decisions: %q, and %q at its end", d.bad, d.rest)
	}
}

// textBuffer is text that is written while it is read.
type textBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *textBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *textBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
