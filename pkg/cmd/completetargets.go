package cmd

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// explainable are the Pods, those that wait first, and workloads that explain takes: NAME, TYPE/NAME and TYPE NAME.
func (c completer) explainable(ctx context.Context, l line) []choice {
	var types []choice
	for _, kind := range cluster.Kinds {
		if askable(kind) {
			types = append(types, choice{word: typeWord(kind, l.word) + "/"})
		}
	}
	return c.targets(ctx, l, types, func(catalog catalog, kind *cluster.Kind, namespace string) []choice {
		names := catalog.names(ctx, kind, namespace)
		if kind.Kind != "Pod" {
			return names
		}
		waiting := catalog.waiting(ctx, namespace, nil)
		return append(waiting, without(names, waiting)...)
	})
}

// bindable are the Pods that bind takes: those that wait for a scheduler whose profile there is, or, when a profile is
// given that judges them all, for any.
func (c completer) bindable(ctx context.Context, l line) []choice {
	types := []choice{{word: typeWord(cluster.KindOf(&corev1.Pod{}), l.word) + "/"}}
	return c.targets(ctx, l, types, func(catalog catalog, kind *cluster.Kind, namespace string) []choice {
		switch {
		case kind.Kind != "Pod":
			return nil
		case l.text("scheduler-name") != "":
			return catalog.waiting(ctx, namespace, nil)
		}
		return catalog.waiting(ctx, namespace, c.profiles(ctx, l))
	})
}

// targets completes NAME, TYPE/NAME and TYPE NAME. Names that stand on the line already are left out.
func (c completer) targets(ctx context.Context, l line, types []choice,
	names func(catalog catalog, kind *cluster.Kind, namespace string) []choice,
) []choice {
	kind, prefix := targetType(l)
	if kind == nil || selecting(l) {
		return nil
	}
	state := stateFlags{from: l.from()}
	namespace, err := state.toNamespace(c.config)
	if err != nil {
		return nil
	}
	found := names(c.catalog(ctx, l), kind, namespace.name)
	choices := prefixed(prefix, unnamed(found, kind, l.args))
	if prefix == "" && !isTyped(l) {
		choices = append(choices, types...)
	}
	return choices
}

// selecting tells whether flags choose the Pods, beside which no names may stand.
func selecting(l line) bool {
	return slices.ContainsFunc([]string{"all-namespaces", "field-selector", "pending", "selector"}, l.cmd.Flags().Changed)
}

// targetType is the kind of the names at the place, and what stands before the name in the word; nil when there is no
// such type.
func targetType(l line) (kind *cluster.Kind, prefix string) {
	typeName, _, slashed := strings.Cut(l.word, "/")
	switch {
	case slashed:
		prefix = typeName + "/"
	case isTyped(l):
		typeName = l.args[0]
	default:
		typeName = "pod"
	}
	kind, err := askedKind(typeName)
	if err != nil {
		return nil, ""
	}
	return kind, prefix
}

// isTyped tells whether the first argument is the TYPE of the names behind it, as parseTargets has it.
func isTyped(l line) bool {
	words := append(slices.Clone(l.args), l.word)
	if len(words) == 1 || strings.Contains(words[0], "/") || strings.Contains(words[1], "/") {
		return false
	}
	_, err := askedKind(words[0])
	return err == nil
}

// typeWord is the word for a kind that begins as what is typed: deployment, deployments, deploy.
func typeWord(kind *cluster.Kind, typed string) string {
	singular := strings.ToLower(kind.Kind)
	for _, word := range []string{singular, kind.Resource} {
		if strings.HasPrefix(word, typed) {
			return word
		}
	}
	for short, name := range shortNames {
		if name == kind.Kind && short == typed {
			return short
		}
	}
	return singular
}

// unnamed are the choices of a kind that no argument names.
func unnamed(choices []choice, kind *cluster.Kind, args []string) []choice {
	named, err := parseTargets(args)
	if err != nil {
		return choices
	}
	return slices.DeleteFunc(choices, func(c choice) bool { return slices.Contains(named, target{kind, c.word}) })
}

// without are the choices whose words are not among the others'.
func without(choices, others []choice) []choice {
	taken := map[string]bool{}
	for _, other := range others {
		taken[other.word] = true
	}
	return slices.DeleteFunc(choices, func(c choice) bool { return taken[c.word] })
}
