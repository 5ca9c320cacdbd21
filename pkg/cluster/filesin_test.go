package cluster_test

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

func TestFilesIn(t *testing.T) {
	dump := fstest.MapFS{
		"dump/nodes.json":        {Data: []byte(`{"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"n1"}}]}`)},
		"dump/shop/pods.json":    {Data: []byte(`{"kind":"PodList","apiVersion":"v1","items":[` + podJSON + `]}`)},
		"dump/shop/events.json":  {Data: []byte(`{"kind":"EventList","apiVersion":"v1","items":null}`)},
		"dump/shop/web/logs.txt": {Data: []byte("==== START logs for container m of pod shop/web ====\n")},
		"dump/more.YAML.gz":      {Data: []byte(zipped(t, "apiVersion: v1\nkind: Node\nmetadata: {name: n2}\n"))},
		"dump/a.yml":             {Data: []byte("# nothing\n")},
		"dump/lines.jsonl":       {Data: []byte(nodeJSON)},
		"dump/README.md":         {},
		"empty/notes.txt":        {},
		"alone.txt":              {Data: []byte(nodeYAML)},
	}
	for name, test := range map[string]struct {
		root      string
		recursive bool
		want      []string
		wantErr   string
	}{
		"a folder and those in it": {root: "dump", recursive: true, want: []string{
			"dump/a.yml", "dump/lines.jsonl", "dump/more.YAML.gz", "dump/nodes.json", "dump/shop/events.json", "dump/shop/pods.json"}},
		"a folder alone": {root: "dump", want: []string{
			"dump/a.yml", "dump/lines.jsonl", "dump/more.YAML.gz", "dump/nodes.json"}},
		"a file whatever its ending": {root: "alone.txt", want: []string{"alone.txt"}},
		"a folder without files": {root: "empty", recursive: true,
			wantErr: "empty: no file ends in .yaml, .yml, .json, .jsonl, .ndjson: name the files themselves if they are called otherwise"},
		"nothing": {root: "missing", wantErr: "missing: file does not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			files, err := cluster.FilesIn(dump, test.root, test.recursive)
			if message := errorText(err); message != test.wantErr {
				t.Fatalf("error:\n got %q\nwant %q", message, test.wantErr)
			}
			var got []string
			for _, file := range files {
				got = append(got, file.Name)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
		})
	}

	files, err := cluster.FilesIn(dump, "dump", true)
	if err != nil {
		t.Fatal(err)
	}
	state, err := cluster.ReadFiles(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Node n1", "Node n2", "Pod shop/web"}, names(state)); diff != "" {
		t.Errorf("objects of the dump (-want +got):\n%s", diff)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
