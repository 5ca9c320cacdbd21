// Package arrows keeps the arrows between the rooms: which package may import which.
//
// It reads the source, so that files of every build tag and operating system count, and fails for a room that the table
// does not know. Tests may import what they like.
package arrows

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	root   = "../.."
	module = "github.com/kubectl-sched/kubectl-sched"
)

// room is what a package may import. Packages below a room belong to it unless they are rooms themselves.
type room struct {
	// ours are the rooms it may import; "*" is any.
	ours []string
	// kubernetes allows k8s.io/kubernetes, whose packages promise no stable API.
	kubernetes bool
	// pure forbids what reaches the world outside: files, flags, a global logger.
	pure bool
}

var rooms = map[string]room{
	"cmd/kubectl-sched": {ours: []string{"pkg/cmd"}},
	"pkg/cmd":           {ours: []string{"*"}},
	"pkg/cluster":       {pure: true},
	"pkg/whatif":        {ours: []string{"pkg/cluster"}, pure: true},
	"pkg/engine": {
		ours: []string{
			"pkg/cluster", "pkg/whatif", "pkg/report", "pkg/engine/upstream", "pkg/engine/reason", "pkg/engine/fix",
		},
		pure: true,
	},
	"pkg/engine/upstream": {ours: []string{"pkg/cluster", "pkg/whatif"}, kubernetes: true, pure: true},
	"pkg/engine/fix":      {ours: []string{"pkg/cluster", "pkg/whatif", "pkg/report"}, pure: true},
	"pkg/engine/reason":   {ours: []string{"pkg/report"}, kubernetes: true, pure: true},
	"pkg/report":          {pure: true},
	"pkg/bind":            {ours: []string{"pkg/report"}},
	"pkg/run": {
		ours: []string{"pkg/cluster", "pkg/engine/upstream", "pkg/bind", "pkg/report"}, kubernetes: true,
	},
	"pkg/serve":    {},
	"pkg/printers": {ours: []string{"pkg/report"}},
	"hack":         {},
	"plugins":      {},
	"test":         {ours: []string{"*"}},
}

// impure are the packages that pure rooms do without: what they need of them is handed in.
var impure = []string{
	"flag", "github.com/spf13/cobra", "github.com/spf13/pflag", "log", "log/slog", "os", "os/exec", "os/signal",
}

func TestRoomsImportOnlyWhatTheyMay(t *testing.T) {
	for _, file := range sources(t) {
		name, ok := roomOf(path.Dir(file))
		if !ok {
			t.Errorf("%s is in no room: add one to the table of this test", file)
			continue
		}
		for _, imported := range importsOf(t, file) {
			if why := rooms[name].forbids(name, imported); why != "" {
				t.Errorf("%s imports %s: %s", file, imported, why)
			}
		}
	}
}

// forbids tells why the room of that name may not import the package, or nothing.
func (r room) forbids(name, imported string) string {
	target, isOurs := strings.CutPrefix(imported, module+"/")
	switch {
	case isOurs:
		to, _ := roomOf(target)
		if to == name || slices.Contains(r.ours, "*") || slices.Contains(r.ours, to) {
			return ""
		}
		return name + " may import of ours only " + strings.Join(r.ours, ", ")
	case !r.kubernetes && below(imported, "k8s.io/kubernetes"):
		return "kube-scheduler's own code is reached through pkg/engine/upstream"
	case r.pure && slices.Contains(impure, imported):
		return name + " knows no files, flags and loggers: hand in what it needs"
	}
	return ""
}

// roomOf returns the innermost room that holds the package.
func roomOf(pkg string) (string, bool) {
	for dir := pkg; dir != "."; dir = path.Dir(dir) {
		if _, ok := rooms[dir]; ok {
			return dir, true
		}
	}
	return "", false
}

func below(pkg, parent string) bool { return pkg == parent || strings.HasPrefix(pkg, parent+"/") }

// sources returns the Go files of the module without tests, relative to its root.
func sources(t *testing.T) []string {
	t.Helper()
	var files []string
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata"):
			return fs.SkipDir
		case !entry.IsDir() && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			files = append(files, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no source was found")
	}
	return files
}

func importsOf(t *testing.T, file string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	imports := make([]string, 0, len(parsed.Imports))
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		imports = append(imports, imported)
	}
	return imports
}

// A replace line would make `go install …@latest` fail for everybody.
func TestModuleHasNoReplace(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if fields := strings.Fields(line); len(fields) > 0 && fields[0] == "replace" {
			t.Errorf("go.mod has a replace: %s", strings.TrimSpace(line))
		}
	}
}

// The table itself: each rule refuses what it is there for.
func TestTableRefuses(t *testing.T) {
	for what, c := range map[string]struct{ room, imported string }{
		"a printer that knows the engine":      {"pkg/printers", module + "/pkg/engine"},
		"a report that knows the cluster":      {"pkg/report", module + "/pkg/cluster"},
		"an engine that reads files":           {"pkg/engine", "os"},
		"an engine that passes by the seam":    {"pkg/engine", "k8s.io/kubernetes/pkg/scheduler"},
		"a command that passes by the engine":  {"pkg/cmd", "k8s.io/kubernetes"},
		"a seam that knows reports":            {"pkg/engine/upstream", module + "/pkg/report"},
		"a what-if that asks the engine":       {"pkg/whatif", module + "/pkg/engine/upstream"},
		"a plugin that knows any of our rooms": {"plugins", module + "/pkg/engine"},
	} {
		if rooms[c.room].forbids(c.room, c.imported) == "" {
			t.Errorf("%s is let through: %s imports %s", what, c.room, c.imported)
		}
	}
}
