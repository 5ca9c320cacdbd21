package arrows

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const architecturePage = "docs/architecture.md"

// rowOfPackage is a row of the page's table of rooms: the first cell names a package, or another folder.
var rowOfPackage = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|")

// TestArchitecturePageNamesEveryPackage compares the packages of docs/architecture.md with those that there are.
func TestArchitecturePageNamesEveryPackage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, architecturePage))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(page), "\n## Rooms\n")
	section, _, ended := strings.Cut(section, "\n## ")
	if !found || !ended {
		t.Fatalf("%s has no section Rooms with another one behind it", architecturePage)
	}
	var named []string
	for _, row := range rowOfPackage.FindAllStringSubmatch(section, -1) {
		named = append(named, row[1])
	}
	slices.Sort(named)
	if diff := cmp.Diff(packages(t), named); diff != "" {
		t.Errorf("%s, section Rooms: give each package one row with its duty (-packages +rows):\n%s", architecturePage, diff)
	}
}

// packages returns the folders of the module's Go files, tests included, sorted and relative to its root.
func packages(t *testing.T) []string {
	t.Helper()
	var dirs []string
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && !ofModule(name):
			return fs.SkipDir
		case path.Ext(name) == ".go":
			dirs = append(dirs, path.Dir(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// ofModule tells whether a folder can hold packages of this module: no other module, and none that `go build` ignores.
func ofModule(dir string) bool {
	_, err := os.Stat(filepath.Join(root, dir, "go.mod"))
	ignored := strings.HasPrefix(path.Base(dir), ".") || path.Base(dir) == "testdata"
	return err != nil && !ignored
}
