package upstream

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	schedulerprofile "k8s.io/kubernetes/pkg/scheduler/profile"

	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// Options are the inputs of a Scheduler beside the State.
type Options struct {
	// Config is the scheduler configuration; nil for kube-scheduler's defaults.
	Config *Config
	// OutOfTree are plugins linked in beside the in-tree ones.
	OutOfTree Registry
}

// Scheduler is kube-scheduler's Scheduler over one State.
type Scheduler struct {
	sched          *scheduler.Scheduler
	profiles       map[string]schedulerapi.KubeSchedulerProfile
	preemptors     map[string]*preemptor
	snapshot       *internalcache.Snapshot
	names          []string // of the nodes, sorted
	pods           cache.Indexer
	volumeClaims   *staticInformer
	resourceClaims *staticInformer
	storageClasses *staticInformer
	csiNodes       *staticInformer
	infos          *podInfos
	outOfTree      Registry
	made           madePlugins
	derived        map[string]framework.Framework // from profiles, see derive
	views          map[string]*view               // what trials see, by profile
	stop           context.CancelFunc
	broadcaster    events.EventBroadcaster

	// Orphans are the Pods, as namespace/name, that are bound to a node the State does not hold. They are left out.
	Orphans []string
}

// ErrConfiguration is returned by New when upstream cannot build a scheduler of the configuration.
var ErrConfiguration = errors.New("no scheduler can be built of the configuration")

// allNodes is what percentageOfNodesToScore is set to: kube-scheduler samples above 100 nodes, an explanation does not.
var allNodes int32 = 100

// New builds a Scheduler over the State. It reads the process-wide feature gates (see SetGates). Close it after use.
func New(ctx context.Context, state *cluster.State, options Options) (*Scheduler, error) {
	config := options.Config
	if config == nil {
		var err error
		if config, err = DefaultConfig(); err != nil {
			return nil, err
		}
	}
	client, err := NewClient()
	if err != nil {
		return nil, fmt.Errorf("setting up the scheduler: %w", err)
	}
	s := &Scheduler{
		profiles: map[string]schedulerapi.KubeSchedulerProfile{},
		snapshot: internalcache.NewEmptySnapshot(),
		infos:    newPodInfos(),
		derived:  map[string]framework.Framework{},
		views:    map[string]*view{},

		outOfTree: options.OutOfTree,
		made:      madePlugins{},
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	if err := s.serve(factory, state); err != nil {
		return nil, fmt.Errorf("setting up the scheduler: %w", err)
	}
	for _, node := range state.Nodes {
		s.names = append(s.names, node.Name)
	}
	slices.Sort(s.names)
	ctx, s.stop = context.WithCancel(Quiet(ctx))
	if err := s.build(ctx, client, factory, config.KubeSchedulerConfiguration, options.OutOfTree); err != nil {
		s.Close()
		return nil, err
	}
	if err := s.fill(ctx, state.Pods); err != nil {
		s.Close()
		return nil, fmt.Errorf("filling the scheduler's snapshot: %w", err)
	}
	return s, nil
}

// serve gives the factory an informer for every kind that a scheduler reads. Of the Pods, event handlers are told only
// of those that wait and hold something: a nomination or a place in a group. fill adds those that have a node.
func (s *Scheduler) serve(factory informers.SharedInformerFactory, state *cluster.State) error {
	waits := func(pod *corev1.Pod) bool {
		return pod.Spec.NodeName == "" && (pod.Status.NominatedNodeName != "" || pod.Spec.SchedulingGroup != nil)
	}
	served, err := serveState(factory, state, waits)
	if err != nil {
		return err
	}
	s.pods = served.pods.GetIndexer()
	s.volumeClaims, s.resourceClaims = served.volumeClaims, served.resourceClaims
	s.storageClasses, s.csiNodes = served.storageClasses, served.csiNodes
	return nil
}

// build makes the upstream Scheduler, which fills its caches from the factory as it registers its event handlers.
func (s *Scheduler) build(ctx context.Context, client kubernetes.Interface, factory informers.SharedInformerFactory,
	config *schedulerapi.KubeSchedulerConfiguration, outOfTree Registry,
) error {
	profiles := make([]schedulerapi.KubeSchedulerProfile, 0, len(config.Profiles))
	for _, profile := range config.Profiles {
		profile = *profile.DeepCopy()
		profile.PercentageOfNodesToScore = nil
		profiles = append(profiles, profile)
		s.profiles[profile.SchedulerName] = profile
	}
	s.broadcaster = events.NewBroadcaster(nil)
	sched, err := scheduler.New(ctx, client, factory, nil, schedulerprofile.NewRecorderFactory(s.broadcaster),
		scheduler.WithComponentConfigVersion(config.APIVersion),
		scheduler.WithProfiles(profiles...),
		scheduler.WithExtenders(config.Extenders...),
		scheduler.WithParallelism(config.Parallelism),
		scheduler.WithPercentageOfNodesToScore(&allNodes),
		scheduler.WithNodeInfoSnapshot(s.snapshot),
		scheduler.WithFrameworkOutOfTreeRegistry(s.made.keep(outOfTree)),
	)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrConfiguration, err)
	}
	s.sched = sched
	return s.buildPreemptors(ctx)
}

// fill puts the Pods that have a node into the snapshot. It does what the cache's AddPod and UpdateSnapshot do, but
// computes the requests of Pods from one template once.
func (s *Scheduler) fill(ctx context.Context, pods []*corev1.Pod) error {
	for _, pod := range pods {
		if pod.Spec.NodeName != "" && !Finished(pod) {
			s.sched.Cache.AddPodGroupMember(pod) // does nothing for a Pod without a group
		}
	}
	if err := s.sched.Cache.UpdateSnapshot(klog.FromContext(ctx), s.snapshot); err != nil {
		return err
	}
	for _, pod := range pods {
		if pod.Spec.NodeName == "" || Finished(pod) {
			continue
		}
		info, err := s.snapshot.Get(pod.Spec.NodeName)
		if err != nil {
			s.Orphans = append(s.Orphans, pod.Namespace+"/"+pod.Name)
			continue
		}
		if err := s.snapshot.AssumePod(s.infos.of(pod)); err != nil {
			return fmt.Errorf("pod %s/%s: %w", pod.Namespace, pod.Name, err)
		}
		if used := info.GetRequested(); used.GetMilliCPU() < 0 || used.GetMemory() < 0 || used.GetEphemeralStorage() < 0 {
			return fmt.Errorf("pod %s/%s: with the other Pods of node %s it requests more than can be counted",
				pod.Namespace, pod.Name, pod.Spec.NodeName)
		}
	}
	return nil
}

// framework returns the framework of a profile; ok is false when no profile has the name.
func (s *Scheduler) framework(name string) (framework.Framework, bool) {
	fw, ok := s.sched.Profiles[name]
	return fw, ok
}

// PodsOn returns the Pods that take room on a node.
func (s *Scheduler) PodsOn(node string) []*corev1.Pod {
	info, err := s.snapshot.Get(node)
	if err != nil {
		return nil
	}
	pods := make([]*corev1.Pod, 0, len(info.GetPods()))
	for _, pod := range info.GetPods() {
		pods = append(pods, pod.GetPod())
	}
	return pods
}

// Handle returns what the plugins of a profile are given by kube-scheduler; nil when no profile has the name.
func (s *Scheduler) Handle(profile string) fwk.Handle {
	fw, ok := s.framework(profile)
	if !ok {
		return nil
	}
	return fw
}

// Args returns the arguments of a profile's plugins, by plugin, with their defaults.
func (s *Scheduler) Args(profile string) map[string]runtime.Object {
	args := map[string]runtime.Object{}
	for _, config := range s.profiles[profile].PluginConfig {
		args[config.Name] = config.Args
	}
	return args
}

// Close stops the goroutines that upstream starts.
func (s *Scheduler) Close() {
	s.stop()
	if s.broadcaster != nil {
		s.broadcaster.Shutdown()
	}
}
