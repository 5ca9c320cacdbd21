package gotemplate

import (
	"errors"
	"fmt"
	"text/template/parse"
)

// maxDepth is how deep templates may call each other. Deeper than any JSON document, and far from the end of the stack.
const maxDepth = 10_000

// What break and continue return, up to the range around them.
var (
	errBreak    = errors.New("break")
	errContinue = errors.New("continue")
)

// walk writes what the node says about dot.
func (f *frame) walk(dot any, node parse.Node) error {
	switch node := node.(type) {
	case *parse.ListNode:
		return f.walkList(dot, node)
	case *parse.TextNode:
		_, err := f.out.Write(node.Text)
		return err
	case *parse.ActionNode:
		return f.walkAction(dot, node)
	case *parse.IfNode:
		return f.walkBranch(dot, &node.BranchNode)
	case *parse.WithNode:
		return f.walkBranch(dot, &node.BranchNode)
	case *parse.RangeNode:
		// A break behind the range's else ends this range too, as in text/template.
		return without(errBreak, f.walkRange(dot, node))
	case *parse.BreakNode:
		return errBreak
	case *parse.ContinueNode:
		return errContinue
	case *parse.TemplateNode:
		return f.walkTemplate(dot, node)
	}
	return f.errorf(node, "unknown action")
}

func (f *frame) walkList(dot any, list *parse.ListNode) error {
	for _, node := range list.Nodes {
		if err := f.walk(dot, node); err != nil {
			return err
		}
	}
	return nil
}

// walkAction prints the value of a pipeline. One that sets a variable prints nothing, and the variable stays until the
// end of what is around it.
func (f *frame) walkAction(dot any, node *parse.ActionNode) error {
	value, err := f.pipeline(dot, node.Pipe)
	if err != nil || len(node.Pipe.Decl) > 0 {
		return err
	}
	_, err = fmt.Fprint(f.out, printable(value))
	return err
}

// walkBranch walks an if or a with, which makes the value its dot.
func (f *frame) walkBranch(dot any, node *parse.BranchNode) error {
	defer f.pop(len(f.variables))
	value, err := f.pipeline(dot, node.Pipe)
	switch {
	case err != nil:
		return err
	case isTrue(value) && node.NodeType == parse.NodeWith:
		return f.walk(value, node.List)
	case isTrue(value):
		return f.walk(dot, node.List)
	case node.ElseList != nil:
		return f.walk(dot, node.ElseList)
	}
	return nil
}

func (f *frame) walkRange(dot any, node *parse.RangeNode) error {
	defer f.pop(len(f.variables))
	value, err := f.pipeline(dot, node.Pipe)
	if err != nil {
		return err
	}
	if isInteger(value) && len(node.Pipe.Decl) > 1 {
		return f.errorf(node.Pipe, "range over %s sets one variable, not two", kindOf(value))
	}
	all, ok := elements(value)
	if !ok {
		return f.errorf(node.Pipe, "cannot range over %s", kindOf(value))
	}
	isEmpty := true
	for key, element := range all {
		isEmpty = false
		if err := f.iterate(node, key, element); err != nil {
			return err
		}
	}
	if isEmpty && node.ElseList != nil {
		return f.walk(dot, node.ElseList)
	}
	return nil
}

// iterate walks the body of a range for one element.
func (f *frame) iterate(node *parse.RangeNode, key, element any) error {
	size := len(f.variables)
	defer f.pop(size)
	names := node.Pipe.Decl
	values := []any{key, element}[2-len(names):] // a single variable is the element
	for i, name := range names {
		set := &f.variables[size-len(names)+i] // the pipeline has declared them
		if node.Pipe.IsAssign {
			var err error
			if set, err = f.lookup(name, name.Ident[0]); err != nil {
				return err
			}
		}
		set.value = values[i]
	}
	return without(errContinue, f.walk(element, node.List))
}

func (f *frame) walkTemplate(dot any, node *parse.TemplateNode) error {
	tree, ok := f.template.trees[node.Name]
	if !ok {
		return f.errorf(node, "template %q is not defined", node.Name)
	}
	if f.depth == maxDepth {
		return f.errorf(node, "templates call each other more than %d deep", maxDepth)
	}
	value, err := f.pipeline(dot, node.Pipe)
	if err != nil {
		return err
	}
	called := frame{template: f.template, out: f.out, tree: tree, depth: f.depth + 1}
	return called.execute(value)
}

// without returns the error, but nil for the one that is expected.
func without(expected, err error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}
