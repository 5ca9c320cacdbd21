package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// platforms are those of the plugin's manifest, in its order.
var platforms = []string{"linux_amd64", "linux_arm64", "darwin_amd64", "darwin_arm64", "windows_amd64", "windows_arm64"}

func archiveOf(platform string) string {
	if strings.HasPrefix(platform, "windows") {
		return "kubectl-sched_1.2.3_" + platform + ".zip"
	}
	return "kubectl-sched_1.2.3_" + platform + ".tar.gz"
}

// checksums writes a file with a checksum for the archive of each platform, which is its place in the list.
func checksums(t *testing.T, platforms ...string) string {
	t.Helper()
	var lines strings.Builder
	for i, platform := range platforms {
		fmt.Fprintf(&lines, "%064x  %s\n", i+1, archiveOf(platform))
	}
	return written(t, lines.String())
}

// written returns a file with the text.
func written(t *testing.T, text string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestManifestOfABuild(t *testing.T) {
	for sentence, test := range map[string]struct {
		built   []string
		missing []string
	}{
		"all platforms":  {built: platforms},
		"one is missing": {built: platforms[:5], missing: platforms[5:]},
		"one is there":   {built: platforms[:1], missing: platforms[1:]},
	} {
		t.Run(sentence, func(t *testing.T) {
			text, missing, err := render("../../krew/sched.yaml", "v1.2.3", checksums(t, test.built...))
			if err != nil {
				t.Fatal(err)
			}
			var archives []string
			for _, platform := range test.missing {
				archives = append(archives, archiveOf(platform))
			}
			if diff := cmp.Diff(archives, missing); diff != "" {
				t.Errorf("missing (-want +got):\n%s", diff)
			}
			var got manifest
			if err := yaml.UnmarshalStrict(text, &got); err != nil {
				t.Fatal(err)
			}
			want := map[string]string{}
			for i, platform := range test.built {
				url := "https://github.com/kubectl-sched/kubectl-sched/releases/download/v1.2.3/" + archiveOf(platform)
				want[url] = fmt.Sprintf("%064x", i+1)
			}
			uris := map[string]string{}
			for _, platform := range got.Spec.Platforms {
				uris[platform.URI] = platform.SHA256
			}
			if diff := cmp.Diff(want, uris); diff != "" || got.Spec.Version != "v1.2.3" {
				t.Errorf("version %s, archives (-want +got):\n%s", got.Spec.Version, diff)
			}
		})
	}
}

func TestWhatIsNoManifestIsRefused(t *testing.T) {
	const ours = "../../krew/sched.yaml"
	all := checksums(t, platforms...)
	for sentence, test := range map[string]struct {
		manifest, version, checksums string
		err                          string
	}{
		"no manifest":                 {"none.yaml", "v1.2.3", all, "none.yaml: no such file"},
		"an empty manifest":           {written(t, ""), "v1.2.3", all, `spec.version is "", not a version`},
		"an unknown field":            {written(t, "a: 1"), "v1.2.3", all, `unknown field "a"`},
		"no version":                  {ours, "", all, `"" is not a version`},
		"a version without its v":     {ours, "1.2.3", all, `"1.2.3" is not a version`},
		"no archive of the version":   {ours, "v1.2.4", all, "has none of the archives of version v1.2.4"},
		"no checksums":                {ours, "v1.2.3", written(t, ""), "is empty"},
		"a checksum that is cut":      {ours, "v1.2.3", written(t, "abc  file\n"), `no checksum: "abc  file\n"`},
		"a checksum without its file": {ours, "v1.2.3", written(t, strings.Repeat("0", 64)+"\n"), "no checksum"},
	} {
		t.Run(sentence, func(t *testing.T) {
			_, _, err := render(test.manifest, test.version, test.checksums)
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("error %v, want %q", err, test.err)
			}
		})
	}
}
