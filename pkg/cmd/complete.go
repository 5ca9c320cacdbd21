package cmd

import (
	"context"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"
)

// completionTimeout is how long a completion looks for names: whoever pressed the tab key waits for it.
const completionTimeout = 2 * time.Second

// completer completes a word of the command line by what the words before it say. It tells no errors: what cannot be
// read completes nothing.
type completer struct {
	config *genericclioptions.ConfigFlags
	detach func() (end func())
}

func newCompleter(env Env, config *genericclioptions.ConfigFlags) completer {
	if env.Detach == nil {
		env.Detach = func() (end func()) { return func() {} }
	}
	return completer{config, env.Detach}
}

// choice is a word that may stand at the place, and a note to show beside it.
type choice struct{ word, note string }

// finder finds the choices, at least those that begin as the line's last word does.
type finder func(context.Context, line) []choice

// line is the command line up to the word that is completed.
type line struct {
	cmd  *cobra.Command
	args []string
	word string
}

// text is the value of a flag, and empty when the command has no such flag.
func (l line) text(flag string) string {
	value, _ := l.cmd.Flags().GetString(flag)
	return value
}

// from are the values of --from.
func (l line) from() []string {
	if flag := l.cmd.Flags().Lookup("from"); flag != nil {
		return flag.Value.(pflag.SliceValue).GetSlice()
	}
	return nil
}

// inTime completes with what is found before the time is up. What then still waits ends with the process. A credential
// plugin must not ask on the terminal, where it would take what is typed from the shell.
func (c completer) inTime(find finder) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		end := c.detach()
		ctx, stop := context.WithTimeout(cmd.Context(), completionTimeout)
		defer stop()
		found := make(chan []choice, 1)
		go func() { found <- find(ctx, line{cmd, args, word}) }()
		select {
		case <-ctx.Done():
			end()
			return nil, cobra.ShellCompDirectiveNoFileComp
		case choices := <-found:
			return completions(choices, word)
		}
	}
}

// completions are the choices that begin with the word. No space follows when each of them wants more behind it.
// Behind a comma there are no notes: beside notes, bash's script compares what is typed with words that it has escaped.
func completions(choices []choice, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var matching []cobra.Completion
	directive := cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder | cobra.ShellCompDirectiveNoSpace
	for _, choice := range choices {
		if !strings.HasPrefix(choice.word, word) || !plain(choice.word) {
			continue
		}
		if !strings.ContainsAny(choice.word[len(choice.word)-1:], "/=,") {
			directive &^= cobra.ShellCompDirectiveNoSpace
		}
		completion := choice.word
		if !strings.Contains(word, ",") && plain(strings.ReplaceAll(choice.note, " ", "")) {
			completion = cobra.CompletionWithDesc(completion, choice.note)
		}
		matching = append(matching, completion)
	}
	return matching, directive
}

// plain tells whether a text means nothing to a shell. Saved clusters may hold names that no API server would store,
// and scripts of older versions of kubectl let the shell expand what they are given.
func plain(text string) bool {
	return text != "" && strings.IndexFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.:/@+=,%", r)
	}) < 0
}

// rereadable tells whether the command can read the paths once more: what a completion takes from a pipe or from the
// standard input would be missing then.
func rereadable(paths ...string) bool {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || path == stdin || !info.IsDir() && !info.Mode().IsRegular() {
			return false
		}
	}
	return true
}
