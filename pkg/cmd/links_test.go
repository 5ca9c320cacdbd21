package cmd_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pageLink is a link of Markdown to a file of the repository, to a heading, or to both.
var pageLink = regexp.MustCompile(`\]\(([^):]*)\)`)

// TestLinksOfPagesLeadSomewhere looks for the files and headings that the pages link to.
func TestLinksOfPagesLeadSomewhere(t *testing.T) {
	t.Chdir("../..")
	pages, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range slices.Concat(pages, more) {
		prose := strings.Join(splitPage(readPage(t, file)).prose, "")
		for _, match := range pageLink.FindAllStringSubmatch(prose, -1) {
			target, anchor, _ := strings.Cut(match[1], "#")
			to := file
			if target != "" {
				to = filepath.Join(filepath.Dir(file), target)
			}
			if _, err := os.Stat(to); errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s links to %s, which does not exist", file, to)
			} else if anchor != "" && !slices.Contains(anchorsOf(t, to), anchor) {
				t.Errorf("%s links to #%s of %s, which has no such heading", file, anchor, to)
			}
		}
	}
}

var notInAnchors = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)

// anchorsOf are the names that GitHub gives the headings of a page.
func anchorsOf(t *testing.T, file string) []string {
	t.Helper()
	var anchors []string
	for _, heading := range splitPage(readPage(t, file)).headings() {
		text := strings.ToLower(strings.TrimLeft(heading, "# "))
		anchors = append(anchors, strings.ReplaceAll(notInAnchors.ReplaceAllString(text, ""), " ", "-"))
	}
	return anchors
}
