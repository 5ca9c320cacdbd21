package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/utils/clock"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// drainTime is how long what is under way may take once a Loop is to stop, and cancelTime how long it may after it was
// canceled: a Binding that was sent is waited for. Together they fit into the minute that a Pod of its own is given to
// end.
const (
	drainTime  = 25 * time.Second
	cancelTime = 25 * time.Second
)

// LoopOptions are the inputs of a Loop beside the cluster.
type LoopOptions struct {
	// Config is the scheduler configuration; nil for kube-scheduler's defaults.
	Config *upstream.Config
	// Plugins are scheduling plugins linked in beside kube-scheduler's own. The configuration enables them.
	Plugins upstream.Registry
	// DryRun decides and writes nothing, not even what plugins would.
	DryRun bool
	// Binder binds what is decided; it may be nil in a dry run.
	Binder Binder
	// Events makes the recorder of upstream's events for a profile; nil drops them.
	Events func(profile string) events.EventRecorderLogger
	// Clock is the time of decisions, back-off and waiting; nil stands for the real one.
	Clock clock.WithTicker
	// Decided gets every decision, and the Pod it is about as it was then. Several goroutines may call it at a time,
	// and the scheduler waits for it.
	Decided func(*report.Decision, *corev1.Pod)
}

// Loop is kube-scheduler's Scheduler at work on a running cluster: its own queue, its scheduling and binding cycles,
// its preemption. Run or Pass is called once.
type Loop struct {
	feed
	options LoopOptions
	clock   clock.WithTicker
	sched   *scheduler.Scheduler
	// decide and giveUp are upstream's own SchedulePod and FailureHandler.
	decide schedulePodFunc
	giveUp scheduler.FailureHandlerFn
	// stop ends the informers.
	stop context.CancelFunc

	flights  flights
	evictors evictors
	// gate is what all writes but Bindings go through.
	gate *writeGate
	// seats are taken by the Pods that are being bound.
	seats chan struct{}
	// backlog is what a Pass takes up; nil for all that comes.
	backlog *backlog
}

// NewLoop builds a Loop and returns when it has read all of the cluster. What may not be read is an error, and what the
// API server does not serve counts as empty, as for NewLive.
func NewLoop(ctx context.Context, live Live, options LoopOptions) (*Loop, error) {
	gate := &writeGate{}
	writes := gate.guard
	if options.DryRun {
		writes = swallowWrites
	}
	feed, err := openFeed(ctx, live, writes)
	if err != nil {
		return nil, err
	}
	l := &Loop{feed: *feed, options: options, clock: options.Clock, gate: gate, seats: make(chan struct{}, mostBindings)}
	if l.clock == nil {
		l.clock = clock.RealClock{}
	}
	// The informers live until Close, not until an interrupt: what is under way needs them.
	lasting, end := context.WithCancel(context.WithoutCancel(ctx))
	l.stop = end
	if err := l.build(lasting); err != nil {
		l.Close()
		return nil, err
	}
	if err := l.start(ctx, lasting, l.sched); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// build makes the upstream Scheduler with what kube-scheduler's own command (Setup in cmd/kube-scheduler/app) hands it,
// and hooks into it.
func (l *Loop) build(ctx context.Context) error {
	config := l.options.Config
	if config == nil {
		var err error
		if config, err = upstream.DefaultConfig(); err != nil {
			return err
		}
	}
	settings := config.KubeSchedulerConfiguration
	registry := maps.Clone(l.options.Plugins)
	if registry == nil {
		registry = upstream.Registry{}
	}
	registry[pluginName] = l.newBinder
	var err error
	l.sched, err = scheduler.New(ctx, l.client, l.factory, nil, l.recorder,
		scheduler.WithComponentConfigVersion(settings.APIVersion),
		scheduler.WithKubeConfig(l.config),
		scheduler.WithProfiles(l.adapt(settings.Profiles)...),
		scheduler.WithPercentageOfNodesToScore(settings.PercentageOfNodesToScore),
		scheduler.WithFrameworkOutOfTreeRegistry(registry),
		scheduler.WithPodMaxBackoffSeconds(settings.PodMaxBackoffSeconds),
		scheduler.WithPodInitialBackoffSeconds(settings.PodInitialBackoffSeconds),
		scheduler.WithExtenders(l.adaptExtenders(settings.Extenders)...),
		scheduler.WithParallelism(settings.Parallelism),
		scheduler.WithClock(l.clock),
	)
	if err != nil {
		return fmt.Errorf("%w: %w", upstream.ErrConfiguration, err)
	}
	l.decide, l.sched.SchedulePod = l.sched.SchedulePod, l.schedulePod
	l.giveUp, l.sched.FailureHandler = l.sched.FailureHandler, l.failed
	l.sched.NextEntity = l.nextEntity(l.sched.NextEntity)
	return nil
}

// Profiles names the profiles, which are the schedulerNames of the Pods that are scheduled, sorted.
func (l *Loop) Profiles() []string { return slices.Sorted(maps.Keys(l.sched.Profiles)) }

// State returns the cluster as the Loop knows it, with the Pods that are assumed on their nodes there.
func (l *Loop) State() (*cluster.State, error) { return l.objects(l.sched.Cache) }

// Run schedules until the context ends, then finishes what is under way. It returns the cause of that end unless it
// was an interrupt. When lost is closed, as a Lease's is, nothing may be written any more: what is under way is
// canceled, but for requests that are on their way. The context has to end then too. A nil channel is never closed.
func (l *Loop) Run(ctx context.Context, lost <-chan struct{}) error {
	l.gate.lost.Store(&lost)
	// Scheduling and binding cycles outlive an interrupt.
	lasting, end := context.WithCancelCause(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.sched.Run(lasting)
	}()
	<-ctx.Done()
	l.drain(lost)
	end(context.Cause(ctx))
	<-done
	l.wait(cancelTime, nil)
	if errors.Is(context.Cause(ctx), context.Canceled) {
		return nil
	}
	return context.Cause(ctx)
}

// drain takes up no further Pod, and waits until what is under way has ended, for drainTime, or until lost is closed.
// Pods that wait for others of their group are sent back: at once, or when the cycle is over that is under way.
func (l *Loop) drain(lost <-chan struct{}) {
	started := l.clock.Now()
	if busy := l.flights.stop(); !busy {
		l.rejectWaiting()
	}
	l.wait(drainTime, lost)
	ticker := l.clock.NewTicker(passPoll)
	defer ticker.Stop()
	for !l.options.DryRun && l.evicting() && l.clock.Since(started) < drainTime {
		select {
		case <-ticker.C():
		case <-lost:
			return
		}
	}
}

// rejectWaiting sends back the Pods that Permit plugins keep waiting.
func (l *Loop) rejectWaiting() {
	for _, fw := range l.sched.Profiles { // all share the Pods that wait
		fw.IterateOverWaitingPods(func(pod fwk.WaitingPod) { pod.Reject(pluginName, stoppedMessage) })
		break
	}
}

// wait returns when nothing is under way, after the time, or when the channel is closed.
func (l *Loop) wait(limit time.Duration, closed <-chan struct{}) {
	timer := l.clock.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-l.flights.landed():
	case <-timer.C():
	case <-closed:
	}
}

// Close ends what the Loop has started.
func (l *Loop) Close() {
	l.stop()
	l.factory.Shutdown()
}

// recorder makes the recorder of a profile.
func (l *Loop) recorder(profile string) events.EventRecorderLogger {
	var recorder events.EventRecorderLogger = bind.NoEvents{}
	if l.options.Events != nil && !l.options.DryRun {
		recorder = l.options.Events(profile)
	}
	return watchingEvents{recorder, l, profile}
}

// Watched tells whether Nodes and Pods are watched just now: when they are not, the Loop does not hear of what others
// do.
func (l *Loop) Watched() bool {
	return l.watches.open("/api/v1/nodes") && l.watches.open("/api/v1/pods")
}
