package cmd_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-sched/kubectl-sched/pkg/cmd"
)

// TestReadme runs the shell sessions of README.md and of docs/explain.md from the repository's root and compares what
// they print. README.zh-CN.md has those of README.md, see TestReadmesAreInStep.
func TestReadme(t *testing.T) {
	t.Chdir("../..")
	t.Setenv("KUBECONFIG", "no-kubeconfig")
	for _, page := range []string{"README.md", "docs/explain.md"} {
		t.Run(page, func(t *testing.T) { replayPage(t, page) })
	}
}

func replayPage(t *testing.T, page string) {
	want, sessions := readPage(t, page), 0
	got := replaceSessions(want, func(session string) string {
		sessions++
		return replay(t, session)
	})
	if sessions == 0 {
		t.Error("the page has no sessions")
	}
	if *update {
		if err := os.WriteFile(page, []byte(got), 0o644); err != nil { //nolint:gosec // pages are for all to read
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("go test ./pkg/cmd -run Readme -update rewrites the page (-page +what the commands print):\n%s", diff)
	}
}

const (
	fenceStart = "```console\n"
	fenceEnd   = "```\n"
	prompt     = "$ "
)

// programs are the ways to start the command, as sessions write them.
var programs = []string{"kubectl sched ", "go run ./cmd/kubectl-sched "}

// replaceSessions replaces the inside of each fenced console block that starts with the command.
func replaceSessions(text string, replace func(string) string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, fenceStart)
		session, after, closed := strings.Cut(rest, fenceEnd)
		if !found || !closed {
			out.WriteString(text)
			return out.String()
		}
		if _, ours := arguments(strings.SplitN(session, "\n", 2)[0]); ours {
			session = replace(session)
		}
		out.WriteString(before + fenceStart + session + fenceEnd)
		text = after
	}
}

// arguments returns the command's arguments in a line of a session; ours is false for lines that do not start it.
func arguments(line string) (args []string, ours bool) {
	for _, program := range programs {
		if rest, ok := strings.CutPrefix(line, prompt+program); ok {
			return words(rest), true
		}
	}
	return nil, false
}

// replay returns the session with the output that its commands print now.
func replay(t *testing.T, session string) string {
	t.Helper()
	var out bytes.Buffer
	code := 0
	for line := range strings.Lines(session) {
		if !strings.HasPrefix(line, prompt) {
			continue // the old output
		}
		out.WriteString(line)
		switch args, ours := arguments(strings.TrimSuffix(line, "\n")); {
		case ours:
			streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &out}
			code = cmd.Execute(t.Context(), cmd.Env{IOStreams: streams, Getenv: func(string) string { return "" }}, args)
		case line == prompt+"echo $?\n":
			fmt.Fprintln(&out, code)
		default:
			t.Errorf("a session cannot run %q", line)
		}
		if !bytes.HasSuffix(out.Bytes(), []byte("\n")) {
			t.Errorf("%q prints no line end at its end", line)
		}
	}
	return out.String()
}

// words splits a command line as a shell does, as far as blanks and single quotes go.
func words(line string) []string {
	var words []string
	inWord, quoted := false, false
	for _, r := range line {
		if r == ' ' && !quoted {
			inWord = false
			continue
		}
		if !inWord {
			inWord = true
			words = append(words, "")
		}
		if r == '\'' {
			quoted = !quoted
			continue
		}
		words[len(words)-1] += string(r)
	}
	return words
}
