package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/utils/ptr"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
)

// Session is kube-scheduler's Scheduler over one cluster. Its questions are asked by one goroutine. Close it after use.
type Session struct {
	options Options
	sched   *scheduler.Scheduler
	// decide is upstream's own SchedulePod.
	decide schedulePodFunc
	feed
	pods corelisters.PodLister
	// static tells that the feed is a State that does not change.
	static bool
	stop   context.CancelFunc
	// metrics is what upstream's queues count with; nobody reads it here.
	metrics *metrics.MetricAsyncRecorder

	// snapshot is used by scheduling cycles and by judgments just before a Binding, under the lock.
	lock     sync.Mutex
	snapshot *internalcache.Snapshot

	// bound counts the Pods that are bound.
	bound int
	// pass is the one that is under way.
	pass *pass
}

// schedulePodFunc is the type of upstream's SchedulePod.
type schedulePodFunc func(context.Context, framework.Framework, fwk.CycleState, *framework.QueuedPodInfo) (
	scheduler.ScheduleResult, error,
)

// ErrNoSuchProfile is returned when Options.Profile names no profile of the configuration.
var ErrNoSuchProfile = errors.New("no profile is named")

// NewPlan builds a Session over a State, which must have its API defaults. What it decides changes no cluster: volumes
// and devices are assumed to be bound, and a Binder that writes is the caller's own business.
func NewPlan(ctx context.Context, state *cluster.State, options Options) (*Session, error) {
	client, err := upstream.NewClient()
	if err != nil {
		return nil, fmt.Errorf("setting up the scheduler: %w", err)
	}
	state = asStored(state)
	factory, err := upstream.NewStateInformers(client, state)
	if err != nil {
		return nil, fmt.Errorf("setting up the scheduler: %w", err)
	}
	s := &Session{options: options, feed: feed{client: client, factory: factory, state: state}, static: true}
	ctx, s.stop = context.WithCancel(upstream.Quiet(ctx))
	if err := s.build(ctx); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// asStored returns the State with what an API server gives every object and files may lack: a UID of its own for every
// Pod and device claim, since upstream tells them apart by it, and a version of the claims.
func asStored(state *cluster.State) *cluster.State {
	out := *state
	out.Pods = slices.Clone(state.Pods)
	seen := make(map[types.UID]bool, len(out.Pods))
	for i, pod := range out.Pods {
		if pod.UID == "" || seen[pod.UID] {
			out.Pods[i] = pod.DeepCopy()
			out.Pods[i].UID = types.UID("file:" + pod.Namespace + "/" + pod.Name)
		}
		seen[out.Pods[i].UID] = true
	}
	out.ResourceClaims = slices.Clone(state.ResourceClaims)
	for i, claim := range out.ResourceClaims {
		claim = claim.DeepCopy()
		claim.UID = cmp.Or(claim.UID, types.UID("file:"+claim.Namespace+"/"+claim.Name))
		claim.ResourceVersion = cmp.Or(claim.ResourceVersion, "1")
		out.ResourceClaims[i] = claim
	}
	return &out
}

// build makes the upstream Scheduler, which lives as long as the context. It registers its event handlers, so that
// informers are started afterwards.
func (s *Session) build(ctx context.Context) error {
	config := s.options.Config
	if config == nil {
		var err error
		if config, err = upstream.DefaultConfig(); err != nil {
			return err
		}
	}
	registry := maps.Clone(s.options.Plugins)
	if registry == nil {
		registry = upstream.Registry{}
	}
	registry[pluginName] = s.newPlugin
	s.snapshot = internalcache.NewEmptySnapshot()
	s.metrics = metrics.NewMetricsAsyncRecorder(0, time.Second, ctx.Done())
	percentage := config.KubeSchedulerConfiguration.PercentageOfNodesToScore
	if !s.options.Sample {
		percentage = ptr.To[int32](100)
	}
	sched, err := scheduler.New(ctx, s.client, s.factory, nil, s.recorder,
		scheduler.WithComponentConfigVersion(config.KubeSchedulerConfiguration.APIVersion),
		scheduler.WithProfiles(s.adapt(config.KubeSchedulerConfiguration.Profiles)...),
		scheduler.WithExtenders(s.adaptExtenders(config.KubeSchedulerConfiguration.Extenders)...),
		scheduler.WithParallelism(config.KubeSchedulerConfiguration.Parallelism),
		scheduler.WithPercentageOfNodesToScore(percentage),
		scheduler.WithNodeInfoSnapshot(s.snapshot),
		scheduler.WithFrameworkOutOfTreeRegistry(registry),
	)
	if err != nil {
		return fmt.Errorf("%w: %w", upstream.ErrConfiguration, err)
	}
	s.sched = sched
	s.decide, sched.SchedulePod = sched.SchedulePod, s.schedulePod
	s.pods = s.factory.Core().V1().Pods().Lister()
	return s.checkProfile()
}

func (s *Session) checkProfile() error {
	if s.options.Profile == "" || s.serves(s.options.Profile) {
		return nil
	}
	s.Close()
	names := slices.Sorted(maps.Keys(s.sched.Profiles))
	names = slices.DeleteFunc(names, func(name string) bool { return !s.serves(name) })
	return fmt.Errorf("%w %q: the profiles are %s", ErrNoSuchProfile, s.options.Profile, strings.Join(names, ", "))
}

// serves tells whether there is a profile of the name that schedules.
func (s *Session) serves(name string) bool {
	return s.sched.Profiles.HandlesSchedulerName(name) && !strings.HasSuffix(name, checkSuffix)
}

func (s *Session) recorder(string) events.EventRecorderLogger {
	if s.options.Events == nil {
		return bind.NoEvents{}
	}
	return s.options.Events
}

// TellFailure writes the event that kube-scheduler writes about a Pod that it could not place.
func (s *Session) TellFailure(pod *corev1.Pod, message string) {
	s.recorder("").Eventf(pod, nil, corev1.EventTypeWarning, "FailedScheduling", "Scheduling", "%s", message)
}

// Serves tells whether the Session schedules Pods of this schedulerName.
func (s *Session) Serves(schedulerName string) bool {
	return s.options.Profile != "" || s.serves(schedulerName)
}

// profileOf names the profile that schedules the Pod.
func (s *Session) profileOf(pod *corev1.Pod) string {
	if s.options.Profile != "" {
		return s.options.Profile
	}
	return pod.Spec.SchedulerName
}

// Close ends what the Session has started.
func (s *Session) Close() {
	s.stop()
	s.sched.SchedulingQueue.Close()
	_ = s.sched.Profiles.Close() // plugins' own; nothing is left to do about an error
	if !s.static {
		s.factory.Shutdown()
	}
}

// schedule runs one scheduling cycle, and starts the binding cycles that follow.
func (s *Session) schedule(ctx context.Context, entity framework.QueuedEntityInfo) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.sched.NextEntity = func(klog.Logger) (framework.QueuedEntityInfo, error) { return entity, nil }
	s.sched.ScheduleOne(ctx)
}
