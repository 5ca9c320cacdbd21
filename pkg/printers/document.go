package printers

import (
	"bytes"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
)

// document is an object whose JSON writes as \u escapes the characters that JSON allows as they are and YAML does not;
// cli-runtime makes YAML of the JSON, and would fail at them.
type document struct {
	runtime.Object
}

// MarshalJSON implements json.Marshaler.
func (d document) MarshalJSON() ([]byte, error) {
	data, err := json.Marshal(d.Object)
	if err != nil || bytes.IndexFunc(data, isForbiddenInYAML) < 0 {
		return data, err
	}
	var out bytes.Buffer
	for _, r := range string(data) {
		if isForbiddenInYAML(r) {
			fmt.Fprintf(&out, `\u%04x`, r)
		} else {
			out.WriteRune(r)
		}
	}
	return out.Bytes(), nil
}

// isForbiddenInYAML tells whether YAML forbids the character in its stream. Below U+007F, JSON does too.
func isForbiddenInYAML(r rune) bool {
	switch {
	case r == '\u0085':
		return false
	case r >= '\u007f' && r <= '\u009f':
		return true
	default:
		return r == '\ufeff' || r == '\ufffe' || r == '\uffff'
	}
}
