package upstream

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Subject is a Pod to be judged, with what would be made for it: claims, by controllers, StorageClasses and CSINodes.
// Nothing of it need be in the State; what is there already, by name, is taken as it is.
type Subject struct {
	Pod            *corev1.Pod
	VolumeClaims   []*corev1.PersistentVolumeClaim
	ResourceClaims []*resourcev1.ResourceClaim
	StorageClasses []*storagev1.StorageClass
	CSINodes       []*storagev1.CSINode
}

// With runs do while the subject is where plugins look for it, and takes it away again.
func (s *Scheduler) With(subject Subject, do func() error) error {
	restore, err := s.introduce(subject)
	if err != nil {
		return err
	}
	defer restore()
	return do()
}

// introduce puts the subject into the informers, where plugins look for it, and returns what undoes it.
func (s *Scheduler) introduce(subject Subject) (restore func(), err error) {
	var undo []func()
	restore = func() {
		for i := len(undo) - 1; i >= 0; i-- {
			undo[i]()
		}
	}
	for _, claim := range subject.VolumeClaims {
		undo = append(undo, s.volumeClaims.introduce(claim))
	}
	for _, class := range subject.StorageClasses {
		undo = append(undo, s.storageClasses.introduce(class))
	}
	for _, node := range subject.CSINodes {
		undo = append(undo, s.csiNodes.introduce(node))
	}
	for _, claim := range subject.ResourceClaims {
		undo = append(undo, s.resourceClaims.introduce(claim))
	}
	replaced, err := s.replacePod(subject.Pod)
	if err != nil {
		restore()
		return nil, err
	}
	undo = append(undo, replaced)
	return restore, nil
}

// replacePod puts the Pod into the Pod lister. It tells no event handler: the queue has no part in judging.
func (s *Scheduler) replacePod(pod *corev1.Pod) (restore func(), err error) {
	known, exists, err := s.pods.Get(pod)
	if err != nil {
		return nil, fmt.Errorf("pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	if err := s.pods.Update(pod); err != nil {
		return nil, fmt.Errorf("pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	// The indexer's key function has just worked on this Pod, so that undoing cannot fail.
	if exists {
		return func() { _ = s.pods.Update(known) }, nil
	}
	s.sched.Cache.AddPodGroupMember(pod) // does nothing for a Pod without a group
	return func() {
		s.sched.Cache.RemovePodGroupMember(pod)
		_ = s.pods.Delete(pod)
	}, nil
}

// introduce adds an object that the informer does not hold, tells the event handlers, and returns what undoes it.
func (i *staticInformer) introduce(object runtime.Object) (restore func()) {
	if _, exists, err := i.GetIndexer().Get(object); exists || err != nil {
		return func() {}
	}
	// Errors come from the key function only, which has just worked.
	_ = i.GetIndexer().Add(object)
	i.events = append(i.events, object) // for handlers that come meanwhile
	for _, handler := range i.handlers {
		handler.OnAdd(object, false)
	}
	return func() {
		_ = i.GetIndexer().Delete(object)
		i.events = slices.DeleteFunc(i.events, func(event any) bool { return event == object })
		for _, handler := range i.handlers {
			handler.OnDelete(object)
		}
	}
}
