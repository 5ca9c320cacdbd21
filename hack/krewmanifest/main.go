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
	"strings"

	utilversion "k8s.io/apimachinery/pkg/util/version"
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
	rendered, missing, err := render(flag.Arg(0), flag.Arg(1), flag.Arg(2))
	if err == nil && len(missing) > 0 && !*built {
		err = fmt.Errorf("%s has no %s", flag.Arg(2), strings.Join(missing, ", "))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	_, _ = os.Stdout.Write(rendered)
}

// render returns the manifest in the file with the version and the checksums, without the platforms whose archives have
// none, and those archives.
func render(file, version, checksums string) (rendered []byte, missing []string, err error) {
	plugin, err := readManifest(file)
	if err != nil {
		return nil, nil, err
	}
	sums, err := readChecksums(checksums)
	if err != nil {
		return nil, nil, err
	}
	if !isVersion(version) {
		return nil, nil, fmt.Errorf("%q is not a version as v1.2.3", version)
	}
	plugin.setVersion(version)
	missing = plugin.setChecksums(sums)
	if len(plugin.Spec.Platforms) == 0 {
		return nil, nil, fmt.Errorf("%s has none of the archives of version %s", checksums, version)
	}
	rendered, err = yaml.Marshal(plugin)
	return rendered, missing, err
}

func readManifest(file string) (*manifest, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var plugin manifest
	if err := yaml.UnmarshalStrict(text, &plugin); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if !isVersion(plugin.Spec.Version) {
		return nil, fmt.Errorf("%s: spec.version is %q, not a version as v1.2.3", file, plugin.Spec.Version)
	}
	return &plugin, nil
}

// isVersion tells whether a text is a semantic version behind a v.
func isVersion(text string) bool {
	_, err := utilversion.ParseSemantic(text)
	return err == nil && strings.HasPrefix(text, "v")
}

// setVersion writes the version where the old one is: as a folder and, without its v, in the archive's name.
func (m *manifest) setVersion(version string) {
	old := m.Spec.Version
	m.Spec.Version = version
	rename := strings.NewReplacer("/"+old+"/", "/"+version+"/", "_"+old[1:]+"_", "_"+version[1:]+"_")
	for i := range m.Spec.Platforms {
		m.Spec.Platforms[i].URI = rename.Replace(m.Spec.Platforms[i].URI)
	}
}

// setChecksums writes the checksums of the archives. It removes the platforms whose archives have none, and returns
// those archives.
func (m *manifest) setChecksums(sums map[string]string) (missing []string) {
	var having []platform
	for _, one := range m.Spec.Platforms {
		archive := path.Base(one.URI)
		one.SHA256 = sums[archive]
		if one.SHA256 == "" {
			missing = append(missing, archive)
			continue
		}
		having = append(having, one)
	}
	m.Spec.Platforms = having
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
