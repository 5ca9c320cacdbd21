package cluster

import (
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kjson "sigs.k8s.io/json"
)

// decodeError words a decoder's error about the object of the name, with the field and its value.
func (p piece) decodeError(name string, object Object, err error) error {
	if ok, _ := kjson.SyntaxErrorOffset(err); ok {
		return p.syntaxError()
	}
	if wrong := findWrong(reflect.TypeOf(object), p.text, ""); wrong != nil {
		return p.errorf(name, wrong.path, "%s", wrong)
	}
	return p.errorf(name, "", "%w", err)
}

// givenName is how the object is called in a text that does not decode as a whole.
func (r reader) givenName(p piece, kind *Kind) string {
	var object metav1.PartialObjectMetadata
	if kind.Namespaced {
		object.Namespace = r.namespace
	}
	top, _ := members(p.text)
	for _, m := range top {
		if m.key != "metadata" || p.text[m.value.start] != '{' {
			continue
		}
		metadata := m.value.of(p.text)
		inner, _ := members(metadata)
		for _, m := range inner {
			switch m.key {
			case "name":
				object.Name = unquote(m.value.of(metadata))
			case "namespace":
				object.Namespace = unquote(m.value.of(metadata))
			}
		}
	}
	if object.Name == "" {
		return kind.Kind
	}
	return objectName(kind, &object)
}

// savedError tells of an API server's answer that was saved in place of objects.
func (p piece) savedError() error {
	var status metav1.Status
	if err := kjson.UnmarshalCaseSensitivePreserveInts(p.text, &status); err != nil {
		return p.errorf("Status", "", "%w", err)
	}
	said := fmt.Sprintf("%s %d", status.Reason, status.Code)
	if status.Message != "" {
		said += ": " + brief([]byte(status.Message))
	}
	return p.errorf("", "",
		"an error answer of the API server was saved here, not objects (%s): save it again as a user who may read them", said)
}
