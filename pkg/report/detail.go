package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
)

// Detail is one fact behind a rejection: a struct of this package that is named after what it tells. Quantities are in
// canonical Kubernetes form ("1500m", "2Gi").
type Detail interface {
	detail()
}

// Details are facts. In JSON each is an object whose field "type" holds the name of the Go type.
type Details []Detail

// prototypes are one of each Detail.
var prototypes = slices.Concat(nodeDetails, labelDetails, neighborDetails, volumeDetails, groupDetails, pluginDetails)

// TypeOf is the name by which a Detail is told apart in JSON.
func TypeOf(d Detail) string { return reflect.TypeOf(d).Name() }

// DetailTypes returns one empty Detail of each type, in a fixed order.
func DetailTypes() []Detail { return slices.Clone(prototypes) }

// MarshalJSON writes a list of objects.
func (d Details) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('[')
	for i, one := range d {
		if i > 0 {
			out.WriteByte(',')
		}
		fields, err := json.Marshal(one)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, `{"type":%q`, TypeOf(one))
		if len(fields) > len(`{}`) {
			out.WriteByte(',')
		}
		out.Write(fields[1:])
	}
	out.WriteByte(']')
	return out.Bytes(), nil
}

// UnmarshalJSON reads what MarshalJSON writes. A type that is not known is an error.
func (d *Details) UnmarshalJSON(data []byte) error {
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	out := make(Details, 0, len(raw))
	for _, fields := range raw {
		var kind struct{ Type string }
		if err := json.Unmarshal(fields, &kind); err != nil {
			return err
		}
		one, err := decodeDetail(kind.Type, fields)
		if err != nil {
			return err
		}
		out = append(out, one)
	}
	*d = out
	return nil
}

func decodeDetail(name string, fields []byte) (Detail, error) {
	i := slices.IndexFunc(prototypes, func(d Detail) bool { return TypeOf(d) == name })
	if i < 0 {
		return nil, fmt.Errorf("unknown type %q of a detail", name)
	}
	into := reflect.New(reflect.TypeOf(prototypes[i]))
	if err := json.Unmarshal(fields, into.Interface()); err != nil {
		return nil, fmt.Errorf("reading a detail of type %s: %w", name, err)
	}
	return into.Elem().Interface().(Detail), nil
}
