package gotemplate

import (
	"encoding/base64"
	"errors"
	"fmt"
	"text/template/parse"
)

// function is a function that templates may call. Null and missing arguments are nil.
type function struct {
	least, most int // how many arguments it takes
	call        func(args []any) (any, error)
}

// many is the most arguments of a function that has no limit.
const many = int(^uint(0) >> 1)

// functions are text/template's and kubectl's, by name. Those that have nothing to call, and and or, do not evaluate
// every argument: see firstDecisive.
var functions = map[string]function{
	"and":          {1, many, nil},
	"base64decode": {1, 1, decodeBase64},
	"call":         {1, many, callValue},
	"eq":           {1, many, equalToAny},
	"exists":       {1, many, exists},
	"ge":           {2, 2, greaterOrEqual},
	"gt":           {2, 2, greater},
	"html":         {0, many, escaper(escapeHTML)},
	"index":        {1, many, index},
	"js":           {0, many, escaper(escapeJS)},
	"le":           {2, 2, lessOrEqual},
	"len":          {1, 1, length},
	"lt":           {2, 2, less},
	"ne":           {2, 2, notEqual},
	"not":          {1, 1, func(args []any) (any, error) { return !isTrue(args[0]), nil }},
	"or":           {1, many, nil},
	"print":        {0, many, func(args []any) (any, error) { return fmt.Sprint(args...), nil }},
	"printf":       {1, many, format},
	"println":      {0, many, func(args []any) (any, error) { return fmt.Sprintln(args...), nil }},
	"slice":        {1, many, slice},
	"urlquery":     {0, many, escaper(escapeQuery)},
}

// functionNames returns the functions in the form that the parser asks for; it looks at the names only.
func functionNames() map[string]any {
	names := make(map[string]any, len(functions))
	for name := range functions {
		names[name] = true
	}
	return names
}

// call calls the function of that name, which the parser has found to be one.
func (f *frame) call(dot any, node *parse.IdentifierNode, in input) (any, error) {
	called := functions[node.Ident]
	count := len(in.words)
	if in.piped != nil {
		count++
	}
	if count < called.least || count > called.most {
		return nil, f.errorf(node, "wrong number of arguments for %s: %d", node.Ident, count)
	}
	if called.call == nil {
		return f.firstDecisive(dot, node, in)
	}
	args := make([]any, 0, count)
	for _, word := range in.words {
		arg, err := f.argument(dot, word)
		if err != nil {
			return nil, err
		}
		args = append(args, arg)
	}
	if in.piped != nil {
		args = append(args, nullable(in.piped))
	}
	result, err := called.call(args)
	if err != nil {
		return nil, f.errorf(node, "calling %s: %w", node.Ident, err)
	}
	return result, nil
}

// firstDecisive returns the first argument that decides and (a false one) or or (a true one), else the last.
func (f *frame) firstDecisive(dot any, node *parse.IdentifierNode, in input) (any, error) {
	var arg any
	for _, word := range in.words {
		var err error
		if arg, err = f.argument(dot, word); err != nil {
			return nil, err
		}
		if isTrue(arg) == (node.Ident == "or") {
			return arg, nil
		}
	}
	if in.piped != nil {
		return in.piped, nil
	}
	return arg, nil
}

func (f *frame) argument(dot any, word parse.Node) (any, error) {
	if word.Type() == parse.NodeNil {
		return nil, nil
	}
	value, err := f.evaluate(dot, word, input{})
	return nullable(value), err
}

func format(args []any) (any, error) {
	layout, ok := args[0].(string)
	if !ok {
		return nil, fmt.Errorf("the format is %s and not a string", kindOf(args[0]))
	}
	return fmt.Sprintf(layout, args[1:]...), nil
}

func decodeBase64(args []any) (any, error) {
	encoded, ok := args[0].(string)
	if !ok {
		return nil, fmt.Errorf("%s is no base64", kindOf(args[0]))
	}
	data, err := base64.StdEncoding.DecodeString(encoded)
	return string(data), err
}

// callValue is there for templates that are written for programs which have functions among their data.
func callValue([]any) (any, error) {
	return nil, errors.New("JSON data has no functions to call")
}
