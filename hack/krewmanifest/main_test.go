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
	file := filepath.Join(t.TempDir(), "checksums.txt")
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestManifestOfABuild(t *testing.T) {
	for sentence, test := range map[string]struct {
		built     []string
		partial   bool
		platforms []string
		err       string
	}{
		"all platforms":              {built: platforms, platforms: platforms},
		"one, and no other is asked": {built: platforms[3:4], partial: true, platforms: platforms[3:4]},
		"one is missing":             {built: platforms[1:], err: "has no " + archiveOf(platforms[0])},
		"none is there":              {built: []string{"plan9_arm"}, partial: true, err: "has none of the archives"},
	} {
		t.Run(sentence, func(t *testing.T) {
			text, err := run("../../krew/sched.yaml", "v1.2.3", checksums(t, test.built...), test.partial)
			if err != nil || test.err != "" {
				if err == nil || test.err == "" || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want %q", err, test.err)
				}
				return
			}
			var got manifest
			if err := yaml.UnmarshalStrict(text, &got); err != nil {
				t.Fatal(err)
			}
			want := map[string]string{}
			for i, platform := range test.platforms {
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

func TestBrokenChecksumsAreRefused(t *testing.T) {
	for _, text := range []string{"", "abc  file\n", strings.Repeat("0", 64) + "\n"} {
		file := filepath.Join(t.TempDir(), "checksums.txt")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := run("../../krew/sched.yaml", "v1.2.3", file, true); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}
