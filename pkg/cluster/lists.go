package cluster

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"
)

// header is what tells the kind of an object, or of a list and where its items are.
type header struct {
	apiVersion, kind string
	// items is where the array of items is in a list; empty in a list without any.
	items span
	list  bool
	// bare tells that the text is an array by itself, as jq writes.
	bare bool
}

// header reads the header of the piece's JSON.
func (p piece) header() (header, error) {
	switch p.text[0] {
	case '[':
		return header{list: true, bare: true, items: span{0, len(p.text)}}, nil
	case '{':
	default:
		return header{}, p.errorf("", "",
			"%s is %s where an object with apiVersion and kind belongs: save objects with -o yaml or -o json",
			brief(p.text), jsonType(p.text))
	}
	found, ok := members(p.text)
	if !ok {
		return header{}, p.syntaxError()
	}
	var h header
	for _, m := range found {
		value := m.value.of(p.text)
		switch m.key {
		case "apiVersion", "kind":
			if value[0] != '"' {
				return header{}, p.errorf("", m.key, "%s: %s is %s where a string belongs",
					m.key, brief(value), jsonType(value))
			}
			if s := unquote(value); m.key == "kind" {
				h.kind = s
			} else {
				h.apiVersion = s
			}
		case "items":
			if h.items != (span{}) {
				return header{}, p.errorf("", m.key, "items is given twice in one list")
			}
			h.items = m.value
		}
	}
	return p.asList(h)
}

// asList fills in whether the header is a list's.
func (p piece) asList(h header) (header, error) {
	isArray := h.items != (span{}) && p.text[h.items.start] == '['
	if h.list = strings.HasSuffix(h.kind, "List"); !h.list || isArray {
		return h, nil
	}
	if items := h.items.of(p.text); len(items) > 0 && string(items) != "null" {
		return h, p.errorf(h.kind, "items", "items: %s where a list belongs", jsonType(items))
	}
	h.list = h.kind == "List" || kindFor(h.itemKind()) != nil
	h.items = span{}
	return h, nil
}

// itemKind is the kind of a typed list's items.
func (h header) itemKind() schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(h.apiVersion, strings.TrimSuffix(h.kind, "List"))
}

// maxNesting is how deep lists may hold lists.
const maxNesting = 16

// expand returns the items of a JSON list, of its nested lists too, or the piece itself when it is no list. Of a list
// without items it returns the piece without text.
func expand(p piece) ([]piece, error) {
	if len(p.items) > maxNesting {
		return nil, p.errorf("", "", "lists are nested more than %d deep", maxNesting)
	}
	h, err := p.header()
	if err != nil {
		return nil, err
	}
	if !h.list {
		p.head = h
		return []piece{p}, nil
	}
	var items []span
	if array := h.items.of(p.text); len(array) > 0 {
		var ok bool
		if items, ok = elements(array); !ok {
			return nil, p.syntaxError()
		}
	}
	if len(items) == 0 {
		p.list, p.text = h, nil
		return []piece{p}, nil
	}
	return p.expandItems(h, items)
}

func (p piece) expandItems(h header, items []span) ([]piece, error) {
	found := make([]piece, 0, len(items))
	line, counted := p.line, 0
	for i, item := range items {
		child := piece{place: p.item(i), text: item.of(h.items.of(p.text)), form: p.form, list: h}
		if p.form == asJSON {
			start := h.items.start + item.start
			line += bytes.Count(p.text[counted:start], []byte("\n"))
			counted = start
			child.source, child.line = child.text, line
		} else {
			child.path = p.path + h.pathTo(i)
		}
		inner, err := expand(child)
		if err != nil {
			return nil, err
		}
		found = append(found, inner...)
	}
	return found, nil
}

func (h header) pathTo(item int) string {
	if h.bare {
		return fmt.Sprintf("[%d]", item)
	}
	return fmt.Sprintf(".items[%d]", item)
}

// syntaxError says what is malformed in the piece's JSON, and at which line.
func (p piece) syntaxError() error {
	var value json.RawMessage
	err := kjson.UnmarshalCaseSensitivePreserveInts(p.text, &value)
	if err == nil {
		err = errors.New("malformed")
	}
	at := p.place
	if ok, offset := kjson.SyntaxErrorOffset(err); ok && p.form == asJSON {
		before := max(min(int(offset), len(p.text))-1, 0)
		at.line, at.source = p.line+bytes.Count(p.text[:before], []byte("\n")), nil
	}
	return at.errorf("", "", "this is not valid JSON: %w", err)
}

// jsonType names the type of a JSON value as a message does.
func jsonType(value []byte) string {
	switch value[0] {
	case '"':
		return "a string"
	case '{':
		return "an object"
	case '[':
		return "a list"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}
