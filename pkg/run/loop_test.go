package run_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/pkg/run"
)

// decisions collects what a Loop decides.
type decisions struct {
	mu  sync.Mutex
	all []*report.Decision
}

func (d *decisions) add(decision *report.Decision, _ *corev1.Pod) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = append(d.all, decision)
}

// lines are the decisions so far in brief, in their order: name, result, node and message.
func (d *decisions) lines() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return decisionLines(d.all)
}

func (d *decisions) has(line string) func() bool {
	return func() bool { return slices.Contains(d.lines(), line) }
}

func decisionLines(all []*report.Decision) []string {
	var out []string
	for _, one := range all {
		line := one.Metadata.Name + " " + string(one.Result)
		if one.NodeName != "" {
			line += " " + one.NodeName
		}
		if one.Message != "" {
			line += ": " + one.Message
		}
		if one.NominatedNodeName != "" {
			line += " (nominated " + one.NominatedNodeName + ")"
		}
		if one.Preemptor != nil {
			line += " (for " + one.Preemptor.Name + ")"
		}
		out = append(out, line)
	}
	return out
}

// loop builds a Loop over the server's cluster that serves Pods without a schedulerName.
func (s *apiServer) loop(options run.LoopOptions) (*run.Loop, *decisions) {
	s.t.Helper()
	ctx, stop := context.WithTimeout(upstream.Quiet(s.t.Context()), patience) // for the start only
	defer stop()
	collected := &decisions{}
	options.Decided = collected.add
	if options.Binder == nil {
		options.Binder = s.binder()
	}
	loop, err := run.NewLoop(ctx, s.live(), options)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(loop.Close)
	return loop, collected
}

// running runs a Loop until the returned function is called, which returns its error.
func running(t *testing.T, loop *run.Loop) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(upstream.Quiet(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- loop.Run(ctx, nil) }()
	return func() error {
		cancel()
		return <-ended
	}
}

// pass runs a Loop once, and returns the last decision about each Pod, sorted.
func pass(t *testing.T, loop *run.Loop) []string {
	t.Helper()
	last, err := loop.Pass(upstream.Quiet(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	out := decisionLines(last)
	slices.Sort(out)
	return out
}

func TestPassDecidesAboutEveryWaitingPodOnce(t *testing.T) {
	server := newAPIServer(t, nodeText("n1"),
		podText("a", "1"), podText("big", "9"), podText("gated", "1", "schedulingGates: [{name: example.com/wait}]"),
		podText("other", "1", "schedulerName: other"), podText("there", "1", "nodeName: n1"))
	loop, _ := server.loop(run.LoopOptions{})
	want := []string{
		"a Bound n1",
		"big Unschedulable: 0/1 nodes are available: 1 Insufficient cpu. " +
			"preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
		"gated Refused: it is gated: waiting for scheduling gates: [example.com/wait]",
	}
	if diff := cmp.Diff(want, pass(t, loop)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := server.bindings.Load(); got != 1 {
		t.Errorf("%d Bindings were stored, want 1", got)
	}
}

// The decision has what the stream prints.
func TestDecisionsTellHowTheyCameAbout(t *testing.T) {
	server := newAPIServer(t, nodeText("n1"), nodeText("n2"), podText("a", "1"))
	loop, decided := server.loop(run.LoopOptions{})
	pass(t, loop)
	if len(decided.all) != 1 {
		t.Fatalf("decided %v, want one decision", decided.lines())
	}
	got := decided.all[0]
	if got.Score == nil || *got.Score <= 0 || got.EvaluatedNodes != 2 || got.FeasibleNodes != 2 || got.Attempts != 1 ||
		got.Tries != 1 || got.Profile != "default-scheduler" || got.Time.IsZero() ||
		got.LatencyMilliseconds < got.SchedulingMilliseconds || got.SchedulingMilliseconds <= 0 {
		t.Errorf("got %+v with score %v", got, got.Score)
	}
}

// The Loop goes on: a Pod that found no node gets one that comes later.
func TestRunSchedulesWhatComes(t *testing.T) {
	server := newAPIServer(t, nodeText("n1"), podText("big", "6"))
	loop, decided := server.loop(run.LoopOptions{})
	stop := running(t, loop)
	waitUntil(t, "big is found not to fit", func() bool { return len(decided.lines()) > 0 })
	server.add(strings.Replace(nodeText("n2"), `cpu: "4"`, `cpu: "8"`, 1), podText("late", "1"))
	waitUntil(t, "big is bound", decided.has("big Bound n2"))
	waitUntil(t, "late is bound", func() bool { return server.bindings.Load() == 2 })
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// A dry run decides as the real one would, assumes what it decided, and writes nothing.
func TestDryRunWritesNothing(t *testing.T) {
	server := newAPIServer(t, nodeText("n1"), podText("a", "3"), podText("b", "3"))
	server.add(podText("low", "1", "nodeName: n1"), podText("high", "4", "priority: 10"))
	var writes []string
	var mu sync.Mutex
	server.before = func(_ http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		if r.Method != http.MethodGet {
			writes = append(writes, r.Method+" "+r.URL.Path)
		}
		return false
	}
	loop, decided := server.loop(run.LoopOptions{DryRun: true})
	pass(t, loop)
	waitUntil(t, "low is told to be evicted", decided.has("low Preempted n1 (for high)"))
	got := decided.lines()
	slices.Sort(got)
	want := []string{
		"a Unschedulable", "b Unschedulable", "high Unschedulable", "low Preempted",
	}
	for i := range got {
		got[i], _, _ = strings.Cut(got[i], ":")
		got[i] = strings.Join(strings.Fields(got[i])[:2], " ")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, decision := range decided.all {
		if decision.DryRun != report.DryRunClient {
			t.Errorf("%s is not told to be a dry run", decision.Metadata.Name)
		}
	}
	if len(writes) > 0 {
		t.Errorf("a dry run wrote: %v", writes)
	}
}

// What is being bound when the Loop is to stop is finished first.
func TestRunFinishesBindingsBeforeItEnds(t *testing.T) {
	server := newAPIServer(t, nodeText("n1"), podText("a", "1"))
	begun, finish := make(chan struct{}), make(chan struct{})
	binder := server.binder()
	loop, decided := server.loop(run.LoopOptions{
		Binder: binderFunc(func(ctx context.Context, target bind.Target, check bind.Check) (int, error) {
			close(begun)
			<-finish
			return binder.Bind(ctx, target, check)
		}),
	})
	ctx, cancel := context.WithCancel(upstream.Quiet(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- loop.Run(ctx, nil) }()
	<-begun
	cancel()
	server.add(podText("late", "1")) // nobody takes it up any more
	close(finish)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"a Bound n1"}, decided.lines()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Whoever was faster is believed, and nothing wrong is written about the Pod.
func TestPodsThatOthersBoundOrDeletedAreLeftAlone(t *testing.T) {
	for what, c := range map[string]struct {
		err  error
		want string
	}{
		"bound by somebody else": {
			&bind.BoundElsewhereError{NodeName: "n2"}, "a BoundElsewhere n2: somebody else bound the pod to node n2",
		},
		"deleted": {&bind.GoneError{}, "a Gone n1: the pod was deleted"},
	} {
		t.Run(what, func(t *testing.T) {
			server := newAPIServer(t, nodeText("n1"), podText("a", "1"))
			server.before = func(_ http.ResponseWriter, r *http.Request) bool {
				if r.Method != http.MethodGet {
					t.Errorf("%s %s", r.Method, r.URL.Path)
				}
				return false
			}
			loop, _ := server.loop(run.LoopOptions{
				Binder: binderFunc(func(context.Context, bind.Target, bind.Check) (int, error) { return 1, c.err }),
			})
			if diff := cmp.Diff([]string{c.want}, pass(t, loop)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A Pod keeps its room while nobody knows whether it is bound, and is asked about again.
func TestPodOfUnknownOutcomeKeepsItsRoom(t *testing.T) {
	server := newAPIServer(t, nodeText("n1"), podText("a", "3"))
	binder, asked := server.binder(), make(chan struct{})
	var once sync.Once
	loop, decided := server.loop(run.LoopOptions{
		Binder: binderFunc(func(ctx context.Context, target bind.Target, check bind.Check) (int, error) {
			unknown := false
			once.Do(func() { unknown = true })
			if unknown {
				close(asked)
				return 1, &bind.UnavailableError{Tries: 1, Unknown: true, Err: fmt.Errorf("no answer")}
			}
			return binder.Bind(ctx, target, check)
		}),
	})
	stop := running(t, loop)
	<-asked
	server.add(podText("b", "3"))
	waitUntil(t, "b is found not to fit", func() bool { return len(decided.lines()) > 0 })
	if got := decided.lines()[0]; !strings.HasPrefix(got, "b Unschedulable: 0/1 nodes are available: 1 Insufficient cpu") {
		t.Errorf("got %q, want b to find no room", got)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// A configuration's profiles are served by their names, a lone one without a name by our own.
func TestServedProfiles(t *testing.T) {
	const head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
	for what, c := range map[string]struct{ profiles, name, want string }{
		"no name":                     {"", "", "kubectl-sched"},
		"the cluster's own, asked":    {"", "default-scheduler", "default-scheduler"},
		"a name for the only one":     {"", "mine", "mine"},
		"several":                     {"profiles: [{schedulerName: b}, {schedulerName: a}]", "", "a b"},
		"one of several":              {"profiles: [{schedulerName: b}, {schedulerName: a}]", "b", "b"},
		"one that has a name already": {"profiles: [{schedulerName: a}]", "", "a"},
		"one that is not there": {
			"profiles: [{schedulerName: a}]", "c", `no profile is named "c": the profiles are a`,
		},
	} {
		t.Run(what, func(t *testing.T) {
			config, err := upstream.ReadConfig("test.yaml", []byte(head+c.profiles))
			if err != nil {
				t.Fatal(err)
			}
			served, err := config.Serve(c.name)
			var got string
			if err != nil {
				got = err.Error()
			} else {
				server := newAPIServer(t, nodeText("n1"))
				loop, _ := server.loop(run.LoopOptions{Config: served})
				got = strings.Join(loop.Profiles(), " ")
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
