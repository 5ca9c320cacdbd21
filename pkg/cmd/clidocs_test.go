package cmd_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-sched/kubectl-sched/pkg/cmd"
)

// TestCommandDocs compares docs/cli and the manual pages in docs/man with what the commands say of themselves.
func TestCommandDocs(t *testing.T) {
	for _, format := range []struct {
		dir  string
		file func(*cobra.Command) string
		page func(*testing.T, *cobra.Command) string
	}{
		{"../../docs/cli", func(c *cobra.Command) string { return pageName(c, "_") + ".md" }, markdown},
		{"../../docs/man", func(c *cobra.Command) string { return pageName(c, "-") + ".1" }, manual},
	} {
		want := map[string]string{}
		for _, command := range commands(commandTree()) {
			want[format.file(command)] = format.page(t, command)
		}
		if *update {
			writePages(t, format.dir, want)
		}
		if diff := cmp.Diff(want, readPages(t, format.dir)); diff != "" {
			t.Errorf("%s, go test ./pkg/cmd -update rewrites it (-the commands +the pages):\n%s", format.dir, diff)
		}
	}
}

// commandTree returns the command without anything of this machine.
func commandTree() *cobra.Command {
	root := cmd.New(cmd.Env{IOStreams: genericiooptions.NewTestIOStreamsDiscard(), Getenv: func(string) string { return "" }})
	root.InitDefaultCompletionCmd()
	root.PersistentFlags().Lookup("cache-dir").DefValue = "$HOME/.kube/cache"
	return root
}

// commands returns the command and all under it.
func commands(command *cobra.Command) []*cobra.Command {
	all := []*cobra.Command{command}
	for _, child := range command.Commands() {
		if child.IsAvailableCommand() && !child.IsAdditionalHelpTopicCommand() {
			all = append(all, commands(child)...)
		}
	}
	return all
}

func pageName(command *cobra.Command, separator string) string {
	return strings.ReplaceAll(command.CommandPath(), " ", separator)
}

func markdown(t *testing.T, command *cobra.Command) string {
	t.Helper()
	var page bytes.Buffer
	command.DisableAutoGenTag = true
	if err := doc.GenMarkdown(command, &page); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

// manual returns a manual page without a date: it would change when nothing else does.
func manual(t *testing.T, command *cobra.Command) string {
	t.Helper()
	var page bytes.Buffer
	header := &doc.GenManHeader{
		Title: strings.ToUpper(pageName(command, "-")), Section: "1", Date: &time.Time{},
		Source: "kubectl-sched", Manual: "kubectl sched",
	}
	command.DisableAutoGenTag = true
	if err := doc.GenMan(command, header, &page); err != nil {
		t.Fatal(err)
	}
	return strings.Replace(page.String(), time.Time{}.Format("Jan 2006"), "", 1)
}

func writePages(t *testing.T, dir string, pages map[string]string) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // documents are for all to read
		t.Fatal(err)
	}
	for name, text := range pages {
		//nolint:gosec // documents are for all to read
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func readPages(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		pages[file.Name()] = string(text)
	}
	return pages
}
