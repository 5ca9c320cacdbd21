package cmd

import (
	_ "embed"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// launcher is what kubectl looks for on PATH to complete the words behind `kubectl sched`.
//
//go:embed completion/kubectl_complete-sched
var launcher string

const completionLong = `Print what a shell needs to complete commands, flags, Pods, nodes and more with the tab key.

As a plugin of kubectl, kubectl's own completion must be on (see kubectl completion --help). It asks the
program kubectl_complete-sched, which must be on the PATH: the argument kubectl prints that one. For the
program kubectl-sched, called by its own name, load the script that the name of your shell prints.

What is typed is completed from the files of --from or else from the cluster. What is not read within two seconds
completes nothing.`

const completionExample = `  # As a plugin of kubectl, in any shell: put the program beside kubectl-sched
  launcher="$(dirname "$(command -v kubectl-sched)")/kubectl_complete-sched"
  kubectl sched completion kubectl > "$launcher" && chmod +x "$launcher"

  # kubectl-sched in bash, which needs the package bash-completion; put the line into ~/.bashrc to keep it
  source <(kubectl-sched completion bash)

  # kubectl-sched in zsh, after compinit; put the line into ~/.zshrc to keep it
  source <(kubectl-sched completion zsh)

  # kubectl-sched in fish
  mkdir -p ~/.config/fish/completions
  kubectl-sched completion fish > ~/.config/fish/completions/kubectl-sched.fish

  # kubectl-sched in PowerShell; put the line into $PROFILE to keep it
  kubectl-sched completion powershell | Out-String | Invoke-Expression`

func newCompletion() *cobra.Command {
	return &cobra.Command{
		Use:                   "completion (bash | zsh | fish | powershell | kubectl)",
		DisableFlagsInUseLine: true,
		Short:                 "Print the script that completes commands in a shell, or the program that kubectl asks",
		Long:                  completionLong,
		Example:               completionExample,
		Args:                  oneShell,
		ValidArgs: []cobra.Completion{
			"bash", "zsh", "fish", "powershell",
			cobra.CompletionWithDesc("kubectl", "the program kubectl_complete-sched"),
		},
		RunE: func(cmd *cobra.Command, args []string) error { return writeCompletion(cmd, args[0]) },
	}
}

// oneShell is the Args of the command.
func oneShell(cmd *cobra.Command, args []string) error {
	if len(args) != 1 || cobra.OnlyValidArgs(cmd, args) != nil {
		return fmt.Errorf("name one of bash, zsh, fish, powershell and kubectl; see %s --help", cmd.CommandPath())
	}
	return nil
}

func writeCompletion(cmd *cobra.Command, shell string) error {
	root, out := cmd.Root(), cmd.OutOrStdout()
	switch shell {
	case "bash":
		return root.GenBashCompletionV2(out, true)
	case "zsh":
		return root.GenZshCompletion(out)
	case "fish":
		return root.GenFishCompletion(out, true)
	case "powershell":
		return root.GenPowerShellCompletionWithDesc(out)
	}
	_, err := io.WriteString(out, launcher)
	return err
}
