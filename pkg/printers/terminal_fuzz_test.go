package printers_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/kubectl-sched/kubectl-sched/pkg/printers"
)

// FuzzTerminal puts a text at the end of every string of a report: nothing that a terminal would act on comes out. Which
// report it is, and how it is printed, is the choice.
func FuzzTerminal(f *testing.F) {
	variants := []printers.Options{{}, {Width: 80, Nodes: "all"}, {Output: "wide", Scores: true}}
	for kind := range len(reports) + 2 {
		f.Add(strings.Join(pieces, ""), kind*len(variants)+kind%len(variants))
	}
	f.Add("\ufffd\xff", 0)
	f.Fuzz(func(t *testing.T, text string, choice int) {
		options, kind := variants[uint(choice)%uint(len(variants))], uint(choice)/uint(len(variants))%uint(len(reports)+2)
		switch kind {
		case 0:
			bindings := loadBindings(t)
			spoil(reflect.ValueOf(bindings), text)
			checkPrintable(t, "bindings", showBindings(t, options, bindings...))
		case 1:
			decisions := loadDecisions(t)
			spoil(reflect.ValueOf(decisions), text)
			checkPrintable(t, "decisions", stream(t, options, decisions...))
		default:
			explanations := load(t, reports[kind-2])
			spoil(reflect.ValueOf(explanations), text)
			checkPrintable(t, reports[kind-2], show(t, options, explanations...))
		}
	})
}

// spoil adds a text to every string in a report.
func spoil(value reflect.Value, text string) {
	switch value.Kind() {
	case reflect.String:
		value.SetString(value.String() + text)
	case reflect.Struct:
		for i := range value.NumField() {
			if field := value.Field(i); field.CanSet() {
				spoil(field, text)
			}
		}
	case reflect.Slice:
		for i := range value.Len() {
			spoil(value.Index(i), text)
		}
	case reflect.Pointer:
		if !value.IsNil() {
			spoil(value.Elem(), text)
		}
	case reflect.Interface:
		if !value.IsNil() {
			changed := reflect.New(value.Elem().Type()).Elem()
			changed.Set(value.Elem())
			spoil(changed, text)
			value.Set(changed)
		}
	case reflect.Map:
		for _, key := range value.MapKeys() {
			spoiled, changed := reflect.New(key.Type()).Elem(), reflect.New(value.Type().Elem()).Elem()
			spoiled.Set(key)
			changed.Set(value.MapIndex(key))
			spoil(spoiled, text)
			spoil(changed, text)
			value.SetMapIndex(key, reflect.Value{})
			value.SetMapIndex(spoiled, changed)
		}
	}
}
