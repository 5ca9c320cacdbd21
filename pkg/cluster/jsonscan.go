package cluster

import (
	"bytes"
	"encoding/json"
)

// The functions here find where JSON values start and end, by brackets and quotes alone and many times faster than
// decoding: they cut big lists into items. They do not validate; decoding the items does.

// span is a part of a text: [start, end).
type span struct{ start, end int }

func (s span) of(text []byte) []byte { return text[s.start:s.end] }

func skipSpace(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r') {
		i++
	}
	return i
}

// valueEnd returns the end of the JSON value that starts at i; false when the text ends before the value does.
func valueEnd(text []byte, i int) (int, bool) {
	depth := 0
	for i < len(text) {
		switch text[i] {
		case '"':
			end, ok := stringEnd(text, i)
			if !ok {
				return len(text), false
			}
			i = end
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		case ' ', '\n', '\t', '\r', ',', ':':
			i++
			continue
		default:
			i = scalarEnd(text, i)
		}
		if depth <= 0 {
			return i, depth == 0
		}
	}
	return len(text), false
}

func stringEnd(text []byte, i int) (int, bool) {
	for i++; ; i++ {
		quote := bytes.IndexByte(text[i:], '"')
		if quote < 0 {
			return len(text), false
		}
		i += quote
		backslashes := 0
		for text[i-1-backslashes] == '\\' {
			backslashes++
		}
		if backslashes%2 == 0 {
			return i + 1, true
		}
	}
}

func scalarEnd(text []byte, i int) int {
	end := bytes.IndexAny(text[i:], ",]} \n\t\r:\"{[")
	if end < 0 {
		return len(text)
	}
	return i + max(end, 1)
}

// elements returns the elements of the array text; false when it is malformed between them.
func elements(text []byte) ([]span, bool) {
	var spans []span
	for i := skipSpace(text, 1); i < len(text) && text[i] != ']'; {
		end, ok := valueEnd(text, i)
		if !ok {
			return nil, false
		}
		spans = append(spans, span{i, end})
		if i, ok = nextInside(text, end, ']'); !ok {
			return nil, false
		}
	}
	return spans, text[len(text)-1] == ']'
}

// member is one key of an object with where its value is.
type member struct {
	key   string
	value span
}

// members returns the members of the object text; false when it is malformed between them.
func members(text []byte) ([]member, bool) {
	var found []member
	for i := skipSpace(text, 1); i < len(text) && text[i] != '}'; {
		if text[i] != '"' {
			return nil, false
		}
		end, ok := stringEnd(text, i)
		if !ok {
			return nil, false
		}
		key := unquote(text[i:end])
		if i = skipSpace(text, end); i == len(text) || text[i] != ':' {
			return nil, false
		}
		i = skipSpace(text, i+1)
		if end, ok = valueEnd(text, i); !ok {
			return nil, false
		}
		found = append(found, member{key, span{i, end}})
		if i, ok = nextInside(text, end, '}'); !ok {
			return nil, false
		}
	}
	return found, text[len(text)-1] == '}'
}

// nextInside returns where the next element after i starts, or where closing is; false when neither follows.
func nextInside(text []byte, i int, closing byte) (int, bool) {
	i = skipSpace(text, i)
	switch {
	case i == len(text):
		return i, false
	case text[i] == closing:
		return i, i == len(text)-1
	case text[i] != ',':
		return i, false
	}
	i = skipSpace(text, i+1)
	return i, i < len(text) && text[i] != closing
}

// unquote returns the string that the JSON text quotes, or the text itself when it is not a string.
func unquote(text []byte) string {
	if bytes.IndexByte(text, '\\') < 0 && len(text) >= 2 && text[0] == '"' {
		return string(text[1 : len(text)-1])
	}
	var s string
	if json.Unmarshal(text, &s) != nil {
		return string(text)
	}
	return s
}
