package cmd

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
)

// Env is everything impure that a command uses.
type Env struct {
	genericiooptions.IOStreams
	// Getenv reads an environment variable.
	Getenv func(string) string
	// Program is what users type to call the command, for help and hints; PluginName when empty.
	Program string
	// Detach takes the process, and those that it starts from then on, from its terminal. What it returns asks those
	// that still are there to end. It may be nil, as for a process that tests run in.
	Detach func() (end func())
}

// PluginName is how kubectl's users call the command.
const PluginName = "kubectl sched"

func (e Env) program() string { return cmp.Or(e.Program, PluginName) }

// Execute runs the command line and returns the exit code.
func Execute(ctx context.Context, env Env, args []string) int {
	root := New(env)
	root.SetArgs(args)
	return finish(root.ExecuteContext(ctx), env.ErrOut)
}

// New returns the command.
func New(env Env) *cobra.Command {
	var verbosity int
	config := genericclioptions.NewConfigFlags(true)
	root := &cobra.Command{
		Use:         "kubectl-sched",
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: env.program()},
		Short:       "Explain, bind and schedule Pods with kube-scheduler's own code",
		Long: `kubectl sched answers scheduling questions with kube-scheduler's own code, for a live cluster or for
its saved state, binds Pods by hand, and runs as a scheduler of its own.

Exit codes: 0 yes (every Pod fits, or is bound), 1 no (at least one is not), 2 could not decide or run.`,
		Args:          noCommand,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			cmd.SilenceUsage = true
			if timeout, err := clientcmd.ParseTimeout(*config.Timeout); err != nil || timeout < 0 {
				return fmt.Errorf("--request-timeout %q: use 0 for none, or a time such as 30s", *config.Timeout)
			}
			return logTo(env.ErrOut, verbosity)
		},
	}
	root.SetIn(env.In)
	root.SetOut(env.Out)
	root.SetErr(env.ErrOut)
	root.SilenceUsage = true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
	})
	config.AddFlags(root.PersistentFlags())
	root.PersistentFlags().IntVarP(&verbosity, "v", "v", 0,
		"how much to log to stderr of requests and of what the scheduler does; 0 is nothing")
	root.AddCommand(newExplain(env, config), newBind(env, config), newRun(env, config), newVersion(env, config),
		newCompletion())
	newCompleter(env, config).completeFlags(root)
	callItself(root)
	return root
}

// noCommand is the Args of the root, whose arguments are words that are no verb.
func noCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	root.SuggestionsMinimumDistance = 2 // as cobra's own, which come on lines of their own
	if similar := root.SuggestionsFor(args[0]); len(similar) > 0 {
		return fmt.Errorf("unknown command %q; did you mean %s?", args[0], strings.Join(similar, " or "))
	}
	return fmt.Errorf("unknown command %q; see %s --help", args[0], root.CommandPath())
}

// callItself makes the texts of a command and of those under it name the program as it was called.
func callItself(cmd *cobra.Command) {
	program := cmd.Root().CommandPath()
	cmd.Long = strings.ReplaceAll(cmd.Long, PluginName, program)
	cmd.Example = strings.ReplaceAll(cmd.Example, PluginName, program)
	for _, child := range cmd.Commands() {
		callItself(child)
	}
}

// ProgramName returns what was typed to call the command, from the first of the process's arguments and the PATH:
// kubectl starts a plugin by the whole path at which it found it there, and a shell by what was typed.
func ProgramName(arg0, path string) string {
	dir, file := filepath.Split(arg0)
	name := strings.TrimSuffix(file, ".exe")
	inPath := func(folder string) bool { return filepath.Clean(folder) == filepath.Clean(dir) }
	if name == "kubectl-sched" && filepath.IsAbs(arg0) && slices.ContainsFunc(filepath.SplitList(path), inPath) {
		return PluginName
	}
	return name
}

// logTo sends the logs of client-go and of the scheduler to the writer, or nowhere: what they say about Pods is in the
// results, and a plugin's stderr is for the person who runs it.
func logTo(w io.Writer, verbosity int) error {
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	if err := flags.Set("logtostderr", "false"); err != nil {
		return err
	}
	if err := flags.Set("stderrthreshold", "FATAL"); err != nil {
		return err
	}
	if err := flags.Set("v", fmt.Sprint(verbosity)); err != nil {
		return fmt.Errorf("-v %d: use a smaller number", verbosity)
	}
	if verbosity == 0 {
		w = io.Discard
	}
	klog.SetOutput(w)
	return nil
}
