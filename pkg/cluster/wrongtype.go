package cluster

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	kjson "sigs.k8s.io/json"
)

// wrongField is a field whose value does not fit its type.
type wrongField struct {
	path  string
	value []byte
	want  reflect.Type
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// findWrong returns the first field of the JSON text that cannot be decoded into type t, or nil. Decoders leave out
// where a quantity or a time is, or what was given there.
func findWrong(t reflect.Type, text []byte, path string) *wrongField {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if string(text) == "null" {
		return nil
	}
	here := &wrongField{path, text, t}
	switch {
	case reflect.PointerTo(t).Implements(unmarshaler), text[0] == '"' && t.Kind() == reflect.Slice:
	case t.Kind() == reflect.Struct, t.Kind() == reflect.Map:
		if text[0] != '{' {
			return here
		}
		return findWrongMember(t, text, path)
	case t.Kind() == reflect.Slice:
		if text[0] != '[' {
			return here
		}
		items, _ := elements(text)
		for i, item := range items {
			if wrong := findWrong(t.Elem(), item.of(text), fmt.Sprintf("%s[%d]", path, i)); wrong != nil {
				return wrong
			}
		}
		return nil
	}
	if kjson.UnmarshalCaseSensitivePreserveInts(text, reflect.New(t).Interface()) != nil {
		return here
	}
	return nil
}

func findWrongMember(t reflect.Type, text []byte, path string) *wrongField {
	found, _ := members(text)
	for _, m := range found {
		memberType, ok := memberType(t, m.key)
		if !ok {
			continue
		}
		if wrong := findWrong(memberType, m.value.of(text), strings.TrimPrefix(path+"."+m.key, ".")); wrong != nil {
			return wrong
		}
	}
	return nil
}

// memberType returns the type of the key's value in a struct or map.
func memberType(t reflect.Type, key string) (reflect.Type, bool) {
	if t.Kind() == reflect.Map {
		return t.Elem(), true
	}
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == key && name != "" {
			return field.Type, true
		}
		if name == "" && field.Anonymous && field.Type.Kind() == reflect.Struct {
			if inner, ok := memberType(field.Type, key); ok {
				return inner, true
			}
		}
	}
	return nil, false
}

// wanted is what belongs in a field of the types that are not plain JSON.
var wanted = map[reflect.Type]string{
	reflect.TypeFor[resource.Quantity]():  "a quantity (as 500m, 2 or 4Gi)",
	reflect.TypeFor[metav1.Time]():        "a time (as 2026-01-31T12:00:00Z)",
	reflect.TypeFor[metav1.MicroTime]():   "a time (as 2026-01-31T12:00:00.000000Z)",
	reflect.TypeFor[metav1.Duration]():    "a duration (as 30s)",
	reflect.TypeFor[intstr.IntOrString](): "a whole number or a string",
}

// String says what is wrong: `spec.replicas: "x" is a string where a whole number belongs`.
func (w *wrongField) String() string {
	if text, ok := wanted[w.want]; ok {
		return fmt.Sprintf("%s: %s is not %s", w.path, brief(w.value), text)
	}
	want, hint := "an object", ""
	switch w.want.Kind() {
	case reflect.String:
		want = "a string"
		if w.value[0] != '{' && w.value[0] != '[' {
			hint = ": put it in quotes"
		}
	case reflect.Slice, reflect.Array:
		want = "a list"
	case reflect.Bool:
		want = "true or false"
	case reflect.Float32, reflect.Float64:
		want = "a number"
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint32, reflect.Uint64:
		want = fmt.Sprintf("a whole number of %d bits", w.want.Bits())
	}
	return fmt.Sprintf("%s: %s is %s where %s belongs%s", w.path, brief(w.value), jsonType(w.value), want, hint)
}

// brief cuts a JSON value off when it is long.
func brief(value []byte) string {
	const most = 60
	runes := []rune(strings.Join(strings.Fields(string(value)), " "))
	if len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return string(runes)
}
