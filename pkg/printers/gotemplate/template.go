package gotemplate

import (
	"fmt"
	"io"
	"text/template/parse"
)

// mainName is the name of the template itself beside those that it defines; errors show it.
const mainName = "output"

// MissingKeys says what a template does at a key that a map does not have.
type MissingKeys int

const (
	// AllowMissing goes on with a value that prints as "<no value>".
	AllowMissing MissingKeys = iota
	// RefuseMissing fails.
	RefuseMissing
)

// Template is a parsed template. It may be executed any number of times.
type Template struct {
	trees   map[string]*parse.Tree
	missing MissingKeys
}

// Parse reads a template. Its errors tell the line: "template: output:1: unclosed action".
func Parse(text string, missing MissingKeys) (*Template, error) {
	trees, err := parse.Parse(mainName, text, "", "", functionNames())
	if err != nil {
		return nil, err
	}
	return &Template{trees: trees, missing: missing}, nil
}

// Execute writes the template with the JSON data put in. It writes as it goes: when it fails, what came before the
// failure is written. Its errors tell line, column and action: `template: output:1:2: executing "output" at <.x.y>: …`.
func (t *Template) Execute(w io.Writer, data any) error {
	f := frame{template: t, out: w, tree: t.trees[mainName]}
	return f.execute(settled(data))
}

// frame is one template at work.
type frame struct {
	template  *Template
	out       io.Writer
	tree      *parse.Tree
	variables []variable // the innermost last
	depth     int        // how many templates are at work around this one
}

type variable struct {
	name  string
	value any
}

// execute writes the frame's template. It sees no variables but $, the data it is given.
func (f *frame) execute(dot any) error {
	f.variables = []variable{{name: "$", value: dot}}
	return f.walk(dot, f.tree.Root)
}

// lookup returns the innermost variable of that name. The parser has seen its declaration, but and and or may have
// passed by it.
func (f *frame) lookup(node parse.Node, name string) (*variable, error) {
	for i := len(f.variables) - 1; i >= 0; i-- {
		if f.variables[i].name == name {
			return &f.variables[i], nil
		}
	}
	return nil, f.errorf(node, "undefined variable %s", name)
}

// pop forgets the variables beyond the first size.
func (f *frame) pop(size int) {
	f.variables = f.variables[:size]
}

func (f *frame) errorf(node parse.Node, format string, args ...any) error {
	location, action := f.tree.ErrorContext(node)
	return fmt.Errorf("template: %s: executing %q at <%s>: %w",
		location, f.tree.Name, action, fmt.Errorf(format, args...))
}
