package upstream

import (
	"errors"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// stateInformers are the informers over a State that somebody changes or reads later.
type stateInformers struct {
	pods           *staticInformer
	volumeClaims   *staticInformer
	resourceClaims *staticInformer
	storageClasses *staticInformer
	csiNodes       *staticInformer
}

// NewStateInformers returns a factory whose informers hold the State. They never run and tell every event handler of
// all objects at once. No informer may be asked for that is not of a kind of the State.
func NewStateInformers(client kubernetes.Interface, state *cluster.State) (informers.SharedInformerFactory, error) {
	factory := informers.NewSharedInformerFactory(client, 0)
	_, err := serveState(factory, state, func(*corev1.Pod) bool { return true })
	return factory, err
}

// serveState gives the factory an informer over the State for every kind that a scheduler reads. Event handlers are
// told only of the Pods that pass.
func serveState(factory informers.SharedInformerFactory, state *cluster.State, pass func(*corev1.Pod) bool) (
	stateInformers, error,
) {
	var errs []error
	served := func(informer *staticInformer, err error) *staticInformer {
		errs = append(errs, err)
		return informer
	}
	all := stateInformers{
		pods:           served(serveEvents(factory, active(state.Pods), pass)),
		volumeClaims:   served(serve(factory, state.PersistentVolumeClaims)),
		resourceClaims: served(serve(factory, state.ResourceClaims)),
		storageClasses: served(serve(factory, state.StorageClasses)),
		csiNodes:       served(serve(factory, state.CSINodes)),
	}
	served(serve(factory, state.Nodes))
	served(serve(factory, state.Namespaces))
	served(serve(factory, state.PersistentVolumes))
	served(serve(factory, state.CSIDrivers))
	served(serve(factory, state.CSIStorageCapacities))
	served(serve(factory, state.VolumeAttachments))
	served(serve(factory, state.Services))
	served(serve(factory, state.ReplicationControllers))
	served(serve(factory, state.ReplicaSets))
	served(serve(factory, state.StatefulSets))
	served(serve(factory, state.PodDisruptionBudgets))
	served(serve(factory, state.ResourceSlices))
	served(serve(factory, state.DeviceClasses))
	served(serve(factory, state.DeviceTaintRules))
	served(serve(factory, state.PodGroups))
	served(serve(factory, state.CompositePodGroups))
	return all, errors.Join(errs...)
}

// active leaves out finished Pods, as the field selector of kube-scheduler's own Pod informer does.
func active(pods []*corev1.Pod) []*corev1.Pod {
	out := make([]*corev1.Pod, 0, len(pods))
	for _, pod := range pods {
		if !Finished(pod) {
			out = append(out, pod)
		}
	}
	return out
}

// Finished tells whether a Pod has ended, so that no scheduler sees it.
func Finished(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}
