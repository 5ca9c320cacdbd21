package cmd

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	utilversion "k8s.io/apimachinery/pkg/util/version"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/component-base/featuregate"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
)

// formats completes output formats; those that take a template or the file of one want a = behind them.
func formats(names []string) cobra.CompletionFunc {
	var choices []choice
	for _, name := range names {
		if strings.Contains(name, "template") || strings.Contains(name, "jsonpath") {
			name += "="
		}
		choices = append(choices, choice{word: name})
	}
	return func(_ *cobra.Command, _ []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if format, _, valued := strings.Cut(word, "="); valued && strings.HasSuffix(format, "file") {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return completions(choices, word)
	}
}

// emulatedVersions are those that --emulated-version allows, newest first.
func emulatedVersions(context.Context, line) []choice {
	var choices []choice
	linked := utilversion.MustParseGeneric(upstream.Version)
	for minor := linked.Minor(); ; minor-- {
		emulated := fmt.Sprintf("%d.%d", linked.Major(), minor)
		if upstream.SetGates(nil, emulated) != nil {
			return choices
		}
		choices = append(choices, choice{word: emulated})
	}
}

// featureGates are the gates that can be set, behind those that the word sets already. A value behind a comma that is
// typed in part gets none: bash's script would put the whole word behind its last =.
func featureGates(_ context.Context, l line) []choice {
	before, last := cutLast(l.word, ",")
	_, value, _ := strings.Cut(last, "=")
	if before != "" && value != "" || upstream.SetGates(nil, l.text("emulated-version")) != nil {
		return nil
	}
	var choices []choice
	gates := utilfeature.DefaultMutableFeatureGate.GetAll()
	for _, gate := range slices.Sorted(maps.Keys(gates)) {
		if gates[gate].LockToDefault {
			continue
		}
		word, note := before+string(gate), gateNote(gates[gate])
		choices = append(choices, choice{word + "=true", note}, choice{word + "=false", note})
	}
	return choices
}

func gateNote(gate featuregate.FeatureSpec) string {
	note := "off by default"
	if gate.Default {
		note = "on by default"
	}
	if gate.PreRelease == featuregate.GA {
		return note
	}
	return strings.ToLower(string(gate.PreRelease)) + " " + note
}

// fieldSelectors are the fields that Pods are selected by, then the values of one, if they are few.
func (c completer) fieldSelectors(ctx context.Context, l line) []choice {
	if field, _, valued := strings.Cut(l.word, "="); valued {
		return prefixed(field+"=", c.fieldValues(ctx, l, field))
	}
	names := sortedNames(podFields(&corev1.Pod{}))
	for i := range names {
		names[i].word += "="
	}
	return names
}

func (c completer) fieldValues(ctx context.Context, l line, field string) []choice {
	switch field {
	case "metadata.namespace":
		return c.namespaces(ctx, l)
	case "spec.nodeName":
		return c.nodes(ctx, l)
	case "spec.restartPolicy":
		return words("Always", "Never", "OnFailure")
	case "spec.schedulerName":
		return c.profiles(ctx, l)
	case "status.phase":
		return words("Pending", "Running", "Succeeded", "Failed", "Unknown")
	}
	return nil
}

// profiles are the names of the profiles that a configuration has; when none is given, kube-scheduler's own.
func (c completer) profiles(ctx context.Context, l line) []choice {
	path := l.text("scheduler-config")
	if path == "" {
		return words(corev1.DefaultSchedulerName)
	}
	if !rereadable(path) {
		return nil
	}
	flags := schedulerFlags{config: path, gates: l.text("feature-gates"), emulated: l.text("emulated-version")}
	options, err := flags.toOptions(ctx, new(inputs))
	if err != nil {
		return nil
	}
	var choices []choice
	for _, profile := range options.Config.KubeSchedulerConfiguration.Profiles {
		choices = append(choices, choice{word: profile.SchedulerName})
	}
	return choices
}

// ownProfiles are the names that run can serve: that of the only profile is free, and kubectl-sched unless it is given.
func (c completer) ownProfiles(ctx context.Context, l line) []choice {
	choices := c.profiles(ctx, l)
	if len(choices) == 1 && choices[0].word == corev1.DefaultSchedulerName {
		return words(upstream.OwnSchedulerName, corev1.DefaultSchedulerName)
	}
	return choices
}

func (c completer) clusters(context.Context, line) []choice {
	return sortedNames(c.kubeconfig().Clusters)
}
func (c completer) contexts(context.Context, line) []choice {
	return sortedNames(c.kubeconfig().Contexts)
}
func (c completer) users(context.Context, line) []choice {
	return sortedNames(c.kubeconfig().AuthInfos)
}

// kubeconfig is what of it can be read.
func (c completer) kubeconfig() api.Config {
	config, err := c.config.ToRawKubeConfigLoader().RawConfig()
	if err != nil {
		return api.Config{}
	}
	return config
}

func sortedNames[V any](named map[string]V) []choice {
	return words(slices.Sorted(maps.Keys(named))...)
}

func words(texts ...string) []choice {
	choices := make([]choice, len(texts))
	for i, text := range texts {
		choices[i].word = text
	}
	return choices
}

// prefixed puts a text before every choice.
func prefixed(prefix string, choices []choice) []choice {
	for i := range choices {
		choices[i].word = prefix + choices[i].word
	}
	return choices
}

// cutLast splits a text behind the last separator in it.
func cutLast(text, separator string) (before, last string) {
	end := strings.LastIndex(text, separator) + len(separator)
	if end < len(separator) {
		end = 0
	}
	return text[:end], text[end:]
}
