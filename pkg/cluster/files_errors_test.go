package cluster_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

const podWithContainer = `apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: m
    image: i
`

func TestReadFilesTellsWhatIsWrong(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"an empty file": {"", "f: no objects that a scheduler reads, nothing at all: " + howToSave},
		"comments only": {"# a\n---\n# b\n", "f: no objects that a scheduler reads, nothing at all: " + howToSave},
		"foreign kinds only": {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
			"f: no objects that a scheduler reads, only ConfigMap 1: " + howToSave},
		"unknown versions only": {"apiVersion: v9\nkind: Pod\nmetadata: {name: a}\n",
			"f: no objects that a scheduler reads, only API versions that cannot be read: v9 Pod 1: " + howToSave},
		"an empty list": {`{"apiVersion":"v1","kind":"List","items":[]}`, "f: no objects that a scheduler reads, only empty lists: " + howToSave},

		"a web page":  {"\n<!DOCTYPE html>\n<html>", "f: document 1 (line 2): an HTML or XML page, not API objects: was a web page saved by mistake?"},
		"binary data": {"\x7fELF\x02\x00", "f: holds binary data: give YAML or JSON, in UTF-8 or in UTF-16 with a byte order mark"},
		"not UTF-8":   {"a: \xc3\x28", "f: holds binary data: give YAML or JSON, in UTF-8 or in UTF-16 with a byte order mark"},
		"gzip that was cut off": {zipped(t, podYAML)[:30],
			"f: the gzip data ends too early: was the file cut off? copy or save it again"},
		"gzip that is damaged": {strings.Replace(zipped(t, podYAML), "\x08", "\x07", 1), "f: unpacking gzip: gzip: invalid header"},
		"an answer 403": {`{"kind":"Status","apiVersion":"v1","status":"Failure","message":"pods is forbidden","reason":"Forbidden","code":403}`,
			"f: document 1 (line 1): an error answer of the API server was saved here, not objects (Forbidden 403: pods is forbidden): save it again as a user who may read them"},
		"a table of kubectl get": {"NAME READY\nweb 1/1\n",
			`f: document 1 (line 1): "NAME READY web 1/1" is a string where an object with apiVersion and kind belongs: save objects with -o yaml or -o json`},
		"a list of no objects": {podYAML + "---\n- 5\n", "f: document 2, item 1 (line 5): 5 is a number where an object with apiVersion and kind belongs: save objects with -o yaml or -o json"},

		"no apiVersion and kind": {"# a\nname: x\n", "f: document 1 (line 2): apiVersion and kind are missing: is this a Kubernetes object?"},
		"no apiVersion":          {"kind: Pod\nmetadata: {name: x}\n", "f: document 1 (line 1): Pod: apiVersion is missing"},
		"no kind":                {"apiVersion: v1\nmetadata: {name: x}\n", "f: document 1 (line 1): kind is missing"},
		"no name":                {podYAML + "---\napiVersion: v1\nkind: Pod\nmetadata:\n  generateName: a-\n", "f: document 2 (line 7): Pod: metadata.name is missing"},
		"an apiVersion that is none": {"apiVersion: a/b/c\nkind: Pod\n",
			`f: document 1 (line 1): Pod: apiVersion: "a/b/c" is not a group and a version`},
		"a kind that is a number": {"apiVersion: v1\nkind: 5\n", "f: document 1 (line 2): kind: 5 is a number where a string belongs"},
		"items that are no list":  {"apiVersion: v1\nkind: List\nitems: {}\n", "f: document 1 (line 3): List: items: an object where a list belongs"},

		"a tab in YAML":                 {podWithContainer + "\tresources: {}\n", "f: document 1 (line 8): this is not valid YAML: a tab in the indentation: YAML allows spaces only"},
		"a tab before a list":           {"apiVersion: v1\nkind: List\nitems:\n\t- a\n", "f: document 1 (line 4): this is not valid YAML: a tab in the indentation: YAML allows spaces only"},
		"YAML indented too little":      {podYAML + "---\na:\n  b:\n    c: 1\n   d: 2\n", "f: document 2 (line 8): this is not valid YAML: did not find expected key"},
		"YAML indented too much":        {"a: 1\n  b: 2\n", "f: document 1 (line 2): this is not valid YAML: mapping values are not allowed in this context"},
		"a string that does not end":    {"x: 1\na:\n  b: \"c\n  d: 1\n", "f: document 1 (line 3): this is not valid YAML: found unexpected end of stream"},
		"a line without a colon":        {"a: 1\nfoo\nb: 2\n", "f: document 1 (line 2): this is not valid YAML: could not find expected ':'"},
		"an anchor that is not there":   {"a: 1\nb: *there\n", "f: document 1 (line 2): this is not valid YAML: unknown anchor 'there' referenced"},
		"terminal colors":               {"a: 1\nb: \x1b[31mred\n", "f: document 1 (line 2): this is not valid YAML: control characters are not allowed"},
		"an error behind an end marker": {podYAML + "...\nkind: Pod\n", "f: document 2 (line 5): Pod: apiVersion is missing"},
		"a key twice in YAML": {podWithContainer + "  restartPolicy: Always\n  restartPolicy: Never\n",
			`f: document 1 (line 9): key "restartPolicy" is given twice, before in line 8: remove one`},
		"a key twice in an item of a List": {"apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata:\n    name: a\n    name: b\nkind: List\n",
			`f: document 1, item 1 (line 7): key "name" is given twice, before in line 6: remove one`},
		"a key twice in JSON": {podJSON + "\n" + `{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1","labels":{` + "\n" + `"a":"1",` + "\n" + `"a":"2"}}}`,
			"f: document 2 (line 4): Node n1: metadata.labels.a is given twice: remove one"},

		"JSON that was cut off": {podJSON + "\n" + `{"apiVersion":"v1","kind":"Node"`, "f: document 2 (line 2): the JSON that starts here ends too early: was the file cut off? save it again"},
		"JSON with a comma too many": {`{"apiVersion":"v1","kind":"List","items":[` + podJSON + ",\n" + `{"apiVersion":"v1",` + "\n" + `"kind":"Node",}]}`,
			"f: document 1, item 2 (line 3): this is not valid JSON: invalid character '}' looking for beginning of object key string"},
		"text behind JSON": {podJSON + "\nError from server\n", `f: document 2 (line 2): "Error from server" follows the JSON: remove it, or save the file again`},

		"a cpu that is a list": {podWithContainer + "    resources:\n      requests:\n        cpu: [1]\n",
			"f: document 1 (line 10): Pod default/web: spec.containers[0].resources.requests.cpu: [1] is not a quantity (as 500m, 2 or 4Gi)"},
		"a cpu that does not parse, in an item of a List": {"apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata: {name: n1}\n- apiVersion: v1\n  kind: Node\n  metadata: {name: n2}\n  status:\n    allocatable:\n      cpu: 4 cores\n",
			`f: document 1, item 2 (line 12): Node n2: status.allocatable.cpu: "4 cores" is not a quantity (as 500m, 2 or 4Gi)`},
		"a cpu that overflows": {podWithContainer + "    resources: {requests: {cpu: 10E}}\n",
			"f: document 1 (line 8): Pod default/web: spec.containers[0].resources.requests.cpu: 10E is more than can be counted: the most is 9223372036854775807m"},
		"a cpu that overflows in thousandths only": {"apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {capacity: {cpu: 10P}}\n",
			"f: document 1 (line 4): Node n1: status.capacity.cpu: 10P is more than can be counted: the most is 9223372036854775807m"},
		"a memory that overflows": {"apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {memory: 10E}}\n",
			"f: document 1 (line 4): Node n1: status.allocatable.memory: 10E is more than can be counted: the most is 9223372036854775807"},
		"a negative limit of an init container": {"apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  initContainers: [{name: i, resources: {limits: {memory: -1Gi}}}]\n",
			"f: document 1 (line 5): Pod default/web: spec.initContainers[0].resources.limits.memory: -1Gi is negative"},
		"a negative overhead": {"apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {overhead: {cpu: -1}}\n",
			"f: document 1 (line 4): Pod default/web: spec.overhead.cpu: -1 is negative"},
		"a negative claim": {"apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: c}\nspec: {resources: {requests: {storage: -1Gi}}}\n",
			"f: document 1 (line 4): PersistentVolumeClaim default/c: spec.resources.requests.storage: -1Gi is negative"},
		"a negative volume": {"apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: v}\nspec: {capacity: {storage: -1Gi}}\n",
			"f: document 1 (line 4): PersistentVolume v: spec.capacity.storage: -1Gi is negative"},
		"a negative request in a template": {"apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: c}\nspec: {jobTemplate: {spec: {template: {spec: {containers: [{name: m, resources: {requests: {cpu: -1}}}]}}}}}\n",
			"f: document 1 (line 4): CronJob default/c: spec.jobTemplate.spec.template.spec.containers[0].resources.requests.cpu: -1 is negative"},
		"replicas that are a string": {"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec:\n  replicas: \"x\"\n",
			`f: document 1 (line 5): Deployment default/d: spec.replicas: "x" is a string where a whole number of 32 bits belongs`},
		"a label that is no string": {"apiVersion: v1\nkind: Node\nmetadata:\n  name: n1\n  labels:\n    example.com/a: x\n    example.com/b: true\n",
			"f: document 1 (line 7): Node n1: metadata.labels.example.com/b: true is a boolean where a string belongs: put it in quotes"},
		"a time that is none": {`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1","creationTimestamp":"now"}}`,
			`f: document 1 (line 1): Node n1: metadata.creationTimestamp: "now" is not a time (as 2026-01-31T12:00:00Z)`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := cluster.ReadFiles(t.Context(), []cluster.File{file("f", test.text)})
			if err == nil {
				t.Fatalf("no error, want %s", test.want)
			}
			if err.Error() != test.want {
				t.Errorf("error:\n got %s\nwant %s", err, test.want)
			}
		})
	}
}

const howToSave = "save a cluster with `kubectl get nodes,pods -A -o yaml`"

func TestReadFilesSurvivesBombs(t *testing.T) {
	deep := strings.Repeat(`{"apiVersion":"v1","kind":"List","items":[`, 100_000)
	aliases := "a: &a [" + strings.Repeat("x,", 50) + "]\n"
	for previous := 'a'; previous < 'k'; previous++ {
		next := string(previous + 1)
		aliases += next + ": &" + next + " [" + strings.Repeat("*"+string(previous)+",", 50) + "]\n"
	}
	long := "a: &a " + strings.Repeat("x", 1<<20) + "\nb: [" + strings.Repeat("*a,", 1000) + "]\n"
	for name, test := range map[string]struct{ text, want string }{
		"lists in lists":      {deep + strings.Repeat("]}", 100_000), "lists are nested more than 16 deep"},
		"brackets":            {strings.Repeat("[", 1_000_000), "ends too early"},
		"flow sequences":      {"a: " + strings.Repeat("[", 1_000_000), "exceeded max depth"},
		"aliases":             {aliases, "aliases (*name) repeat more than 64 MiB of text"},
		"a long alias":        {long, "aliases (*name) repeat more than 64 MiB of text"},
		"an alias of its own": {"a: &a [*a]\n", "anchor 'a' value contains itself"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, err := cluster.ReadFiles(ctx, []cluster.File{file("f", test.text)})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("want an error with %q, got %v", test.want, err)
			}
		})
	}
}

func TestReadFilesTellsThatAFileCannotBeRead(t *testing.T) {
	missing := cluster.File{Name: "a/b.yaml", Open: func(context.Context) (io.ReadCloser, error) {
		return nil, &fs.PathError{Op: "open", Path: "b.yaml", Err: fs.ErrNotExist}
	}}
	_, err := cluster.ReadFiles(t.Context(), []cluster.File{missing})
	if err == nil || err.Error() != "a/b.yaml: file does not exist" || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestReadFilesStopsWhenCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := cluster.ReadFiles(ctx, []cluster.File{file("f", podYAML)}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestReadFilesTellsTheFirstErrorOfMany(t *testing.T) {
	text := podYAML + strings.Repeat("---\n"+podYAML, 200)
	text = strings.Replace(text, "\n---", "\nspec: 1\n---", 150)
	for range 20 {
		_, err := cluster.ReadFiles(t.Context(), []cluster.File{file("f", text)})
		if want := "f: document 1 (line 4): Pod shop/web: spec: 1 is a number where an object belongs"; err == nil || err.Error() != want {
			t.Fatalf("error:\n got %v\nwant %s", err, want)
		}
	}
}
