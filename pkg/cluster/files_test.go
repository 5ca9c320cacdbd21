package cluster_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// file is a File that holds the text.
func file(name, text string) cluster.File {
	return cluster.File{Name: name, Open: func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(text)), nil
	}}
}

// names lists a State's objects as "Kind namespace/name".
func names(s *cluster.State) []string {
	var all []string
	for _, kind := range cluster.Kinds {
		for object := range kind.Objects(s) {
			name := kind.Kind + " " + object.GetName()
			if object.GetNamespace() != "" {
				name = kind.Kind + " " + object.GetNamespace() + "/" + object.GetName()
			}
			all = append(all, name)
		}
	}
	return all
}

const (
	nodeYAML = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"
	podYAML  = "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop}\n"
	nodeJSON = `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}`
	podJSON  = `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web", "namespace": "shop"}}`
)

func TestReadFilesReadsEveryForm(t *testing.T) {
	both := []string{"Node n1", "Pod shop/web"}
	for name, test := range map[string]struct {
		text     string
		want     []string
		warnings []string
	}{
		"YAML documents": {text: podYAML + "---\n" + nodeYAML, want: both},
		"documents with a leading and a trailing marker": {text: "---\n" + podYAML + "---\n" + nodeYAML + "...\n", want: both},
		"empty and comment-only documents":               {text: "# top\n---\n---\n" + podYAML + "--- # note\n" + nodeYAML + "---\n# end\n", want: both},
		"documents with end markers":                     {text: podYAML + "...\n" + nodeYAML + "...\n# end\n", want: both},
		"a directive before the document":                {text: "%YAML 1.1\n---\n" + podYAML + "---\n" + nodeYAML, want: both},
		"JSON documents between YAML markers":            {text: "---\n" + podJSON + "\n---\n" + nodeJSON, want: both},
		"JSON lines":                                     {text: podJSON + "\n" + nodeJSON + "\n", want: both},
		"concatenated JSON":                              {text: podJSON + nodeJSON, want: both},
		"a JSON array":                                   {text: "[" + podJSON + ",\n" + nodeJSON + "]", want: both},
		"YAML in flow style":                             {text: "{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop}}\n---\n" + nodeYAML, want: both},
		"a YAML document on the marker's line":           {text: "--- {apiVersion: v1, kind: Node, metadata: {name: n1}}\n---\n" + podYAML, want: both},
		"a List as kubectl get writes it in JSON":        {text: `{"apiVersion": "v1", "items": [` + podJSON + "," + nodeJSON + `], "kind": "List", "metadata": {"resourceVersion": ""}}`, want: both},
		"a List as kubectl get writes it in YAML": {
			text: "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: web\n    namespace: shop\n    annotations:\n      note: |\n        - a\n\n        b: c\n- apiVersion: v1\n  kind: Node\n  metadata:\n    name: n1\nkind: List\nmetadata:\n  resourceVersion: \"\"\n",
			want: both,
		},
		"a YAML List with indented items": {
			text: "apiVersion: v1\nkind: List\nitems:\n  - apiVersion: v1\n    kind: Pod\n    metadata: {name: web, namespace: shop}\n  - apiVersion: v1\n    kind: Node\n    metadata: {name: n1}\n",
			want: both,
		},
		"anchors from one item of a List to the next": {
			text: "apiVersion: v1\nkind: List\nitems:\n- apiVersion: &v v1\n  kind: Pod\n  metadata: {name: web, namespace: shop}\n- apiVersion: *v\n  kind: Node\n  metadata: {name: n1}\n",
			want: both,
		},
		"a List in a List": {text: `{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "List", "items": [` + podJSON + `]}, ` + nodeJSON + `]}`, want: both},
		"typed lists, whose items name no kind": {
			text: `{"kind": "PodList", "apiVersion": "v1", "items": [{"metadata": {"name": "web", "namespace": "shop"}}]}` + "\n---\napiVersion: v1\nkind: NodeList\nitems:\n- metadata: {name: n1}\n",
			want: both,
		},
		"a byte order mark":                  {text: "\ufeff" + podYAML + "---\n" + nodeYAML, want: both},
		"a byte order mark amid joined text": {text: podYAML + "\ufeff---\n" + nodeYAML, want: both},
		"CRLF":                               {text: strings.ReplaceAll(podYAML+"---\n"+nodeYAML, "\n", "\r\n"), want: both},
		"UTF-16, little endian":              {text: inUTF16(podYAML+"---\n"+nodeYAML, 0, 8), want: both},
		"UTF-16, big endian":                 {text: inUTF16(podYAML+"---\n"+nodeYAML, 8, 0), want: both},
		"gzip":                               {text: zipped(t, podYAML+"---\n"+nodeYAML), want: both},
		"gzip of UTF-16":                     {text: zipped(t, inUTF16(podYAML+"---\n"+nodeYAML, 0, 8)), want: both},
		"document markers within a string": {
			text: "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\n  namespace: shop\n  annotations:\n    note: |\n      ---\n      a\n---\n" + nodeYAML, want: both,
		},
		"the output of kubectl cluster-info dump": {
			text: `{"kind": "NodeList", "apiVersion": "v1", "items": [{"metadata": {"name": "n1"}}]}` + "\n" +
				`{"kind": "EventList", "apiVersion": "v1", "items": [{"metadata": {"name": "e", "namespace": "shop"}}]}` + "\n" +
				`{"kind": "PodList", "apiVersion": "v1", "items": [{"metadata": {"name": "web", "namespace": "shop"}}]}` + "\n" +
				"==== START logs for container m of pod shop/web ====\n{ not JSON\n--- \x1b[31m\n==== START logs ====\nno line end==== END logs for container m of pod shop/web ====\n" +
				`{"kind": "ServiceList", "apiVersion": "v1", "items": []}` + "\n",
			want:     both,
			warnings: []string{"skipped 1 object that no scheduler reads: Event 1"},
		},
		"foreign kinds, and what looks like ours": {
			text: podYAML + "---\n" + nodeYAML + "---\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\n---\napiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: s}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: t}\n",
			want: both, warnings: []string{"skipped 3 objects that no scheduler reads: Secret 2, Service.serving.knative.dev 1"},
		},
		"a kind of ours in a version of the future": {
			text: podYAML + "---\n" + nodeYAML + "---\napiVersion: v7\nkind: Node\nmetadata: {name: n7}\n",
			want: both, warnings: []string{"left out 1 object of API versions that cannot be read: v7 Node 1"},
		},
		"a merge key": {
			text: "apiVersion: v1\nkind: Node\nmetadata: &m {name: n2, labels: {a: b}}\n---\napiVersion: v1\nkind: Pod\nmetadata:\n  <<: {name: other, namespace: shop}\n  name: web\n---\n" + nodeYAML,
			want: []string{"Node n1", "Node n2", "Pod shop/web"},
		},
		"an object without a namespace, and a Node with one": {
			text: "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Node\nmetadata: {name: n1, namespace: x}\n",
			want: []string{"Node n1", "Pod default/a"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := cluster.ReadFiles(t.Context(), []cluster.File{file("f", test.text)})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, names(got)); diff != "" {
				t.Errorf("objects (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.warnings, got.Warnings); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

// inUTF16 encodes text with a byte order mark; first and second are the shifts of a unit's bytes.
func inUTF16(text string, first, second int) string {
	var b strings.Builder
	for _, unit := range append([]uint16{0xfeff}, utf16.Encode([]rune(text))...) {
		b.WriteByte(byte(unit >> first))
		b.WriteByte(byte(unit >> second))
	}
	return b.String()
}

func zipped(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestReadFilesCountsAnObjectOnce(t *testing.T) {
	pod := func(version, node string) string {
		return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"x","uid":"u","resourceVersion":"` + version +
			`"},"spec":{"nodeName":"` + node + `"}}`
	}
	for name, test := range map[string]struct{ first, second, node, warning string }{
		"the newest counts, though it came first": {pod("100", "new"), pod("99", "old"), "new", "Pod x/a is given 2 times: the one with resourceVersion 100 counts"},
		"the newest counts, though it came last":  {pod("99", "old"), pod("100", "new"), "new", "Pod x/a is given 2 times: the one with resourceVersion 100 counts"},
		"one with a version counts before one without": {pod("5", "new"), pod("", "old"), "new",
			"Pod x/a is given 2 times: the one with resourceVersion 5 counts"},
		"without versions the last counts": {pod("", "old"), pod("", "new"), "new", "Pod x/a is given 2 times: the last one counts"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := cluster.ReadFiles(t.Context(), []cluster.File{file("a", test.first), file("b", test.second)})
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Pods) != 1 || got.Pods[0].Spec.NodeName != test.node {
				t.Errorf("want the Pod on node %s, got %v", test.node, got.Pods)
			}
			if diff := cmp.Diff([]string{test.warning}, got.Warnings); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadFilesGivesPodsDistinctUIDs(t *testing.T) {
	got, err := cluster.ReadFiles(t.Context(), []cluster.File{file("f", `
apiVersion: v1
kind: PodList
items:
- metadata: {name: c, uid: u}
- metadata: {name: b, uid: u}
- metadata: {name: a}
- metadata: {name: z, uid: "file:default/a"}
`)})
	if err != nil {
		t.Fatal(err)
	}
	uids := map[string]string{}
	for _, pod := range got.Pods {
		uids[pod.Name] = string(pod.UID)
	}
	want := map[string]string{"a": "file:default/a+", "b": "u", "c": "file:default/c", "z": "file:default/a"}
	if diff := cmp.Diff(want, uids); diff != "" {
		t.Errorf("uids (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Pod default/c has the uid of Pod default/b, u: it counts as another Pod"}, got.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestReadFilesTellsGapsFromEmptyKinds(t *testing.T) {
	got, err := cluster.ReadFiles(t.Context(), []cluster.File{
		file("nodes", nodeYAML), file("pods", `{"kind":"PodList","apiVersion":"v1","items":null}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	var gaps []string
	for _, gap := range got.Gaps {
		if gap.Reason != cluster.Absent || gap.Err != nil {
			t.Errorf("gap %s: reason %q, error %v", gap.Kind.Kind, gap.Reason, gap.Err)
		}
		gaps = append(gaps, gap.Kind.Kind)
	}
	var want []string
	for _, kind := range cluster.Kinds {
		used := kind.Use == cluster.Scheduling || kind.Use == cluster.Admission
		if used && kind.Kind != "Node" && kind.Kind != "Pod" {
			want = append(want, kind.Kind)
		}
	}
	if diff := cmp.Diff(want, gaps); diff != "" {
		t.Errorf("gaps (-want +got):\n%s", diff)
	}
}

func TestReadFilesDropsBookkeeping(t *testing.T) {
	got, err := cluster.ReadFiles(t.Context(), []cluster.File{file("f", `
apiVersion: v1
kind: Node
metadata:
  name: n1
  managedFields: [{manager: kubelet, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {f:spec: {}}}]
  annotations: {kubectl.kubernetes.io/last-applied-configuration: "{}"}
`)})
	if err != nil {
		t.Fatal(err)
	}
	if node := got.Nodes[0]; node.ManagedFields != nil || node.Annotations != nil {
		t.Errorf("managed fields %v and annotations %v are left", node.ManagedFields, node.Annotations)
	}
}

func TestReadFilesWarnsOfUnknownFieldsInSchedulingParts(t *testing.T) {
	got, err := cluster.ReadFiles(t.Context(), []cluster.File{file("f", `
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: n1}, spec: {taints: [{key: a, efect: NoSchedule}, {key: b, efect: x}]}, status: {news: 1}}
- {apiVersion: v1, kind: Node, metadata: {name: n2}, status: {news: 1}}
- {apiVersion: v1, kind: Pod, metadata: {name: a}, sepc: {}, spec: {affinty: {}}, status: {news: 1}}
`)})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`Node n1: unknown field "spec.taints[0].efect" is ignored`,
		`Node n1 and 1 more: unknown field "status.news" is ignored`,
		`Pod default/a: unknown field "sepc" is ignored`,
		`Pod default/a: unknown field "spec.affinty" is ignored`,
	}
	if diff := cmp.Diff(want, got.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

func TestReadFilesFoldsManyWarnings(t *testing.T) {
	list := `{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"` +
		strings.Join(strings.Split("abcdefghijklmno", ""), `"}},{"metadata":{"name":"`) + `"}}]}`
	got, err := cluster.ReadFiles(t.Context(), []cluster.File{file("a", list), file("b", list), file("c", "# nothing\n")})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(got.Warnings); n != 12 || !slices.Contains(got.Warnings, "5 more objects are given several times") ||
		!slices.Contains(got.Warnings, "c: holds no objects") {
		t.Errorf("%d warnings: %q", n, got.Warnings)
	}
}

func TestReadFilesReadsASnapshotOfAllSorts(t *testing.T) {
	text, err := os.ReadFile("testdata/mixed-list.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got, err := cluster.ReadFiles(t.Context(), []cluster.File{file("cluster.yaml", string(text))})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Node n1", "Node n2", "Pod default/nons", "Pod default/used"}
	if diff := cmp.Diff(want, names(got)); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	wantWarnings := []string{
		"skipped 3 objects that no scheduler reads: CustomResourceDefinition 1, Foo 1, NodeMetrics 1",
		"Pod default/used is given 2 times: the one with resourceVersion 99 counts",
	}
	if diff := cmp.Diff(wantWarnings, got.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if pod := got.Pods[0]; pod.Spec.NodeName != "n2" || pod.Spec.Containers[0].Resources.Requests.Cpu().MilliValue() != 1500 {
		t.Errorf("Pod of the typed list: %v", pod.Spec)
	}
}
