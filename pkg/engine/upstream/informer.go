package upstream

import (
	"context"
	"fmt"
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// serve makes the factory's informer of one kind hold objects. It must be called before anybody asks the factory for
// that informer. P is *T.
func serve[T any, P interface {
	*T
	runtime.Object
}](factory informers.SharedInformerFactory, objects []P) (*staticInformer, error) {
	return serveEvents(factory, objects, func(P) bool { return true })
}

// serveEvents is serve, but tells event handlers only of the objects that pass.
func serveEvents[T any, P interface {
	*T
	runtime.Object
}](factory informers.SharedInformerFactory, objects []P, pass func(P) bool) (*staticInformer, error) {
	var example P = new(T)
	informer := newStaticInformer(example)
	for _, object := range objects {
		if err := informer.GetIndexer().Add(object); err != nil {
			return nil, fmt.Errorf("indexing %T: %w", object, err)
		}
		if pass(object) {
			informer.events = append(informer.events, object)
		}
	}
	factory.InformerFor(example, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer { return informer })
	return informer, nil
}

// staticInformer is an informer over a fixed list. It never runs: an event handler is told of every object at once,
// when it is added, so that caches that live on events (claims, slices, volumes, Pod groups, the queue) are full when
// scheduler.New returns.
type staticInformer struct {
	cache.SharedIndexInformer // never started; its indexer holds the objects
	events                    []any
	handlers                  []cache.ResourceEventHandler
}

func newStaticInformer(example runtime.Object) *staticInformer {
	return &staticInformer{
		SharedIndexInformer: cache.NewSharedIndexInformer(&cache.ListWatch{}, example, 0,
			cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}),
	}
}

func (i *staticInformer) AddEventHandler(handler cache.ResourceEventHandler) (
	cache.ResourceEventHandlerRegistration, error,
) {
	for _, object := range i.events {
		handler.OnAdd(object, true)
	}
	i.handlers = append(i.handlers, handler)
	return synced{}, nil
}

func (i *staticInformer) AddEventHandlerWithResyncPeriod(handler cache.ResourceEventHandler, _ time.Duration) (
	cache.ResourceEventHandlerRegistration, error,
) {
	return i.AddEventHandler(handler)
}

func (i *staticInformer) AddEventHandlerWithOptions(handler cache.ResourceEventHandler, _ cache.HandlerOptions) (
	cache.ResourceEventHandlerRegistration, error,
) {
	return i.AddEventHandler(handler)
}

// AddIndexers adds those that are not there yet: plugins name theirs after their profile, and what is derived from a
// profile has the same plugins once more.
func (i *staticInformer) AddIndexers(indexers cache.Indexers) error {
	known := i.GetIndexer().GetIndexers()
	added := maps.Clone(indexers)
	maps.DeleteFunc(added, func(name string, _ cache.IndexFunc) bool { return known[name] != nil })
	if len(added) == 0 {
		return nil
	}
	return i.SharedIndexInformer.AddIndexers(added)
}

// Run does nothing until it is stopped: a factory that is started runs all of its informers.
func (i *staticInformer) Run(stop <-chan struct{}) { <-stop }

// RunWithContext is Run.
func (i *staticInformer) RunWithContext(ctx context.Context) { <-ctx.Done() }

func (i *staticInformer) HasSynced() bool                     { return true }
func (i *staticInformer) HasSyncedChecker() cache.DoneChecker { return synced{} }

// synced is the registration of a handler that has seen everything.
type synced struct{}

func (synced) HasSynced() bool                     { return true }
func (synced) HasSyncedChecker() cache.DoneChecker { return synced{} }
func (synced) Name() string                        { return "static" }

func (synced) Done() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}

// ServeNone makes the factory's informer of an object's kind hold nothing, for a kind that an API server does not know.
func ServeNone(factory informers.SharedInformerFactory, example runtime.Object) {
	informer := newStaticInformer(example)
	factory.InformerFor(example, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer { return informer })
}
