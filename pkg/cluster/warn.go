package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// tally counts things by name.
type tally map[string]int

// String lists the counts by name: "ConfigMap 2, Foo 1".
func (t tally) String() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(t)) {
		parts = append(parts, fmt.Sprintf("%s %d", oneLine(name), t[name]))
	}
	return strings.Join(parts, ", ")
}

// objects is the sum as words: "1 object", "3 objects".
func (t tally) objects() string {
	sum := 0
	for _, count := range t {
		sum += count
	}
	if sum == 1 {
		return "1 object"
	}
	return fmt.Sprintf("%d objects", sum)
}

// aside counts what files hold besides objects that are taken as they are.
type aside struct {
	skipped, unreadable, converted tally
	// empty names the files that hold nothing.
	empty []string
}

func newAside() aside { return aside{skipped: tally{}, unreadable: tally{}, converted: tally{}} }

func (a *aside) add(f *found) {
	switch {
	case f.skipped != "":
		a.skipped[f.skipped]++
	case f.unreadable != "":
		a.unreadable[f.unreadable]++
	case f.converted != "":
		a.converted[f.converted]++
	}
}

// warnings says what was put aside; why ends "skipped 3 objects …".
func (a *aside) warnings(why string) []string {
	var warnings []string
	if len(a.skipped) > 0 {
		warnings = append(warnings, fmt.Sprintf("skipped %s %s: %s", a.skipped.objects(), why, a.skipped))
	}
	if len(a.unreadable) > 0 {
		warnings = append(warnings, fmt.Sprintf("left out %s of API versions that cannot be read: %s",
			a.unreadable.objects(), a.unreadable))
	}
	if len(a.converted) > 0 {
		warnings = append(warnings, fmt.Sprintf("read %s of older API versions as today's: %s",
			a.converted.objects(), a.converted))
	}
	for _, name := range a.empty {
		warnings = append(warnings, name+": holds no objects")
	}
	return warnings
}

// nothing is the error for files without the objects that were looked for.
func (a *aside) nothing(files []File, sought, hint string) error {
	if len(files) == 0 {
		return errors.New("no files to read")
	}
	var names []string
	for _, file := range files {
		names = append(names, file.Name)
	}
	if len(names) > 3 {
		names = append(names[:3], fmt.Sprintf("%d more", len(names)-3))
	}
	holds := "nothing at all"
	switch {
	case len(a.skipped) > 0:
		holds = "only " + a.skipped.String()
	case len(a.unreadable) > 0:
		holds = "only API versions that cannot be read: " + a.unreadable.String()
	case len(a.empty) < len(files):
		holds = "only empty lists"
	}
	return fmt.Errorf("%s: no %s, %s: %s", strings.Join(names, ", "), sought, holds, hint)
}

// unknownFields gathers fields that a kind does not have, as a newer server's objects have them: once per kind and
// field, however many objects have it.
type unknownFields map[unknownField]*unknownUse

type unknownField struct{ kind, field string }

type unknownUse struct {
	kind   int // its row in the table of kinds
	first  string
	path   string
	others int
}

var listIndex = regexp.MustCompile(`\[\d+\]`)

func (u unknownFields) add(f *found) {
	counted := map[unknownField]bool{}
	for _, path := range f.unknown {
		if strings.HasPrefix(path, "status.") && f.kind.Kind != "Node" {
			continue // of other kinds no scheduler's answer depends on what a newer status has
		}
		key := unknownField{f.kind.Kind, listIndex.ReplaceAllString(path, "[]")}
		switch use := u[key]; {
		case counted[key]:
		case use == nil:
			u[key] = &unknownUse{kind: slices.Index(Kinds, f.kind), first: f.name(), path: path}
		default:
			use.others++
		}
		counted[key] = true
	}
}

// warnings names the first object with each field.
func (u unknownFields) warnings() []string {
	uses := slices.SortedFunc(maps.Values(u), func(a, b *unknownUse) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.path, b.path), cmp.Compare(a.first, b.first))
	})
	var warnings []string
	for _, use := range uses {
		owner := use.first
		if use.others > 0 {
			owner += fmt.Sprintf(" and %d more", use.others)
		}
		warnings = append(warnings, fmt.Sprintf("%s: unknown field %q is ignored", owner, use.path))
	}
	return warnings
}

// maxNamed is how many objects with the same trouble are named.
const maxNamed = 10

// named cuts a list of warnings off after some, and says how many there are of what.
func named(warnings []string, what string) []string {
	if more := len(warnings) - maxNamed; more > 1 {
		return append(warnings[:maxNamed:maxNamed], fmt.Sprintf("%d more objects are %s", more, what))
	}
	return warnings
}
