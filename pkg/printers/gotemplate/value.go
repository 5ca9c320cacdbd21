package gotemplate

import (
	"iter"
	"maps"
	"slices"
)

// missing is the value of a key that a map does not have. Unlike those of null, its fields can be asked for: they are
// missing too.
type missing struct{}

// noValue is what null and missing values print as.
const noValue = "<no value>"

// settled returns the value as it leaves a pipeline, where null is no other than missing.
func settled(value any) any {
	if value == nil {
		return missing{}
	}
	return value
}

// nullable returns the value as functions get it, where missing is no other than null.
func nullable(value any) any {
	if _, ok := value.(missing); ok {
		return nil
	}
	return value
}

func printable(value any) any {
	if nullable(value) == nil {
		return noValue
	}
	return value
}

// isTrue tells whether the value is not the zero of its type, and no empty list, map or string.
func isTrue(value any) bool {
	switch value := value.(type) {
	case bool:
		return value
	case string:
		return value != ""
	case float64:
		return value != 0
	case complex128:
		return value != 0
	case []any:
		return len(value) > 0
	case map[string]any:
		return len(value) > 0
	}
	n, ok := integer(value)
	return ok && n != 0
}

// integer returns the value of the types that are integers: those of literals, of JSON, and of the bytes of strings.
func integer(value any) (int64, bool) {
	switch value := value.(type) {
	case int:
		return int64(value), true
	case int64:
		return value, true
	case uint8:
		return int64(value), true
	}
	return 0, false
}

func isInteger(value any) bool {
	_, ok := integer(value)
	return ok
}

// kind is a type of values, as errors call it.
type kind string

const (
	null          kind = "null"
	boolean       kind = "a boolean"
	integerNumber kind = "an integer"
	floatNumber   kind = "a floating-point number"
	complexNumber kind = "a complex number"
	text          kind = "a string"
	list          kind = "a list"
	object        kind = "a map"
	unknown       kind = "a value that JSON does not have"
)

func kindOf(value any) kind {
	switch value.(type) {
	case nil, missing:
		return null
	case bool:
		return boolean
	case int, int64, uint8:
		return integerNumber
	case float64:
		return floatNumber
	case complex128:
		return complexNumber
	case string:
		return text
	case []any:
		return list
	case map[string]any:
		return object
	}
	return unknown
}

// elements returns what range goes over: elements with their indexes, in the order of keys those of maps, or the
// numbers below an integer.
func elements(value any) (iter.Seq2[any, any], bool) {
	switch value := value.(type) {
	case missing:
		return func(func(any, any) bool) {}, true
	case []any:
		return func(yield func(any, any) bool) {
			for i, element := range value {
				if !yield(i, element) {
					return
				}
			}
		}, true
	case map[string]any:
		return func(yield func(any, any) bool) {
			for _, key := range slices.Sorted(maps.Keys(value)) {
				if !yield(key, value[key]) {
					return
				}
			}
		}, true
	case int:
		return below(value), true
	case int64:
		return below(value), true
	case uint8:
		return below(value), true
	}
	return nil, false
}

func below[N int | int64 | uint8](end N) iter.Seq2[any, any] {
	return func(yield func(any, any) bool) {
		for n := N(0); n < end; n++ {
			if !yield(missing{}, n) {
				return
			}
		}
	}
}
