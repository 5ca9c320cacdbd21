package cluster

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Save writes the State's objects as one JSON List, an object a line, which ReadFiles reads again, as kubectl does. A
// kind that was read and has no objects is written as an empty list of its own, so that it is no gap when read again.
func Save(w io.Writer, s *State) error {
	list := listWriter{out: bufio.NewWriterSize(w, 1<<16)}
	for _, kind := range Kinds {
		if err := list.addKind(s, kind); err != nil {
			return fmt.Errorf("saving %s: %w", kind.Resource, err)
		}
	}
	if err := list.close(); err != nil {
		return fmt.Errorf("saving the cluster: %w", err)
	}
	return nil
}

// listWriter writes a List item by item.
type listWriter struct {
	out   *bufio.Writer
	items int
}

func (l *listWriter) addKind(s *State, kind *Kind) error {
	if kind.list(s).len() == 0 && s.wasRead(kind) {
		return l.add(emptyList(kind))
	}
	for object := range kind.Objects(s) {
		// The State's objects name no kind, and they are never changed.
		object := object.DeepCopyObject().(Object)
		object.GetObjectKind().SetGroupVersionKind(kind.GroupVersionKind)
		if err := l.add(object); err != nil {
			return fmt.Errorf("%s: %w", objectName(kind, object), err)
		}
	}
	return nil
}

// wasRead tells whether a missing kind is known to be empty.
func (s *State) wasRead(kind *Kind) bool {
	for _, gap := range s.Gaps {
		if gap.Kind == kind {
			return false
		}
	}
	return isGap(kind)
}

// emptyList is the kind's own list without items.
func emptyList(kind *Kind) any {
	return struct {
		metav1.TypeMeta `json:",inline"`
		Items           []any `json:"items"`
	}{metav1.TypeMeta{APIVersion: kind.GroupVersion().String(), Kind: kind.Kind + "List"}, []any{}}
}

func (l *listWriter) add(item any) error {
	text, err := json.Marshal(item)
	if err != nil {
		return err
	}
	separator := ",\n"
	if l.items == 0 {
		separator = listStart
	}
	l.items++
	_, err = l.out.WriteString(separator + string(text))
	return err
}

const (
	listStart = `{"apiVersion":"v1","kind":"List","metadata":{},"items":[` + "\n"
	listEnd   = "\n]}\n"
)

func (l *listWriter) close() error {
	end := listEnd
	if l.items == 0 {
		end = listStart + listEnd
	}
	if _, err := l.out.WriteString(end); err != nil {
		return err
	}
	return l.out.Flush()
}
