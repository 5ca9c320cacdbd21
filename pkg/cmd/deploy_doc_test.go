package cmd_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// overlayFile is a file that docs/deploy.md tells to write: its folder, its path and its text.
var overlayFile = regexp.MustCompile("(?m)^```yaml\n# ([a-z-]+)/(\\S+)\n((?:[^`].*\n|\n)*)```$")

// writeOverlays writes what docs/deploy.md tells to write beside a copy of deploy, and returns the folders. A file that
// is told in two parts is written as one.
func writeOverlays(t *testing.T) (root string, folders []string) {
	t.Helper()
	root = t.TempDir()
	if err := os.CopyFS(filepath.Join(root, "deploy"), os.DirFS(deployDir)); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, match := range overlayFile.FindAllStringSubmatch(readPage(t, "../../docs/deploy.md"), -1) {
		folder, name, text := match[1], match[2], match[3]
		if !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
		texts[filepath.Join(folder, name)] += text
	}
	for name, text := range texts {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root, folders
}

// The overlays of docs/deploy.md do what the page says: the image is one's own, the flags exist, the Lease is the one
// that the Role allows, and the configuration serves the test Pod.
func TestDeployPageTellsOverlaysThatWork(t *testing.T) {
	root, folders := writeOverlays(t)
	if want := []string{"my-sched", "only-sched"}; !slices.Equal(folders, want) {
		t.Fatalf("docs/deploy.md has the overlays %q, want %q", folders, want)
	}
	for _, folder := range folders {
		t.Run(folder, func(t *testing.T) {
			dir := filepath.Join(root, folder)
			all := kustomized(t, dir)
			container := theContainer(t, the[*appsv1.Deployment](t, all))
			if want := "REGISTRY/kubectl-sched:v1.0.0"; container.Image != want {
				t.Errorf("the image is %s, want %s", container.Image, want)
			}
			wantFlagsThatExist(t, container.Args)
			wantLease(t, container.Args, the[*rbacv1.Role](t, all))
			got := explainTestPod(t, filepath.Join(dir, "scheduler-config.yaml"))
			if got.Profile != schedName || got.Verdict != report.Schedulable {
				t.Errorf("the test Pod is %s by %q, want Schedulable by %s", got.Verdict, got.Profile, schedName)
			}
		})
	}
}

var leaseDefault = regexp.MustCompile(`--leader-elect-resource-name string .*\(default "([^"]*)"\)`)

// wantLease checks that the Role allows the Lease of the arguments, and no other.
func wantLease(t *testing.T, args []string, role *rbacv1.Role) {
	t.Helper()
	_, help, _ := execute(t, []string{"run", "--help"})
	name := ""
	if byDefault := leaseDefault.FindStringSubmatch(help); byDefault != nil {
		name = byDefault[1]
	}
	for _, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--leader-elect-resource-name="); ok {
			name = value
		}
	}
	var allowed []string
	for _, rule := range role.Rules {
		allowed = append(allowed, rule.ResourceNames...)
	}
	if !slices.Equal(allowed, []string{name}) {
		t.Errorf("the Role allows the Leases %q, the Deployment needs %q", allowed, name)
	}
}
