package cluster

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

// toJSON makes JSON of a YAML piece, with sigs.k8s.io/yaml as kubectl does. An empty document gives an empty text.
func (p piece) toJSON() (piece, error) {
	if hasAliases.Match(p.text) {
		if err := p.checkAliases(); err != nil {
			return p, err
		}
	}
	text, err := yaml.YAMLToJSONStrict(p.text)
	if err != nil && strings.Contains(err.Error(), "already set in map") {
		if err := p.duplicateKey(); err != nil {
			return p, err
		}
		// What looked like a duplicate is a key beside the merge key (<<) that brings it too.
		text, err = yaml.YAMLToJSON(p.text)
	}
	if err != nil && p.form == asEntry {
		return p, entryError{p.yamlError(err)}
	}
	if err != nil {
		return p, p.yamlError(err)
	}
	if string(text) == "null" {
		text = nil
	}
	if p.form == asEntry {
		text = bytes.TrimSuffix(bytes.TrimPrefix(text, []byte("[")), []byte("]"))
	}
	p.text, p.form = text, converted
	return p, nil
}

// entryError is the error of an entry that was cut out of a list; as a part of the whole it may parse.
type entryError struct{ error }

// itemsKey is the line before the items of a list as kubectl writes it.
var itemsKey = []byte("items:\n")

// splitYAML cuts the YAML list that `kubectl get -o yaml` writes into its items, which are then decoded side by side
// and without building the whole list in memory. It returns nothing when the text is laid out in another way.
func splitYAML(p piece) []piece {
	start := lineStarting(p.text, 0, itemsKey)
	if start < 0 {
		return nil
	}
	start += len(itemsKey)
	end := start
	var starts []int
	for line := range bytes.Lines(p.text[start:]) {
		if bytes.HasPrefix(line, []byte("- ")) {
			starts = append(starts, end)
		} else if line[0] != ' ' && line[0] != '\n' && line[0] != '#' {
			break
		}
		end += len(line)
	}
	rest := piece{place: p.place, form: asYAML, text: bytes.Join([][]byte{p.text[:start], p.text[end:]}, nil)}
	rest, err := rest.toJSON()
	if err != nil || len(rest.text) == 0 || len(starts) == 0 {
		return nil
	}
	h, err := rest.header()
	if err != nil || !h.list {
		return nil
	}
	return p.entries(h, append(starts, end))
}

// entries cuts the text at the bounds into entries of the list h.
func (p piece) entries(h header, bounds []int) []piece {
	var found []piece
	line := p.line + bytes.Count(p.text[:bounds[0]], []byte("\n"))
	for i, start := range bounds[:len(bounds)-1] {
		entry := piece{place: p.item(i), form: asEntry, text: p.text[start:bounds[i+1]], list: h}
		entry.source, entry.line, entry.path = entry.text, line, "[0]"
		found = append(found, entry)
		line += bytes.Count(entry.text, []byte("\n"))
	}
	return found
}

// hasAliases matches every text with aliases, and some without.
var hasAliases = regexp.MustCompile(`(?s)&\w.*\*\w`)

// maxAliases is how many bytes of text aliases may add to a document.
const maxAliases = 64 << 20

// checkAliases refuses a document whose aliases would fill the memory.
func (p piece) checkAliases() error {
	var root yamlv3.Node
	if yamlv3.Unmarshal(p.text, &root) != nil {
		return nil // toJSON tells
	}
	if expandedSize(&root, map[*yamlv3.Node]int{}) > len(p.text)+maxAliases {
		return p.errorf("", "", "aliases (*name) repeat more than %d MiB of text", maxAliases>>20)
	}
	return nil
}

// expandedSize returns the size of the node's text with every alias replaced, in bytes; at most twice maxText.
func expandedSize(node *yamlv3.Node, known map[*yamlv3.Node]int) int {
	if size, ok := known[node]; ok {
		return size
	}
	known[node] = 0 // an anchor that holds its own alias
	size := len(node.Value)
	if node.Alias != nil {
		size = expandedSize(node.Alias, known)
	}
	for _, child := range node.Content {
		size = min(size+expandedSize(child, known), maxText)
	}
	known[node] = size
	return size
}

// duplicateKey says which key is given twice in one mapping; nil when none is.
func (p piece) duplicateKey() error {
	var root yamlv3.Node
	if err := yamlv3.Unmarshal(p.text, &root); err != nil {
		return p.yamlError(err)
	}
	first, second := duplicateIn(&root)
	if second == nil {
		return nil
	}
	at := p.place
	at.line, at.source, at.path = p.line+second.Line-1, nil, ""
	return at.errorf("", "", "key %q is given twice, before in line %d: remove one", second.Value, p.line+first.Line-1)
}

func duplicateIn(node *yamlv3.Node) (first, second *yamlv3.Node) {
	seen := map[string]*yamlv3.Node{}
	for i, child := range node.Content {
		if node.Kind == yamlv3.MappingNode && i%2 == 0 {
			if seen[child.Value] != nil {
				return seen[child.Value], child
			}
			seen[child.Value] = child
		}
		if first, second = duplicateIn(child); second != nil {
			return first, second
		}
	}
	return nil, nil
}

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
	if tab := p.tabNear(line); tab > 0 && (strings.Contains(message, "tab") || strings.Contains(message, "start any token")) {
		line, message = tab, "a tab in the indentation: YAML allows spaces only"
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
		return p.lineAt(bytes.IndexFunc(p.text, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' || r == 0x7f }))
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
