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

// featureGates are the gates that can be set, behind those that the word sets already: first their names, then the
// values of one.
func featureGates(_ context.Context, l line) []choice {
	if upstream.SetGates(nil, l.text("emulated-version")) != nil {
		return nil
	}
	before, last := cutLast(l.word, ",")
	values := []string{""}
	if strings.Contains(last, "=") {
		values = []string{"true", "false"}
	}
	var choices []choice
	gates := utilfeature.DefaultMutableFeatureGate.GetAll()
	for _, gate := range slices.Sorted(maps.Keys(gates)) {
		if gates[gate].LockToDefault {
			continue
		}
		for _, value := range values {
			choices = append(choices, choice{before + string(gate) + "=" + value, gateNote(gates[gate])})
		}
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
	before, last := cutLast(l.word, ",")
	field, _, valued := strings.Cut(last, "=")
	if !valued {
		var choices []choice
		for _, field := range slices.Sorted(maps.Keys(podFields(&corev1.Pod{}))) {
			choices = append(choices, choice{word: before + field + "="})
		}
		return choices
	}
	prefix, _ := cutLast(l.word, "=")
	return prefixed(prefix, c.fieldValues(ctx, l, strings.TrimSuffix(field, "!")))
}

func (c completer) fieldValues(ctx context.Context, l line, field string) []choice {
	switch field {
	case "metadata.namespace":
		return c.namespaces(ctx, l)
	case "spec.nodeName":
		return c.nodes(ctx, l)
	case "spec.restartPolicy":
		return words(corev1.RestartPolicyAlways, corev1.RestartPolicyNever, corev1.RestartPolicyOnFailure)
	case "spec.schedulerName":
		return c.profiles(ctx, l)
	case "status.phase":
		return words(corev1.PodPending, corev1.PodRunning, corev1.PodSucceeded, corev1.PodFailed, corev1.PodUnknown)
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
	options, err := flags.toOptions(ctx, &inputs{env: c.env})
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
	if slices.Equal(choices, words(corev1.DefaultSchedulerName)) {
		return append(words(upstream.OwnSchedulerName), choices...)
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

func words[T ~string](texts ...T) []choice {
	var choices []choice
	for _, text := range texts {
		choices = append(choices, choice{word: string(text)})
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
