// Command krewmanifest prints the plugin's manifest for krew with the version and the checksums of a build:
//
//	krewmanifest [-built] MANIFEST VERSION CHECKSUMS
//
// CHECKSUMS is a file of lines as sha256sum prints them. Every archive of the manifest must be in it; with -built,
// platforms whose archives are not there are left out.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// manifest is as much of a krew manifest (krew's pkg/index/types.go) as is read or changed here.
type manifest struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Metadata   map[string]any `json:"metadata"`
	Spec       spec           `json:"spec"`
}

type spec struct {
	Version          string     `json:"version"`
	Homepage         string     `json:"homepage"`
	ShortDescription string     `json:"shortDescription"`
	Description      string     `json:"description"`
	Caveats          string     `json:"caveats,omitempty"`
	Platforms        []platform `json:"platforms"`
}

type platform struct {
	Selector map[string]any `json:"selector"`
	URI      string         `json:"uri"`
	SHA256   string         `json:"sha256"`
	Files    []any          `json:"files"`
	Bin      string         `json:"bin"`
}

func main() {
	built := flag.Bool("built", false, "leave out platforms whose archives are not in CHECKSUMS")
	flag.Parse()
	if flag.NArg() != 3 {
		fmt.Fprintln(os.Stderr, "usage: krewmanifest [-built] MANIFEST VERSION CHECKSUMS")
		os.Exit(2)
	}
	rendered, err := run(flag.Arg(0), flag.Arg(1), flag.Arg(2), *built)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	_, _ = os.Stdout.Write(rendered)
}

func run(file, version, checksums string, built bool) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var plugin manifest
	if err := yaml.UnmarshalStrict(text, &plugin); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	sums, err := readChecksums(checksums)
	if err != nil {
		return nil, err
	}
	plugin.setVersion(version)
	missing := plugin.setChecksums(sums)
	if built {
		plugin.Spec.Platforms = slices.DeleteFunc(plugin.Spec.Platforms, func(p platform) bool { return p.SHA256 == "" })
	} else if len(missing) > 0 {
		return nil, fmt.Errorf("%s has no %s", checksums, strings.Join(missing, ", "))
	}
	if len(plugin.Spec.Platforms) == 0 {
		return nil, fmt.Errorf("%s has none of the archives of version %s", checksums, version)
	}
	return yaml.Marshal(plugin)
}

// setVersion writes the version, which begins with a v, where the old one is: as a folder and, without its v, in the
// archive's name.
func (m *manifest) setVersion(version string) {
	old := m.Spec.Version
	m.Spec.Version = version
	rename := strings.NewReplacer("/"+old+"/", "/"+version+"/", "_"+old[1:]+"_", "_"+version[1:]+"_")
	for i := range m.Spec.Platforms {
		m.Spec.Platforms[i].URI = rename.Replace(m.Spec.Platforms[i].URI)
	}
}

// setChecksums writes the checksums of the archives, and returns the archives that have none.
func (m *manifest) setChecksums(sums map[string]string) (missing []string) {
	for i := range m.Spec.Platforms {
		archive := path.Base(m.Spec.Platforms[i].URI)
		m.Spec.Platforms[i].SHA256 = sums[archive]
		if sums[archive] == "" {
			missing = append(missing, archive)
		}
	}
	return missing
}

var checksumLine = regexp.MustCompile(`^([0-9a-f]{64}) [ *](\S+)$`)

// readChecksums returns the checksums in a file, by the files that they are of.
func readChecksums(file string) (map[string]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	sums := map[string]string{}
	for line := range strings.Lines(string(text)) {
		parts := checksumLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if parts == nil {
			return nil, fmt.Errorf("%s: no checksum: %q", file, line)
		}
		sums[parts[2]] = parts[1]
	}
	if len(sums) == 0 {
		return nil, errors.New(file + " is empty")
	}
	return sums, nil
}
