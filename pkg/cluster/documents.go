package cluster

import (
	"bytes"
	"fmt"
)

// piece is a part of a file that is decoded by itself: a document, or an item of a list.
type piece struct {
	place
	text []byte
	form form
	head header // of the object, once it is known
	list header // of the list that holds the item: typed lists tell their items' kind
}

// form is how a piece's text is written.
type form int

const (
	asJSON    form = iota // JSON, as in the file
	asYAML                // YAML, as in the file
	asEntry               // one entry of a YAML sequence, as in the file
	converted             // JSON that was made of the YAML in the place's source
)

// documents cuts a file's text into its documents, YAML or JSON, without the empty ones.
func documents(name string, text []byte) ([]piece, error) {
	var found []piece
	line := 1
	for len(text) > 0 {
		if end := endMarker(text); end > 0 {
			text = text[end:]
			line++
			continue
		}
		chunk := text[:chunkEnd(text)]
		start := contentStart(chunk)
		content := chunk[start:]
		switch {
		case isBlank(content):
		case looksLikeJSON(content):
			values, err := jsonValues(name, content, line+bytes.Count(chunk[:start], []byte("\n")), len(found))
			if err != nil {
				return nil, err
			}
			found = append(found, values...)
		default:
			at := place{file: name, document: len(found) + 1, source: chunk, line: line}
			if content[0] == '<' {
				return nil, at.errorf("", "", "an HTML or XML page, not API objects: was a web page saved by mistake?")
			}
			found = append(found, piece{place: at, text: chunk, form: asYAML})
		}
		line += bytes.Count(chunk, []byte("\n"))
		text = text[len(chunk):]
	}
	return found, nil
}

// chunkEnd returns where the next YAML marker after the first line is: "---" starts a document, "..." ends one. A
// marker ends even a block scalar, and JSON cannot hold one.
func chunkEnd(text []byte) int {
	for i := 0; ; {
		n := bytes.IndexByte(text[i:], '\n')
		if n < 0 {
			return len(text)
		}
		i += n + 1
		if isMarker(text[i:], "---") || endMarker(text[i:]) > 0 {
			return i
		}
	}
}

// isMarker tells whether text begins with the marker, by itself or with more on its line.
func isMarker(text []byte, marker string) bool {
	rest, ok := bytes.CutPrefix(text, []byte(marker))
	return ok && (len(rest) == 0 || bytes.IndexByte([]byte(" \t\n"), rest[0]) >= 0)
}

// endMarker returns the length of the line when text begins with one that ends a document, otherwise 0.
func endMarker(text []byte) int {
	if !isMarker(text, "...") {
		return 0
	}
	return min(len(firstLine(text))+1, len(text))
}

// isBlank tells whether text has nothing but blank lines, comments, directives and markers.
func isBlank(text []byte) bool {
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, " \t\n")
		if isMarker(line, "---") {
			line = line[len("---"):]
		}
		line = bytes.TrimLeft(line, " \t")
		if len(line) > 0 && line[0] != '#' && line[0] != '%' {
			return false
		}
	}
	return true
}

// looksLikeJSON tells JSON from YAML, whose flow style may begin with a brace too, but then not with a quoted key.
func looksLikeJSON(text []byte) bool {
	i := skipSpace(text, 0)
	if i == len(text) || text[i] != '{' && text[i] != '[' {
		return false
	}
	next := skipSpace(text, i+1)
	return next == len(text) || bytes.IndexByte([]byte(`"}]{[`), text[next]) >= 0
}

// jsonValues cuts concatenated JSON values and JSON lines.
func jsonValues(name string, text []byte, line, before int) ([]piece, error) {
	var found []piece
	counted := 0
	for i := skipSpace(text, 0); i < len(text); i = skipSpace(text, i) {
		line += bytes.Count(text[counted:i], []byte("\n"))
		counted = i
		at := place{file: name, document: before + len(found) + 1, line: line}
		if text[i] != '{' && text[i] != '[' {
			at.source = text[i:]
			return nil, at.errorf("", "", "%s follows the JSON: remove it, or save the file again",
				quoted(firstLine(text[i:])))
		}
		end, ok := valueEnd(text, i)
		at.source = text[i:end]
		if !ok {
			return nil, at.errorf("", "",
				"the JSON that starts here ends too early: was the file cut off? save it again")
		}
		found = append(found, piece{place: at, text: text[i:end]})
		i = end
	}
	return found, nil
}

func firstLine(text []byte) []byte {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return line
}

// quoted is the text for a message: on one line, and cut off when it is long.
func quoted(text []byte) string {
	const most = 60
	if runes := []rune(string(text)); len(runes) > most {
		return fmt.Sprintf("%q…", string(runes[:most]))
	}
	return fmt.Sprintf("%q", text)
}
