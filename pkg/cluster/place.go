package cluster

import (
	"bytes"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"unicode"

	yamlv3 "go.yaml.in/yaml/v3"
)

// place tells where in a file a document or an item of a list in it is, for messages.
type place struct {
	file     string
	document int   // counted from 1, without empty documents
	items    []int // the position in each list down to the item, counted from 1

	// The text in which fields are looked up, the line at which it starts, and the path in it to the item.
	source []byte
	line   int
	path   string
}

// item is the place of the list's item at the index.
func (p place) item(index int) place {
	p.items = append(p.items[:len(p.items):len(p.items)], index+1)
	return p
}

// errorf makes an error of what is wrong with the object ("Pod default/web", or empty) at the field (or empty).
func (p place) errorf(object, field, format string, args ...any) error {
	if object != "" {
		object += ": "
	}
	err := fmt.Errorf(format, args...)
	return &inputError{oneLine(p.at(field) + ": " + object + err.Error()), err}
}

// inputError is an error in a file.
type inputError struct {
	message string
	err     error
}

func (e *inputError) Error() string { return e.message }
func (e *inputError) Unwrap() error { return e.err }

// oneLine keeps what a file says from breaking a message, or the terminal, with line ends and control characters.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}

// at says where the field is: "pods.yaml: document 2, item 3 (line 40)".
func (p place) at(field string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: document %d", p.file, p.document)
	for _, item := range p.items {
		fmt.Fprintf(&b, ", item %d", item)
	}
	fmt.Fprintf(&b, " (line %d)", p.lineOf(field))
	return b.String()
}

// maxLookup is the largest text in which a field's line is looked up, in bytes.
const maxLookup = 8 << 20

// lineOf returns the line of the field, or of the next thing around it whose line is known.
func (p place) lineOf(field string) int {
	// Where the text starts with comments, its first line is not the object's.
	first := p.line + bytes.Count(p.source[:contentStart(p.source)], []byte("\n"))
	if field == "" && p.path == "" || len(p.source) > maxLookup {
		return first
	}
	var root yamlv3.Node
	if yamlv3.Unmarshal(p.source, &root) != nil || len(root.Content) == 0 {
		return first
	}
	return p.line + lineIn(root.Content[0], strings.Trim(p.path+"."+field, ".")) - 1
}

// contentStart skips blank lines, comments and document markers.
func contentStart(text []byte) int {
	for i := 0; i < len(text); {
		end := len(text)
		if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
			end = i + n + 1
		}
		if !isBlank(text[i:end]) {
			return i
		}
		i = end
	}
	return 0
}

// lineIn returns the line of what path names below the node, as far as the path can be followed. A path does not tell
// a dot in a key from one between keys; the longest key that fits is the one, and of a key given twice the second.
func lineIn(node *yamlv3.Node, path string) int {
	line, longest := node.Line, 0
	for key, value := range children(node) {
		rest, ok := strings.CutPrefix(path, key.name)
		if !ok || len(key.name) < longest || rest != "" && rest[0] != '.' && rest[0] != '[' {
			continue
		}
		line, longest = key.line, len(key.name)
		if rest = strings.TrimPrefix(rest, "."); rest != "" {
			line = max(line, lineIn(value, rest))
		}
	}
	return line
}

type yamlKey struct {
	name string
	line int
}

// children yields the keys of a mapping and the indexes of a sequence, as a path spells them, with their values.
func children(node *yamlv3.Node) iter.Seq2[yamlKey, *yamlv3.Node] {
	return func(yield func(yamlKey, *yamlv3.Node) bool) {
		for i, child := range node.Content {
			key := yamlKey{"[" + strconv.Itoa(i) + "]", child.Line}
			if node.Kind == yamlv3.MappingNode {
				if i%2 == 0 {
					continue
				}
				key = yamlKey{node.Content[i-1].Value, node.Content[i-1].Line}
			}
			if !yield(key, child) {
				return
			}
		}
	}
}
