package cmd_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	englishReadme = "../../README.md"
	chineseReadme = "../../README.zh-CN.md"
)

// TestReadmesAreInStep compares README.zh-CN.md with README.md: only the prose is translated.
func TestReadmesAreInStep(t *testing.T) {
	english, chinese := splitPage(readPage(t, englishReadme)), splitPage(readPage(t, chineseReadme))
	if *update && len(chinese.code) == len(english.code) {
		chinese.code = english.code
		//nolint:gosec // pages are for all to read
		if err := os.WriteFile(chineseReadme, []byte(chinese.text()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const inStep = "bring README.zh-CN.md in step with README.md"
	if diff := cmp.Diff(levels(english.headings()), levels(chinese.headings())); diff != "" {
		t.Errorf("%s: give it the same headings in the same order, translated; README.md has %q, README.zh-CN.md %q; "+
			"their levels (-README.md +README.zh-CN.md):\n%s", inStep, english.headings(), chinese.headings(), diff)
	}
	if diff := cmp.Diff(english.code, chinese.code); diff != "" {
		t.Errorf("%s: copy blocks of code as they are; when both have as many, go test ./pkg/cmd -run Readme -update does "+
			"(-README.md +README.zh-CN.md):\n%s", inStep, diff)
	}
	if diff := cmp.Diff(english.spans(), chinese.spans()); diff != "" {
		t.Errorf("%s: what stands in `code` amid the text stays as it is, in any order (-README.md +README.zh-CN.md):\n%s",
			inStep, diff)
	}
	for file, link := range map[string]string{
		englishReadme: "[简体中文](README.zh-CN.md)", chineseReadme: "[English](README.md)",
	} {
		if _, below, _ := strings.Cut(readPage(t, file), "\n\n"); !strings.HasPrefix(below, link+"\n") {
			t.Errorf("%s: the line below the title is not the link %s", file, link)
		}
	}
}

// page is a page in Markdown, taken apart: prose and blocks of code take turns, and it ends with prose.
type page struct{ prose, code []string }

// splitPage takes a page apart. Code is what is fenced, and what is indented by four blanks.
func splitPage(text string) page {
	var out page
	var part strings.Builder
	inCode, fenced := false, false
	end := func() {
		if inCode {
			out.code = append(out.code, part.String())
		} else {
			out.prose = append(out.prose, part.String())
		}
		part.Reset()
		inCode = !inCode
	}
	for line := range strings.Lines(text) {
		fence := strings.HasPrefix(line, "```")
		if isCode := fence || fenced || strings.HasPrefix(line, "    "); isCode != inCode {
			end()
		}
		fenced = fenced != fence
		part.WriteString(line)
	}
	end()
	if inCode { // the page ends with code
		end()
	}
	return out
}

// text puts the page together again.
func (p page) text() string {
	var out strings.Builder
	for i, prose := range p.prose {
		out.WriteString(prose)
		if i < len(p.code) {
			out.WriteString(p.code[i])
		}
	}
	return out.String()
}

var headingLine = regexp.MustCompile(`(?m)^#+ .*$`)

func (p page) headings() []string { return headingLine.FindAllString(strings.Join(p.prose, ""), -1) }

// levels are the marks of headings: "##".
func levels(headings []string) []string {
	out := make([]string, 0, len(headings))
	for _, heading := range headings {
		marks, _, _ := strings.Cut(heading, " ")
		out = append(out, marks)
	}
	return out
}

var codeSpan = regexp.MustCompile("`[^`]+`")

// spans are the pieces of code amid the text, each once, sorted.
func (p page) spans() []string {
	found := codeSpan.FindAllString(strings.Join(strings.Fields(strings.Join(p.prose, "")), " "), -1)
	slices.Sort(found)
	return slices.Compact(found)
}
