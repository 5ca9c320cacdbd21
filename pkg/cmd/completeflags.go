package cmd

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kubectl-sched/kubectl-sched/pkg/printers"
)

// completeFlags completes the values of the flags of a command and of those under it. Where nothing is registered,
// nothing is completed, unlike in cobra's default: file names.
func (c completer) completeFlags(root *cobra.Command) {
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	values := c.values()
	register := func(cmd *cobra.Command) func(*pflag.Flag) {
		return func(flag *pflag.Flag) {
			complete, ok := values[cmd.Name()+" --"+flag.Name]
			if !ok {
				complete, ok = values["--"+flag.Name]
			}
			if !ok && flag.Value.Type() == "bool" {
				complete, ok = fixed("true", "false"), true
			}
			if ok {
				_ = cmd.RegisterFlagCompletionFunc(flag.Name, complete) // fails for flags that are not there only
			}
		}
	}
	root.PersistentFlags().VisitAll(register(root))
	for _, cmd := range root.Commands() {
		cmd.Flags().VisitAll(register(cmd))
	}
}

// values is what completes the value of each flag. A flag has the same values in every verb, or a row for the verb.
// Flags that take free text are missing.
func (c completer) values() map[string]cobra.CompletionFunc {
	objects := extensions("yaml", "yml", "json", "jsonl", "ndjson", "gz")
	return map[string]cobra.CompletionFunc{
		"--cache-dir":             folders,
		"--certificate-authority": anyFile,
		"--client-certificate":    anyFile,
		"--client-key":            anyFile,
		"--cluster":               c.inTime(c.clusters),
		"--context":               c.inTime(c.contexts),
		"--kubeconfig":            anyFile,
		"--namespace":             c.inTime(c.namespaces),
		"--user":                  c.inTime(c.users),

		"--color":                           fixed("auto", "always", "never"),
		"--compare":                         c.inTime(c.nodePairs),
		"--dry-run":                         fixed("none", "client", "server"),
		"--emulated-version":                c.inTime(emulatedVersions),
		"--feature-gates":                   c.inTime(featureGates),
		"--field-selector":                  c.inTime(c.fieldSelectors),
		"--filename":                        objects,
		"--fixes":                           fixed("false", "true", "10"),
		"--from":                            objects,
		"--kustomize":                       folders,
		"--leader-elect-resource-name":      fixed("kubectl-sched", "kube-scheduler"),
		"--leader-elect-resource-namespace": c.inTime(c.namespaces),
		"--logging-format":                  fixed("text", "json"),
		"--node":                            c.inTime(c.nodes),
		"--nodes":                           fixed("all", "failed", "feasible"),
		"--output":                          formats(printers.Formats()),
		"--scheduler-config":                extensions("yaml", "yml", "json"),
		"--scheduler-name":                  c.inTime(c.profiles),
		"--tls-cert-file":                   anyFile,
		"--tls-private-key-file":            anyFile,

		"run --dry-run":        fixed("none", "client"),
		"run --output":         fixed(printers.DecisionFormats()...),
		"run --scheduler-name": c.inTime(c.ownProfiles),
		"version --output":     fixed("json", "yaml"),
	}
}

// fixed completes one of a few words.
func fixed(words ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveKeepOrder)
}

// extensions completes files that end so, and the folders on the way to them.
func extensions(endings ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(endings, cobra.ShellCompDirectiveFilterFileExt)
}

func folders(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

func anyFile(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}
