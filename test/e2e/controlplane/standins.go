package controlplane

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// standIns do what a kubelet and the volume controllers would do, as far as kube-scheduler waits for it.
type standIns struct {
	cancel  context.CancelFunc
	factory informers.SharedInformerFactory
}

// resync is how soon a step that failed is tried again.
const resync = time.Second

func startStandIns(ctx context.Context, client kubernetes.Interface) *standIns {
	ctx, cancel := context.WithCancel(ctx)
	factory := informers.NewSharedInformerFactory(client, resync)
	volumes := &volumeController{client: client}

	react(ctx, factory.Core().V1().Pods().Informer(), func(pod *corev1.Pod) error {
		return letGo(ctx, client, pod)
	})
	react(ctx, factory.Core().V1().PersistentVolumes().Informer(), func(volume *corev1.PersistentVolume) error {
		return volumes.bind(ctx, volume)
	})
	react(ctx, factory.Core().V1().PersistentVolumeClaims().Informer(), func(claim *corev1.PersistentVolumeClaim) error {
		return volumes.provision(ctx, claim)
	})
	factory.StartWithContext(ctx)
	return &standIns{cancel: cancel, factory: factory}
}

// stop returns when nothing of the stand-ins runs any more.
func (s *standIns) stop() {
	s.cancel()
	s.factory.Shutdown()
}

// react calls do for every object of the informer that is new or changed, and now and again for all of them.
func react[T any](ctx context.Context, informer cache.SharedIndexInformer, do func(T) error) {
	handle := func(object any) {
		err := do(object.(T))
		if err != nil && !isPassing(err) && ctx.Err() == nil {
			runtime.HandleErrorWithContext(ctx, err, "A stand-in failed; it will try again", "object", fmt.Sprintf("%T", object))
		}
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    handle,
		UpdateFunc: func(_, object any) { handle(object) },
	})
	if err != nil {
		panic(err) // unreachable: only an informer that was stopped takes no handlers
	}
}

// isPassing tells an error that needs no word: after a conflict the object comes again, for it has changed, and the API
// server is killed by tests that know it.
func isPassing(err error) bool {
	return apierrors.IsConflict(err) || utilnet.IsConnectionRefused(err) || utilnet.IsConnectionReset(err)
}
