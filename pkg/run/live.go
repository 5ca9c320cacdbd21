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

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
)

// How long the API server may take to tell what can be read, and to tell all of it.
const (
	probeTimeout = time.Minute
	readTimeout  = 5 * time.Minute
)

// Live says which cluster a Session runs on, and with what rights.
type Live struct {
	// Config reaches the API server. Its QPS and Burst limit the requests of the scheduler.
	Config *rest.Config
	// Kinds are the kinds that the scheduler reads.
	Kinds []*cluster.Kind
	// Progress, when set, is called after each kind that has been read, by one goroutine at a time.
	Progress func(done, total int, kind *cluster.Kind)
}

// NewLive builds a Session over a running cluster and returns when it has read all of it. What it decides is written by
// upstream's plugins (volumes, devices) and by the Binder.
//
// A kind that the API server does not serve counts as one without objects. One that may not be read is an error: what
// is not seen could be bound against.
func NewLive(ctx context.Context, live Live, options Options) (*Session, error) {
	probing, stop := context.WithTimeout(ctx, probeTimeout)
	defer stop()
	state, err := cluster.Probe(probing, live.Config, live.Kinds)
	if err != nil {
		return nil, err
	}
	if err := unreadable(state.Gaps); err != nil {
		return nil, err
	}
	config := rest.CopyConfig(live.Config)
	watches := &openWatches{}
	config.Wrap(watches.count)
	config.Wrap(bind.FinishWrites)
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("setting up the client: %w", err)
	}
	s := &Session{options: options, client: client, state: state, watches: watches}
	watching := newWatching(ctx, client, state.Gaps, live)
	defer watching.stop()
	s.factory, s.kinds = watching.factory, watching.kinds
	// What is started lives until Close, not until an interrupt: requests in flight are finished then.
	lasting, end := context.WithCancel(upstream.Quiet(context.WithoutCancel(ctx)))
	s.stop = end
	if err := s.build(lasting); err != nil {
		s.stop()
		return nil, err
	}
	if err := s.start(lasting, watching); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// unreadable tells which kinds may not be read.
func unreadable(gaps []cluster.Gap) error {
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
		errs = append(errs, fmt.Errorf("may not list %s: grant list and watch on them, as deploy/rbac-bind.yaml does; "+
			"nothing is bound without them", strings.Join(forbidden, ", ")))
	}
	return errors.Join(errs...)
}

// watching is the start of a Session's informers.
type watching struct {
	ctx     context.Context //nolint:containedctx // it ends with the start
	stop    context.CancelFunc
	factory informers.SharedInformerFactory
	kinds   []*cluster.Kind
	live    Live

	mu  sync.Mutex
	err error
}

func newWatching(ctx context.Context, client kubernetes.Interface, gaps []cluster.Gap, live Live) *watching {
	w := &watching{factory: informers.NewSharedInformerFactory(client, 0), live: live}
	w.ctx, w.stop = context.WithTimeout(ctx, readTimeout)
	w.factory.InformerFor(&corev1.Pod{}, newPodInformer)
	missing := map[*cluster.Kind]bool{}
	for _, gap := range gaps {
		missing[gap.Kind] = true
	}
	for _, kind := range live.Kinds {
		if missing[kind] {
			upstream.ServeNone(w.factory, kind.New())
			continue
		}
		w.kinds = append(w.kinds, kind)
	}
	return w
}

// newPodInformer leaves out finished Pods, as kube-scheduler's own does.
func newPodInformer(client kubernetes.Interface, resync time.Duration) cache.SharedIndexInformer {
	selector := cluster.FieldSelector(cluster.KindOf(&corev1.Pod{}))
	return coreinformers.NewFilteredPodInformer(client, metav1.NamespaceAll, resync, cache.Indexers{},
		func(options *metav1.ListOptions) { options.FieldSelector = selector })
}

// start starts the informers and returns when the scheduler has heard of every object.
func (s *Session) start(ctx context.Context, w *watching) error {
	synced := map[*cluster.Kind]cache.InformerSynced{}
	for _, kind := range w.kinds {
		informer, err := s.informer(kind)
		if err != nil {
			return err
		}
		if err := w.prepare(informer, kind); err != nil {
			return err
		}
		synced[kind] = informer.HasSynced
	}
	s.factory.StartWithContext(ctx)
	for i, kind := range w.kinds {
		if !cache.WaitForCacheSync(w.ctx.Done(), synced[kind]) {
			return w.failure()
		}
		if w.live.Progress != nil {
			w.live.Progress(i+1, len(w.kinds), kind)
		}
	}
	if err := s.sched.WaitForHandlersSync(w.ctx); err != nil {
		return w.failure()
	}
	return nil
}

// prepare makes an informer drop what is never read, and tell when it may not watch.
func (w *watching) prepare(informer cache.SharedIndexInformer, kind *cluster.Kind) error {
	if err := informer.SetTransform(transform(kind)); err != nil {
		return fmt.Errorf("watching %s: %w", kind.Resource, err)
	}
	return informer.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) {
		if apierrors.IsForbidden(err) {
			w.fail(fmt.Errorf("may not watch %s: grant list and watch on them, as deploy/rbac-bind.yaml does", kind.Resource))
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

func (w *watching) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
		w.stop()
	}
}

func (w *watching) failure() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.err != nil:
		return w.err
	case errors.Is(w.ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("the API server has not told all of the cluster in %s", readTimeout)
	}
	return context.Cause(w.ctx)
}
