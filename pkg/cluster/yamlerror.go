package cluster

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	yamlv3 "go.yaml.in/yaml/v3"
)

var (
	yamlLine   = regexp.MustCompile(`^line (\d+): `)
	yamlAnchor = regexp.MustCompile(`anchor '(.*?)'`)
)

// yamlError words an error of the YAML library in one line.
func (p piece) yamlError(err error) error {
	message := strings.Join(strings.Fields(err.Error()), " ")
	message = strings.TrimPrefix(strings.TrimPrefix(message, "yaml: "), "json: ")
	line := p.lineOfError(message)
	message = yamlLine.ReplaceAllString(message, "")
	if strings.Contains(message, "a tab") || strings.Contains(message, "start any token") {
		if tab := p.tabNear(line); tab > 0 {
			line, message = tab, "a tab in the indentation: YAML allows spaces only"
		}
	}
	at := p.place
	at.line, at.source, at.path = p.line+line-1, nil, ""
	return at.errorf("", "", "this is not valid YAML: %s", message)
}

// lineOfError returns the line of the text that the library's message is about. Its numbers mean different things in
// different errors, and in some there is none.
func (p piece) lineOfError(message string) int {
	line := 1
	match := yamlLine.FindStringSubmatch(message)
	if match != nil {
		line, _ = strconv.Atoi(match[1])
	}
	switch {
	case strings.Contains(message, "unexpected end of stream"), strings.Contains(message, "expected ':'"):
		return p.startLine(line)
	case match != nil && strings.Contains(message, "did not find expected"):
		return line + 1 // the parser counts from 0
	case strings.Contains(message, "control characters"):
		return p.lineAt(bytes.IndexFunc(p.text, func(r rune) bool {
			return unicode.IsControl(r) && r != '\t' && r != '\n'
		}))
	}
	if anchor := yamlAnchor.FindStringSubmatch(message); anchor != nil {
		return p.lineAt(bytes.Index(p.text, []byte("*"+anchor[1])))
	}
	return line
}

// lineAt returns the line of the offset in the text.
func (p piece) lineAt(offset int) int { return 1 + bytes.Count(p.text[:max(offset, 0)], []byte("\n")) }

// startLine returns the line at which the thing starts that the text ends in, as the newer library tells it.
func (p piece) startLine(otherwise int) int {
	var line int
	err := yamlv3.Unmarshal(p.text, new(yamlv3.Node))
	if err == nil {
		return otherwise
	}
	if _, scanErr := fmt.Sscanf(err.Error(), "yaml: line %d:", &line); scanErr != nil {
		return otherwise
	}
	return line
}

// tabNear returns the line with a tab in its indentation next to the line, or 0.
func (p piece) tabNear(line int) int {
	lines := bytes.Split(p.text, []byte("\n"))
	for _, near := range []int{line, line + 1, line - 1} {
		if near < 1 || near > len(lines) {
			continue
		}
		text := lines[near-1]
		if indent := len(text) - len(bytes.TrimLeft(text, " \t")); bytes.IndexByte(text[:indent], '\t') >= 0 {
			return near
		}
	}
	return 0
}
