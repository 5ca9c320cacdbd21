// Command licenses writes the licenses of all that is linked into kubectl-sched, with their texts, to standard output.
// It fails when a module has none, or one that is not known to allow what we do: link it, and hand it on with its text.
//
// Its argument is the root of the repository.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// allowed are the licenses that a module may have, as licensecheck names them.
var allowed = []string{"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MPL-2.0"}

// legal is what files with a license, or with what a license wants handed on, are called.
var legal = regexp.MustCompile(`(?i)^(licen[cs]es?|copying|copyright|notice|patents)([._-][a-z0-9.-]+)?$`)

// beside are those of them that stand beside a license.
var beside = regexp.MustCompile(`(?i)^(notice|patents|copyright)`)

// elsewhere are files of that name that say nothing of what is linked: the license of a documentation, and code.
var elsewhere = []string{".docs", ".go", ".sh"}

// line parts the texts.
var line = strings.Repeat("=", 80)

// leastText is how much of a license's file must be a text that is known, in percent.
const leastText = 75

// listed is what go list says of a package.
type listed struct {
	Dir    string
	Module *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// module is a module that is linked, with the folders of it that are, and those above them.
type module struct {
	name, dir string
	folders   map[string]bool
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: licenses ROOT")
		os.Exit(2)
	}
	if err := run(os.Stdout, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, root string) error {
	modules, err := linked(root)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	var failures []error
	for _, m := range modules {
		failures = append(failures, m.write(&text))
	}
	if err := errors.Join(failures...); err != nil {
		return err
	}
	_, err = out.Write(text.Bytes())
	return err
}

// systems are those that there are archives for; each links a few modules of its own.
var systems = []string{"linux", "darwin", "windows"}

// linked lists the modules of the program in the repository, sorted, Go's own first.
func linked(root string) ([]*module, error) {
	modules := map[string]*module{}
	for _, system := range systems {
		if err := addLinked(modules, root, system); err != nil {
			return nil, fmt.Errorf("listing what is linked for %s: %w", system, err)
		}
	}
	library, err := standardLibrary()
	if err != nil {
		return nil, err
	}
	byName := func(a, b *module) int { return cmp.Compare(a.name, b.name) }
	return append([]*module{library}, slices.SortedFunc(maps.Values(modules), byName)...), nil
}

// addLinked adds the modules that are linked for a system.
func addLinked(modules map[string]*module, root, system string) error {
	command := exec.Command("go", "list", "-deps", "-json=Dir,Module", "-tags", "grpcnotrace", "./cmd/kubectl-sched")
	command.Dir = root
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system)
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return err
	}
	for decoder := json.NewDecoder(bytes.NewReader(output)); decoder.More(); {
		var one listed
		if err := decoder.Decode(&one); err != nil {
			return err
		}
		if one.Module == nil || one.Module.Main {
			continue
		}
		name := one.Module.Path + " " + one.Module.Version
		if modules[name] == nil {
			modules[name] = &module{name: name, dir: one.Module.Dir, folders: map[string]bool{}}
		}
		modules[name].add(one.Dir)
	}
	return nil
}

// standardLibrary is Go's own code, which every program has.
func standardLibrary() (*module, error) {
	output, err := exec.Command("go", "env", "GOROOT", "GOVERSION").Output()
	if err != nil {
		return nil, fmt.Errorf("finding Go's own license: %w", err)
	}
	root, version, _ := strings.Cut(strings.TrimSpace(string(output)), "\n")
	return &module{name: "Go standard library " + version, dir: root, folders: map[string]bool{root: true}}, nil
}

// add notes a folder, and those above it in the module.
func (m *module) add(dir string) {
	for ; !m.folders[dir] && len(dir) >= len(m.dir); dir = filepath.Dir(dir) {
		m.folders[dir] = true
	}
}

// write writes the licenses of a module.
func (m *module) write(out io.Writer) error {
	var failures []error
	found := false
	for _, dir := range slices.Sorted(maps.Keys(m.folders)) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if entry.IsDir() || !legal.MatchString(entry.Name()) || slices.Contains(elsewhere, filepath.Ext(entry.Name())) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
			if err != nil {
				return err
			}
			isLicense, err := check(entry.Name(), text)
			found = found || isLicense
			failures = append(failures, err)
			place := strings.TrimPrefix(filepath.Join(dir, entry.Name()), m.dir+string(filepath.Separator))
			fmt.Fprintf(out, "%s\n%s: %s\n%s\n\n%s\n\n", line, m.name, filepath.ToSlash(place), line, bytes.TrimSpace(text))
		}
	}
	if !found {
		failures = append(failures, errors.New("no license found"))
	}
	if err := errors.Join(failures...); err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	return nil
}

// check tells whether a text is a license. One that is not known, or not allowed, is an error, unless its file is a
// notice or grants patents beside a license.
func check(name string, text []byte) (isLicense bool, err error) {
	if beside.MatchString(name) {
		return false, nil
	}
	coverage := licensecheck.Scan(text)
	if coverage.Percent < leastText {
		return false, fmt.Errorf("%s: %.0f %% of it is a license that is known", name, coverage.Percent)
	}
	for _, match := range coverage.Match {
		if !slices.Contains(allowed, match.ID) {
			return false, fmt.Errorf("%s: license %s", name, match.ID)
		}
	}
	return true, nil
}
