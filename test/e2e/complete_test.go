//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// kubectl's own completion asks the launcher, and the plugin the cluster: Pods that wait come first.
func TestKubectlCompletesThePlugin(t *testing.T) {
	ctx := t.Context()
	create(ctx, t, node("only"), pod("tab-waits"), pod("tab-a-runs", on("only")))
	launcher := env.kubectl.run(ctx, t, "sched", "completion", "kubectl")
	path := filepath.Join(env.kubectl.pluginDir, "kubectl_complete-sched")
	if err := os.WriteFile(path, []byte(launcher.stdout), 0o700); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(path) })
	for words, want := range map[string]string{
		"explain -n shop tab-":       "tab-waits\tPending\ntab-a-runs\tPending\n:36\n",
		"bind -n shop pod/tab-":      "pod/tab-waits\tPending\n:36\n",
		"explain -n shop --node onl": "only\n:36\n",
		"explain -n sho":             "shop\n:36\n",
	} {
		out := env.kubectl.run(ctx, t, append([]string{"__complete", "sched"}, strings.Fields(words)...)...)
		if diff := cmp.Diff(want, out.stdout); diff != "" || out.exitCode != 0 {
			t.Errorf("%s: exit code %d, completions (-want +got):\n%s%s", words, out.exitCode, diff, out.stderr)
		}
	}
}
