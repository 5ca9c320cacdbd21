package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/transport"
	"k8s.io/kubernetes/pkg/scheduler"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
)

// How long the API server may take to tell what can be read, and to tell all of it.
const (
	probeTimeout = time.Minute
	readTimeout  = 5 * time.Minute
)

// Live says which cluster is scheduled, and how it is reached.
type Live struct {
	// Config reaches the API server. Its QPS and Burst limit the requests of the scheduler.
	Config *rest.Config
	// Kinds are the kinds that the scheduler reads.
	Kinds []*cluster.Kind
	// Role is the file with the permissions that are needed, which errors name.
	Role string
	// Forbidden, when set, is called with what may not be watched any more, again and again.
	Forbidden func(error)
	// Progress, when set, is called after each kind that has been read, by one goroutine at a time.
	Progress func(done, total int, kind *cluster.Kind)
}

// feed is what a scheduler knows of a cluster: informers over it, and what is known beside its objects.
type feed struct {
	// config is how client reaches a running cluster; nil over a State that does not change.
	config  *rest.Config
	client  kubernetes.Interface
	factory informers.SharedInformerFactory
	// kinds are those that are watched; there are none over a State that does not change.
	kinds []*cluster.Kind
	// state is a State that does not change, or what is known of the cluster beside its objects.
	state *cluster.State
	// watches are those of a running cluster.
	watches  *openWatches
	role     string
	forbid   func(error)
	progress func(done, total int, kind *cluster.Kind)
}

// openFeed finds out what can be read of a running cluster, and prepares informers of it; writes is what its writes go
// through.
func openFeed(ctx context.Context, live Live, writes transport.WrapperFunc) (*feed, error) {
	probing, stop := context.WithTimeout(ctx, probeTimeout)
	defer stop()
	state, err := cluster.Probe(probing, live.Config, live.Kinds)
	if err != nil {
		return nil, err
	}
	if err := unreadable(state.Gaps, live.Role); err != nil {
		return nil, err
	}
	f := &feed{state: state, watches: &openWatches{}, role: live.Role, forbid: live.Forbidden,
		progress: live.Progress}
	f.config = rest.CopyConfig(live.Config)
	f.config.Wrap(f.watches.count)
	f.config.Wrap(writes)
	if f.client, err = kubernetes.NewForConfig(f.config); err != nil {
		return nil, fmt.Errorf("setting up the client: %w", err)
	}
	f.factory = informers.NewSharedInformerFactory(f.client, 0)
	f.factory.InformerFor(&corev1.Pod{}, newPodInformer)
	for _, kind := range live.Kinds {
		if slices.ContainsFunc(state.Gaps, func(gap cluster.Gap) bool { return gap.Kind == kind }) {
			upstream.ServeNone(f.factory, kind.New())
			continue
		}
		f.kinds = append(f.kinds, kind)
	}
	return f, nil
}

// unreadable tells which kinds may not be read.
func unreadable(gaps []cluster.Gap, role string) error {
	var forbidden []string
	var errs []error
	for _, gap := range gaps {
		switch gap.Reason {
		case cluster.Forbidden:
			forbidden = append(forbidden, gap.Kind.Resource)
		case cluster.Failed:
			errs = append(errs, gap.Err)
		case cluster.Absent, cluster.NotServed:
		}
	}
	if len(forbidden) > 0 {
		errs = append(errs, fmt.Errorf(
			"may not list %s: grant list and watch on them, as %s does; nothing is bound without them",
			strings.Join(forbidden, ", "), role))
	}
	return cluster.JoinErrors(errs)
}

// newPodInformer leaves out finished Pods, as kube-scheduler's own does.
func newPodInformer(client kubernetes.Interface, resync time.Duration) cache.SharedIndexInformer {
	selector := cluster.FieldSelector(cluster.KindOf(&corev1.Pod{}))
	return coreinformers.NewFilteredPodInformer(client, metav1.NamespaceAll, resync, cache.Indexers{},
		func(options *metav1.ListOptions) { options.FieldSelector = selector })
}

// start starts the informers, which live as long as the lasting context, and returns when the scheduler has heard of
// every object. ctx ends the wait.
func (f *feed) start(ctx, lasting context.Context, sched *scheduler.Scheduler) error {
	starting := &starting{role: f.role, forbid: f.forbid}
	starting.ctx, starting.stop = context.WithTimeout(ctx, readTimeout)
	defer starting.stop()
	synced := map[*cluster.Kind]cache.InformerSynced{}
	for _, kind := range f.kinds {
		informer, err := f.informer(kind)
		if err != nil {
			return err
		}
		if err := starting.prepare(informer, kind); err != nil {
			return err
		}
		synced[kind] = informer.HasSynced
	}
	f.factory.StartWithContext(lasting)
	for i, kind := range f.kinds {
		if !cache.WaitForCacheSync(starting.ctx.Done(), synced[kind]) {
			return starting.failure()
		}
		if f.progress != nil {
			f.progress(i+1, len(f.kinds), kind)
		}
	}
	if err := sched.WaitForHandlersSync(starting.ctx); err != nil {
		return starting.failure()
	}
	return nil
}

// starting is the start of informers.
type starting struct {
	role   string
	forbid func(error)
	ctx    context.Context //nolint:containedctx // it ends with the start
	stop   context.CancelFunc

	mu  sync.Mutex
	err error
}

// prepare makes an informer drop what is never read, and tell when it may not watch.
func (s *starting) prepare(informer cache.SharedIndexInformer, kind *cluster.Kind) error {
	if err := informer.SetTransform(transform(kind)); err != nil {
		return fmt.Errorf("watching %s: %w", kind.Resource, err)
	}
	return informer.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) {
		if !apierrors.IsForbidden(err) {
			return
		}
		err = fmt.Errorf("may not watch %s: grant list and watch on them, as %s does", kind.Resource, s.role)
		s.fail(err)
		if s.forbid != nil {
			s.forbid(err)
		}
	})
}

// transform drops from the objects of a kind what is never read. What upstream's plugins write back whole stays
// whole: they would take it from the cluster's object.
func transform(kind *cluster.Kind) cache.TransformFunc {
	if slices.Contains([]string{"PersistentVolume", "PersistentVolumeClaim", "ResourceClaim"}, kind.Kind) {
		return func(object any) (any, error) { return object, nil }
	}
	trim := cluster.Trimmer(kind)
	return func(object any) (any, error) {
		if object, ok := object.(cluster.Object); ok {
			trim(object)
		}
		return object, nil
	}
}

func (s *starting) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
		s.stop()
	}
}

func (s *starting) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.err != nil:
		return s.err
	case errors.Is(s.ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("the API server has not told all of the cluster in %s", readTimeout)
	}
	return context.Cause(s.ctx)
}

// objects returns all that is known of the cluster, with the Pods that the scheduler's cache assumes on their nodes
// there.
func (f *feed) objects(assumed internalcache.Cache) (*cluster.State, error) {
	state := *f.state
	for _, kind := range f.kinds {
		informer, err := f.informer(kind)
		if err != nil {
			return nil, err
		}
		var objects []cluster.Object
		for _, object := range informer.GetStore().List() {
			objects = append(objects, object.(cluster.Object))
		}
		kind.AddObjects(&state, objects)
	}
	state.Pods = slices.Clone(state.Pods)
	for i, pod := range state.Pods {
		if pod.Spec.NodeName != "" {
			continue
		}
		if known, err := assumed.GetPod(pod); err == nil {
			placed := pod.DeepCopy()
			placed.Spec.NodeName = known.Spec.NodeName
			state.Pods[i] = placed
		}
	}
	return &state, nil
}
