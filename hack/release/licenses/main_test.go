package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Texts of licenses as modules have them: one that may ship, and one that may not.
const (
	isc = `Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby
granted, provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL
IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
`
	agpl = `This program is free software: you can redistribute it and/or modify it under the terms of the GNU Affero General
Public License as published by the Free Software Foundation, either version 3 of the License, or (at your option) any
later version.
`
)

func TestLicensesOfAModule(t *testing.T) {
	for sentence, test := range map[string]struct {
		files map[string]string
		// linked is the folder of the module that is linked.
		linked string
		// written are the files whose texts are handed on.
		written []string
		err     string
	}{
		"a license at the top":      {files: map[string]string{"LICENSE": isc}, written: []string{"LICENSE"}},
		"a license of a folder too": {files: map[string]string{"COPYING": isc, "in/LICENSE.md": isc}, linked: "in", written: []string{"COPYING", "in/LICENSE.md"}},
		"not of a folder that is not linked": {files: map[string]string{"LICENSE": isc, "other/LICENSE": agpl, "in/in.go": ""}, linked: "in",
			written: []string{"LICENSE"}},
		"a notice beside it":                {files: map[string]string{"LICENSE": isc, "NOTICE": "by us"}, written: []string{"LICENSE", "NOTICE"}},
		"code about licenses is none":       {files: map[string]string{"LICENSE": isc, "license.go": "package a"}, written: []string{"LICENSE"}},
		"none":                              {files: map[string]string{"README": isc}, err: "m v1: no license found"},
		"a notice is none":                  {files: map[string]string{"NOTICE": "by us"}, err: "m v1: no license found"},
		"one that may not ship":             {files: map[string]string{"LICENSE": agpl}, err: "m v1: LICENSE: license AGPL"},
		"one that may not ship in a folder": {files: map[string]string{"LICENSE": isc, "in/LICENSE": agpl}, linked: "in", err: "license AGPL"},
		"one that nobody knows":             {files: map[string]string{"LICENSE": "Ask us."}, err: "m v1: LICENSE: 0 % of it is a license that is known"},
		"one with much around it":           {files: map[string]string{"LICENSE": isc + strings.Repeat("And pay us every year. ", 40)}, err: "of it is a license that is known"},
	} {
		t.Run(sentence, func(t *testing.T) {
			m := &module{name: "m v1", dir: t.TempDir(), folders: map[string]bool{}}
			for name, text := range test.files {
				writeFile(t, filepath.Join(m.dir, name), text)
			}
			m.add(filepath.Join(m.dir, test.linked))
			var out bytes.Buffer
			err := m.write(&out)
			if err != nil || test.err != "" {
				if err == nil || test.err == "" || !strings.Contains(err.Error(), test.err) {
					t.Errorf("error %v, want %q", err, test.err)
				}
				return
			}
			var want strings.Builder
			for _, name := range test.written {
				want.WriteString(line + "\nm v1: " + name + "\n" + line + "\n\n" + strings.TrimSpace(test.files[name]) + "\n\n")
			}
			if diff := cmp.Diff(want.String(), out.String()); diff != "" {
				t.Errorf("written (-want +got):\n%s", diff)
			}
		})
	}
}

func writeFile(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
