package upstream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

const (
	configKind     = "KubeSchedulerConfiguration"
	currentVersion = "v1"
)

// onlyDocument returns the one object in data, YAML or JSON. Nothing, more than one, and a key that is set twice are
// errors.
func onlyDocument(data []byte) (map[string]any, error) {
	var found []any
	for document := range documents(data) {
		value, err := parseDocument(document)
		if err != nil {
			return nil, err
		}
		if value == nil {
			continue
		}
		if found = append(found, value); len(found) > 1 {
			return nil, fmt.Errorf("holds several documents; leave only the %s", configKind)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("is empty; write a %s, or leave the file out for kube-scheduler's defaults", configKind)
	}
	object, ok := found[0].(map[string]any)
	if !ok {
		return nil, notAConfig("is not an object")
	}
	return object, nil
}

// documents cuts data at its "---" lines and leaves out what has no content. Each document keeps the lines before it as
// empty ones, so that the parser counts lines as the reader of the file does.
func documents(data []byte) iter.Seq[[]byte] {
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	return func(yield func([]byte) bool) {
		if json.Valid(data) {
			yield(data)
			return
		}
		start, startLine, offset, line := 0, 0, 0, 0
		hasContent := false
		for text := range bytes.Lines(data) {
			rest, marked := afterMarker(text)
			if marked {
				if hasContent && !yield(padded(data[start:offset], startLine)) {
					return
				}
				start, startLine, hasContent = offset, line, false
			}
			if rest = bytes.TrimSpace(rest); len(rest) > 0 && rest[0] != '#' {
				hasContent = true
			}
			offset, line = offset+len(text), line+1
		}
		if hasContent {
			yield(padded(data[start:], startLine))
		}
	}
}

// afterMarker returns the line without the document marker that it may start with.
func afterMarker(line []byte) (rest []byte, marked bool) {
	rest, found := bytes.CutPrefix(line, []byte("---"))
	if !found || len(rest) > 0 && !bytes.ContainsAny(rest[:1], " \t\r\n") {
		return line, false
	}
	return rest, true
}

func padded(document []byte, lines int) []byte {
	return append(bytes.Repeat([]byte("\n"), lines), document...)
}

func parseDocument(document []byte) (any, error) {
	var value any
	if json.Valid(document) {
		strict, err := kjson.UnmarshalStrict(document, &value)
		return value, joinSorted(append(strict, errorList(err)...))
	}
	asJSON, err := yaml.YAMLToJSONStrict(document)
	if err != nil {
		text := oneLine(err.Error())
		for _, prefix := range []string{"error converting YAML to JSON: ", "yaml: ", "unmarshal errors: "} {
			text = strings.TrimPrefix(text, prefix)
		}
		return nil, fmt.Errorf("reading YAML: %s", text)
	}
	err = kjson.UnmarshalCaseSensitivePreserveInts(asJSON, &value)
	return value, err
}

func errorList(err error) []error {
	if err == nil {
		return nil
	}
	return []error{err}
}

// configVersion is the document's version, "v1" or one that can be converted.
func configVersion(document map[string]any) (string, error) {
	apiVersion, _ := document["apiVersion"].(string)
	kind, _ := document["kind"].(string)
	if apiVersion == "" || kind == "" {
		return "", notAConfig("has no apiVersion and kind")
	}
	group, err := schema.ParseGroupVersion(apiVersion)
	if err != nil {
		return "", fmt.Errorf("apiVersion: %w", err)
	}
	switch {
	case kind == "ConfigMap":
		return "", inConfigMap(document)
	case group.Group != schedulerapi.GroupName || kind != configKind:
		return "", notAConfig(fmt.Sprintf("is a %s of %s", kind, apiVersion))
	case group.Version == currentVersion || slices.Contains(convertedVersions, group.Version):
		return group.Version, nil
	}
	return "", fmt.Errorf("apiVersion: %s of %s cannot be read, only %s and %s; see the "+
		"migration notes of that version and write it as %s/%s",
		configKind, apiVersion, currentVersion, strings.Join(convertedVersions, ", "), schedulerapi.GroupName, currentVersion)
}

func notAConfig(what string) error {
	return fmt.Errorf("%s, not a %s of %s/%s; give the file that kube-scheduler gets by its --config flag",
		what, configKind, schedulerapi.GroupName, currentVersion)
}

// inConfigMap tells how to take the configuration out of a ConfigMap, the way a cluster mounts it.
func inConfigMap(configMap map[string]any) error {
	data, _ := configMap["data"].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(data)) {
		text, _ := data[key].(string)
		if !strings.Contains(text, configKind) {
			continue
		}
		metadata, _ := configMap["metadata"].(map[string]any)
		name, _ := metadata["name"].(string)
		namespace, _ := metadata["namespace"].(string)
		return fmt.Errorf("is a ConfigMap that holds a %s in data[%q]; save that text as a file of its own: "+
			"kubectl get configmap %s -n %s -o jsonpath='{.data.%s}'", configKind, key,
			orPlaceholder(name, "NAME"), orPlaceholder(namespace, "NAMESPACE"), strings.ReplaceAll(key, ".", `\.`))
	}
	return notAConfig("is a ConfigMap")
}

func orPlaceholder(value, placeholder string) string {
	if value == "" {
		return placeholder
	}
	return value
}
