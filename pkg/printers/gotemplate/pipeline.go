package gotemplate

import (
	"strings"
	"text/template/parse"
)

// input is what a word of a command is given: the words behind it, and the value piped into the command. No value is
// nil: one that is piped is settled.
type input struct {
	words []parse.Node
	piped any
}

func (in input) isEmpty() bool { return len(in.words) == 0 && in.piped == nil }

// pipeline returns the value of a pipeline, settled, after setting the variables that the pipeline sets.
func (f *frame) pipeline(dot any, pipe *parse.PipeNode) (any, error) {
	if pipe == nil { // {{template "name"}}
		return missing{}, nil
	}
	var value any
	for _, command := range pipe.Cmds {
		result, err := f.evaluate(dot, command.Args[0], input{words: command.Args[1:], piped: value})
		if err != nil {
			return nil, err
		}
		value = settled(result)
	}
	for _, node := range pipe.Decl {
		name := node.Ident[0]
		if !pipe.IsAssign {
			f.variables = append(f.variables, variable{name: name, value: value})
			continue
		}
		set, err := f.lookup(node, name)
		if err != nil {
			return nil, err
		}
		set.value = value
	}
	return value, nil
}

// evaluate returns the value of a word, which may be nil or missing.
func (f *frame) evaluate(dot any, node parse.Node, in input) (any, error) {
	switch node := node.(type) {
	case *parse.IdentifierNode:
		return f.call(dot, node, in)
	case *parse.FieldNode:
		return f.fields(node, dot, node.Ident, in)
	case *parse.ChainNode:
		value, err := f.evaluate(dot, node.Node, input{})
		if err != nil {
			return nil, err
		}
		return f.fields(node, value, node.Field, in)
	case *parse.VariableNode:
		variable, err := f.lookup(node, node.Ident[0])
		if err != nil {
			return nil, err
		}
		if len(node.Ident) > 1 {
			return f.fields(node, variable.value, node.Ident[1:], in)
		}
		return variable.value, f.refuse(node, in)
	}
	if err := f.refuse(node, in); err != nil {
		return nil, err
	}
	return f.operand(dot, node)
}

// refuse fails when something that is no function is given arguments.
func (f *frame) refuse(node parse.Node, in input) error {
	if in.isEmpty() {
		return nil
	}
	return f.errorf(node, "it is no function and takes no arguments")
}

// operand returns the value of a word that takes no arguments.
func (f *frame) operand(dot any, node parse.Node) (any, error) {
	switch node := node.(type) {
	case *parse.PipeNode: // in parentheses
		return f.pipeline(dot, node)
	case *parse.DotNode:
		return dot, nil
	case *parse.BoolNode:
		return node.True, nil
	case *parse.StringNode:
		return node.Text, nil
	case *parse.NumberNode:
		return f.number(node)
	case *parse.NilNode:
		return nil, f.errorf(node, "nil is an argument only")
	}
	return nil, f.errorf(node, "it has no value")
}

// number returns the value of a number, of the type that its form tells.
func (f *frame) number(node *parse.NumberNode) (any, error) {
	switch {
	case node.IsComplex:
		return node.Complex128, nil
	case node.IsFloat && isFloatForm(node.Text):
		return node.Float64, nil
	case node.IsInt && int64(int(node.Int64)) == node.Int64:
		return int(node.Int64), nil
	}
	return nil, f.errorf(node, "it is out of the range of integers")
}

// isFloatForm tells 1.5, 1e3 and 0x1p4 from 15, 0x1e3 and '.'.
func isFloatForm(text string) bool {
	switch {
	case strings.HasPrefix(text, "'"):
		return false
	case len(text) > 2 && strings.EqualFold(text[:2], "0x"):
		return strings.ContainsAny(text, "pP")
	}
	return strings.ContainsAny(text, ".eEpP")
}

// fields follows the names into maps: value.NAME.NAME.
func (f *frame) fields(node parse.Node, value any, names []string, in input) (any, error) {
	for i, name := range names {
		if _, isMap := value.(map[string]any); isMap && i == len(names)-1 {
			if err := f.refuse(node, in); err != nil {
				return nil, err
			}
		}
		var err error
		if value, err = f.field(node, value, name); err != nil {
			return nil, err
		}
	}
	return value, nil
}

func (f *frame) field(node parse.Node, value any, name string) (any, error) {
	switch value := value.(type) {
	case map[string]any:
		if element, ok := value[name]; ok {
			return element, nil
		}
	case missing:
	default:
		return nil, f.errorf(node, "%s has no field %s", kindOf(value), name)
	}
	if f.template.missing == RefuseMissing {
		return nil, f.errorf(node, "there is no key %q", name)
	}
	return missing{}, nil
}
