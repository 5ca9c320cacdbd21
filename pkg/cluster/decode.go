package cluster

import (
	"context"
	"errors"
	"slices"
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

// reader decodes the objects of files.
type reader struct {
	// wants tells which kinds are decoded; the others are skipped.
	wants func(*Kind) bool
	// namespace is what an object in a namespace gets that names none.
	namespace string
	// generate tells that an object with a generateName needs no name, as when it is created.
	generate bool
}

// read returns everything that the file holds, in its order.
func (r reader) read(ctx context.Context, file File) ([]found, error) {
	text, err := file.text()
	if err != nil {
		return nil, err
	}
	all, err := r.decodeText(ctx, file.Name, text, splitYAML)
	if _, ok := errors.AsType[entryError](err); ok && len(text) <= maxLookup {
		// The list is laid out as kubectl does, but its items hang together, as by anchors.
		return r.decodeText(ctx, file.Name, text, func(piece) []piece { return nil })
	}
	return all, err
}

// decodeText decodes all of a text; split may cut a YAML document into pieces.
func (r reader) decodeText(ctx context.Context, name string, text []byte, split func(piece) []piece) ([]found, error) {
	pieces, err := cut(name, text, split)
	if err != nil {
		return nil, err
	}
	results := make([][]found, len(pieces))
	err = inParallel(ctx, len(pieces), func(i int) (err error) {
		results[i], err = r.decodePiece(pieces[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	return slices.Concat(results...), nil
}

// cut cuts a text into pieces: its documents, and the items of lists where they are found without decoding.
func cut(name string, text []byte, split func(piece) []piece) ([]piece, error) {
	all, err := documents(name, text)
	if err != nil {
		return nil, err
	}
	var pieces []piece
	for _, document := range all {
		parts := []piece{document}
		if document.form == asJSON {
			if parts, err = expand(document); err != nil {
				return nil, err
			}
		} else if entries := split(document); entries != nil {
			parts = entries
		}
		pieces = append(pieces, parts...)
	}
	return pieces, nil
}

// decodePiece decodes one piece, and the items of a list in it.
func (r reader) decodePiece(p piece) ([]found, error) {
	pieces := []piece{p}
	if p.form != asJSON {
		inJSON, err := p.toJSON()
		if err != nil || len(inJSON.text) == 0 {
			return nil, err
		}
		if pieces, err = expand(inJSON); err != nil {
			return nil, err
		}
	}
	var all []found
	for _, p := range pieces {
		if p.text == nil {
			all = append(all, found{place: p.place, empty: kindFor(p.list.itemKind())})
			continue
		}
		f, err := r.decode(p)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
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
	return f, r.admit(&f)
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
		return schema.GroupVersionKind{}, p.errorf("", "", "apiVersion and kind are missing: is this a Kubernetes object?")
	case h.kind == "":
		return schema.GroupVersionKind{}, p.errorf("", "", "kind is missing")
	case h.apiVersion == "":
		return schema.GroupVersionKind{}, p.errorf(h.kind, "", "apiVersion is missing")
	case err != nil:
		return schema.GroupVersionKind{}, p.errorf(h.kind, "apiVersion", "apiVersion: %q is not a group and a version", h.apiVersion)
	}
	return gv.WithKind(h.kind), nil
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
		if field := fieldErr.FieldPath(); strings.HasPrefix(err.Error(), "duplicate ") {
			return nil, nil, p.errorf(objectName(kind, object), field, "%s is given twice: remove one", field)
		} else {
			unknown = append(unknown, field)
		}
	}
	if v.convert != nil {
		if object, err = v.convert(object); err != nil {
			return nil, nil, p.errorf(kind.Kind, "", "converting it to %s: %w", kind.GroupVersion(), err)
		}
	}
	return object, unknown, nil
}
