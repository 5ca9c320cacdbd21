package cluster

import (
	"errors"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"
)

// found is what one piece of a file turned out to be. Exactly one of object, skipped, unreadable and empty is set.
type found struct {
	place
	kind   *Kind
	object Object
	// converted is the older version that the object was written in.
	converted string
	// unknown are the paths of fields that the kind does not have.
	unknown []string

	skipped    string // a kind that nobody asks for
	unreadable string // a kind of the table, in a version that is not converted
	empty      *Kind  // a list of the kind, without items
}

// name is how messages call the object: "Pod default/web".
func (f *found) name() string { return objectName(f.kind, f.object) }

func objectName(kind *Kind, object Object) string {
	if object.GetNamespace() == "" {
		return kind.Kind + " " + object.GetName()
	}
	return kind.Kind + " " + object.GetNamespace() + "/" + object.GetName()
}

// skippedName is how a skipped kind is counted; the group is named where the kind could be taken for another.
func skippedName(gvk schema.GroupVersionKind) string {
	for _, kind := range Kinds {
		if kind.Kind == gvk.Kind && kind.GroupKind() != groupKind(gvk) {
			return gvk.GroupKind().String()
		}
	}
	return gvk.Kind
}

// decode decodes one object.
func (r reader) decode(p piece) (found, error) {
	gvk, err := p.objectKind(p.head)
	if err != nil {
		return found{}, err
	}
	if gvk.Kind == "Status" && gvk.GroupVersion() == (schema.GroupVersion{Version: "v1"}) {
		return found{}, p.savedError()
	}
	kind := kindFor(gvk)
	if kind == nil || !r.wants(kind) {
		return found{place: p.place, skipped: skippedName(gvk)}, nil
	}
	version := versionOf(kind, gvk)
	if version == nil {
		return found{place: p.place, unreadable: gvk.GroupVersion().String() + " " + gvk.Kind}, nil
	}
	f := found{place: p.place, kind: kind}
	if gvk != kind.GroupVersionKind {
		f.converted = gvk.GroupVersion().String() + " " + gvk.Kind
	}
	if f.object, f.unknown, err = r.decodeAs(p, kind, version); err != nil {
		return found{}, err
	}
	if err := r.admit(&f); err != nil {
		return found{}, err
	}
	return f, nil
}

// objectKind is the object's own kind and version, or what the list around it says.
func (p piece) objectKind(h header) (schema.GroupVersionKind, error) {
	if p.list.kind != "List" && p.list.kind != "" {
		item := p.list.itemKind()
		if h.kind == "" {
			h.kind = item.Kind
		}
		if h.apiVersion == "" {
			h.apiVersion = item.GroupVersion().String()
		}
	}
	gv, err := schema.ParseGroupVersion(h.apiVersion)
	switch {
	case h.kind == "" && h.apiVersion == "":
		err = p.errorf("", "", "apiVersion and kind are missing: is this a Kubernetes object?")
	case h.kind == "":
		err = p.errorf("", "", "kind is missing")
	case h.apiVersion == "":
		err = p.errorf(h.kind, "", "apiVersion is missing")
	case err != nil:
		err = p.errorf(h.kind, "apiVersion", "apiVersion: %q is not a group and a version", h.apiVersion)
	}
	return gv.WithKind(h.kind), err
}

// decodeAs decodes the piece as the kind in the version.
func (r reader) decodeAs(p piece, kind *Kind, v *version) (Object, []string, error) {
	object := v.newObject()
	strict, err := kjson.UnmarshalStrict(p.text, object)
	if err != nil {
		return nil, nil, p.decodeError(r.givenName(p, kind), object, err)
	}
	var unknown []string
	for _, err := range strict {
		fieldErr, ok := errors.AsType[kjson.FieldError](err)
		if !ok {
			return nil, nil, p.errorf(objectName(kind, object), "", "%w", err)
		}
		field := fieldErr.FieldPath()
		if strings.HasPrefix(err.Error(), "duplicate ") {
			return nil, nil, p.errorf(r.givenName(p, kind), field, "%s is given twice: remove one", field)
		}
		unknown = append(unknown, field)
	}
	if v.convert != nil {
		if object, err = v.convert(object); err != nil {
			return nil, nil, p.errorf(kind.Kind, "", "converting it to %s: %w", kind.GroupVersion(), err)
		}
	}
	return object, unknown, nil
}
