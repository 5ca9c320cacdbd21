package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/pkg/run"
)

// outcomeTime is how long the outcome of a Binding is asked for at a time; the scheduler has it asked for again.
const outcomeTime = 10 * time.Second

// runner is one run of the command.
type runner struct {
	*runOptions
	metrics *run.Metrics
	loop    atomic.Pointer[run.Loop]
	held    atomic.Pointer[bind.Held]
	stream  *decisionStream
	// refusals are what may not be watched, with the time when that was first seen; a zero time was told.
	refusals sync.Map
	refused  *refusedWrites
	// fail ends the run.
	fail func(error)
}

func (o *runOptions) run(ctx context.Context) (err error) {
	r := &runner{runOptions: o, metrics: run.NewMetrics()}
	r.refused = &refusedWrites{tell: func(refusal string) { r.note("Warning: %s", refusal) }}
	// A reader of stdout that has gone away is an error of the next write, not the end of the process in mid-work.
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	defer signal.Stop(pipes)
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	r.fail = fail
	stopServing, err := r.serve(ctx)
	if err != nil {
		return err
	}
	defer stopServing()
	events, flush, err := r.events(ctx)
	if err != nil {
		return err
	}
	r.stream = r.openStream()
	loop, err := r.read(ctx, events)
	if err != nil {
		_ = r.stream.close()
		if r.watch && errors.Is(err, context.Canceled) { // stopped before it had begun
			return nil
		}
		return err
	}
	defer loop.Close()
	r.loop.Store(loop)
	err = r.work(ctx, loop)
	flush()
	if failed := r.stream.close(); failed != nil {
		return failed
	}
	return err
}

// read builds the scheduler and reads the cluster.
func (r *runner) read(ctx context.Context, events recorders) (*run.Loop, error) {
	progress := newProgress(r.env)
	defer progress.clear()
	options := run.LoopOptions{
		Config: r.scheduler, DryRun: r.dryRun, Events: events, Decided: r.decided,
	}
	if !r.dryRun {
		client, err := newClient(r.guard(r.refused.watch(r.wire())))
		if err != nil {
			return nil, err
		}
		binding := bind.Options{OutcomeTimeout: outcomeTime, Retrying: r.retrying}
		if r.leader != nil {
			binding.FinishTimeout = r.leader.lock.FinishTimeout()
		}
		options.Binder = bind.New(client, binding)
	}
	if !r.jsonLogs && !klog.V(1).Enabled() {
		ctx = upstream.Quiet(ctx)
	}
	loop, err := run.NewLoop(ctx, run.Live{
		Config:    r.guard(r.refused.watch(r.wire())),
		Kinds:     kindsScheduled(),
		Role:      "deploy/rbac-run.yaml",
		Forbidden: r.forbidden,
		Progress: func(done, total int, kind *cluster.Kind) {
			progress.show("reading the cluster: %d of %d kinds (%s)", done, total, kind.Resource)
		},
	}, options)
	return loop, blame(err, r.scheduler)
}

// work schedules, while the Lease is held if there is one.
func (r *runner) work(ctx context.Context, loop *run.Loop) error {
	defer r.watchOutages(ctx, loop)()
	leading, lost, release, err := r.lead(ctx)
	if err != nil {
		if ctx.Err() != nil && r.watch { // stopped while standing by
			return nil
		}
		return err
	}
	defer release()
	if r.leader != nil {
		switch err := loop.CatchUp(leading); {
		case errors.Is(err, context.Canceled):
			return nil
		case err != nil:
			return err
		}
	}
	r.begin(loop)
	endView := r.stream.live(leading, loop)
	ended := make(chan struct{})
	told := r.tellStopping(leading, ended)
	var decisions []*report.Decision
	if r.watch {
		err = loop.Run(leading, lost)
	} else {
		decisions, err = loop.Pass(leading)
	}
	close(ended)
	<-told
	endView()
	if err == nil && !r.watch {
		return r.verdict(decisions)
	}
	r.note("%s", r.stream.tally.summary())
	return err
}

// stopTime is how long stopping may take before it is told what it takes time for.
const stopTime = 300 * time.Millisecond

// tellStopping says why the run has not ended yet when it is to stop. The returned channel is closed when nothing more
// is said.
func (r *runner) tellStopping(ctx context.Context, ended <-chan struct{}) <-chan struct{} {
	told := make(chan struct{})
	go func() {
		defer close(told)
		select {
		case <-ctx.Done():
		case <-ended:
			return
		}
		timer := time.NewTimer(stopTime)
		defer timer.Stop()
		select {
		case <-timer.C:
			r.note("Stopping: bindings in flight are finished first, for 25 s at most; ctrl-C again ends at once.")
		case <-ended:
		}
	}()
	return told
}

// begin says what is scheduled.
func (r *runner) begin(loop *run.Loop) {
	if state, err := loop.State(); err == nil { // an error of it would show in the decisions
		for _, warning := range engine.NewWarner(state).AboutAll() {
			r.note("Warning: %s", warning)
		}
	}
	profiles := loop.Profiles()
	what := "Scheduling Pods with schedulerName " + strings.Join(fewOf(profiles), ", ")
	if r.dryRun {
		what += " (dry run: nothing is written)"
	}
	if r.watch {
		what += "; ctrl-C stops"
	}
	r.note("%s.", what)
	if slices.Contains(profiles, corev1.DefaultSchedulerName) && !r.dryRun && r.leader == nil {
		r.note("These are the Pods of the cluster's own scheduler too: the two must not run at a time.")
	}
}

// fewOf are as many names as a line has room for, and how many more there are.
func fewOf(names []string) []string {
	const most = 5
	if len(names) <= most {
		return names
	}
	return append(slices.Clone(names[:most]), fmt.Sprintf("%d more", len(names)-most))
}

// verdict says what became of the Pods of a single pass, and turns it into the command's result.
func (r *runner) verdict(decisions []*report.Decision) error {
	if len(decisions) == 0 {
		r.note("No pending Pod has schedulerName %s.", strings.Join(fewOf(r.loop.Load().Profiles()), " or "))
		return nil
	}
	r.stream.flush()
	r.note("%s", passSummary(decisions))
	for _, decision := range decisions {
		switch decision.Result {
		case report.ResultBound, report.ResultBoundElsewhere, report.ResultGone:
		default:
			return errNo
		}
	}
	return nil
}

// decided gets the scheduler's decisions.
func (r *runner) decided(decision *report.Decision, pod *corev1.Pod) {
	r.metrics.Decided(decision)
	r.stream.add(decision, pod)
}

func (r *runner) retrying(cause bind.Cause) { r.metrics.Retried(string(cause)) }

// refusalAfter is how long something may be forbidden before it is told: an API server that has just started refuses
// what it does not know yet to be allowed.
const refusalAfter = 20 * time.Second

// forbidden tells once what may not be watched.
func (r *runner) forbidden(err error) {
	now := time.Now()
	since, seen := r.refusals.LoadOrStore(err.Error(), now)
	if first := since.(time.Time); seen && !first.IsZero() && now.Sub(first) > refusalAfter {
		r.refusals.Store(err.Error(), time.Time{})
		r.note("Warning: %v", err)
	}
}

// note says something about the run to whoever is at the terminal.
func (r *runner) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	switch {
	case r.stream.view != nil && r.stream.view.note(text):
	case r.jsonLogs:
		noteJSON(r.env.ErrOut, text)
	default:
		fmt.Fprintln(r.env.ErrOut, printable(text))
	}
}
