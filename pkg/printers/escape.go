package printers

import (
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// escaped returns a copy of the report that is safe to show on a terminal: every string of it is escaped, so that no
// line of a table has to remember to do so.
func escaped[T any](in *T) *T {
	out := new(T)
	copyEscaped(reflect.ValueOf(out).Elem(), reflect.ValueOf(in).Elem())
	return out
}

// copyEscaped sets to to a deep copy of from. Reports hold strings, numbers, and lists, structs and pointers of them.
func copyEscaped(to, from reflect.Value) {
	switch from.Kind() {
	case reflect.String:
		to.SetString(escape(from.String()))
	case reflect.Struct:
		for i := range from.NumField() {
			copyEscaped(to.Field(i), from.Field(i))
		}
	case reflect.Slice:
		to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			copyEscaped(to.Index(i), from.Index(i))
		}
	case reflect.Pointer:
		if !from.IsNil() {
			to.Set(reflect.New(from.Type().Elem()))
			copyEscaped(to.Elem(), from.Elem())
		}
	case reflect.Interface:
		if !from.IsNil() {
			value := reflect.New(from.Elem().Type()).Elem()
			copyEscaped(value, from.Elem())
			to.Set(value)
		}
	case reflect.Map:
		if !from.IsNil() {
			to.Set(reflect.MakeMap(from.Type()))
			for entries := from.MapRange(); entries.Next(); {
				key, value := reflect.New(from.Type().Key()).Elem(), reflect.New(from.Type().Elem()).Elem()
				copyEscaped(key, entries.Key())
				copyEscaped(value, entries.Value())
				to.SetMapIndex(key, value)
			}
		}
	default:
		to.Set(from)
	}
}

// escape writes whatever a terminal would act on rather than show (control and format characters, bidirectional
// overrides, bytes that are not UTF-8) the way a Go string literal does: \x1b, \n, \u202e.
func escape(s string) string {
	if isPrintable(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b.WriteString(`\x` + strconv.FormatUint(uint64(s[i]), 16))
		case strconv.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
		i += size
	}
	return b.String()
}

func isPrintable(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) < 0
}
