package run_test

import (
	"encoding/json"
	"strconv"
	"sync"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// store is what the API server keeps: objects by their paths, and all that ever happened to them.
type store struct {
	mu      sync.Mutex
	objects map[string]cluster.Object
	// changes are the events of watches. An object's resourceVersion is the number of its last change, from 1.
	changes []change
	changed chan struct{} // closed by the next change
}

type change struct {
	kind  *cluster.Kind
	event []byte
}

func newStore() *store {
	return &store{objects: map[string]cluster.Object{}, changed: make(chan struct{})}
}

// put stores an object in place of the one of its name. It is the store's from then on.
func (s *store) put(object cluster.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replace(object)
}

func (s *store) replace(object cluster.Object) {
	kind := cluster.KindOf(object)
	path := objectPath(kind, object.GetNamespace(), object.GetName())
	verb := "MODIFIED"
	if s.objects[path] == nil {
		verb = "ADDED"
	}
	s.objects[path] = object
	s.tell(verb, object)
}

func (s *store) remove(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	gone := s.objects[path].DeepCopyObject().(cluster.Object)
	delete(s.objects, path)
	s.tell("DELETED", gone)
}

// tell makes a change known.
func (s *store) tell(verb string, object cluster.Object) {
	kind := cluster.KindOf(object)
	object.GetObjectKind().SetGroupVersionKind(kind.GroupVersionKind)
	object.SetResourceVersion(strconv.Itoa(len(s.changes) + 1))
	s.changes = append(s.changes, change{kind, eventOf(verb, object)})
	close(s.changed)
	s.changed = make(chan struct{})
}

func eventOf(verb string, object cluster.Object) []byte {
	event, err := json.Marshal(map[string]any{"type": verb, "object": object})
	if err != nil {
		panic(err)
	}
	return event
}

// edit changes a stored object, and tells whether there is one.
func edit[T cluster.Object](s *store, path string, change func(T)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	object := s.objects[path]
	if object == nil {
		return false
	}
	edited := object.DeepCopyObject().(T)
	change(edited)
	s.replace(edited)
	return true
}

// get returns a stored object, which must not be changed; nil when there is none.
func (s *store) get(path string) cluster.Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.objects[path]
}

// all returns the objects of a kind and the version of the list.
func (s *store) all(kind *cluster.Kind) (objects []cluster.Object, version int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, object := range s.objects {
		if cluster.KindOf(object) == kind {
			objects = append(objects, object)
		}
	}
	return objects, len(s.changes)
}

// since returns what happened to a kind after a version, the version after it, and what tells that there is more.
func (s *store) since(kind *cluster.Kind, version int) (events [][]byte, now int, more <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.changes[version:] {
		if one.kind == kind {
			events = append(events, one.event)
		}
	}
	return events, len(s.changes), s.changed
}

// listPath is where all objects of a kind are.
func listPath(kind *cluster.Kind) string { return rootOf(kind) + "/" + kind.Resource }

// objectPath is where one object is.
func objectPath(kind *cluster.Kind, namespace, name string) string {
	if !kind.Namespaced {
		return listPath(kind) + "/" + name
	}
	return rootOf(kind) + "/namespaces/" + namespace + "/" + kind.Resource + "/" + name
}

func rootOf(kind *cluster.Kind) string {
	if kind.Group == "" {
		return "/api/" + kind.Version
	}
	return "/apis/" + kind.Group + "/" + kind.Version
}
