package cluster

import (
	"bytes"
	"regexp"
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

// hasAliases matches every text with aliases, and some without.
var hasAliases = regexp.MustCompile(`(?s)&\w.*\*\w`)

// maxAliases is how many bytes of text aliases may add to a document.
const maxAliases = 64 << 20

// maxExpanded is where the bytes that aliases add are no longer counted.
const maxExpanded = 1 << 30

// checkAliases refuses a document whose aliases would fill the memory.
func (p piece) checkAliases() error {
	var root yamlv3.Node
	if yamlv3.Unmarshal(p.text, &root) != nil {
		return nil //nolint:nilerr // toJSON tells of it, with the place
	}
	if expandedSize(&root, map[*yamlv3.Node]int{}) > len(p.text)+maxAliases {
		return p.errorf("", "", "aliases (*name) repeat more than %d MiB of text", maxAliases>>20)
	}
	return nil
}

// expandedSize returns the size of the node's text with every alias replaced, in bytes; at most maxExpanded.
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
		size = min(size+expandedSize(child, known), maxExpanded)
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
