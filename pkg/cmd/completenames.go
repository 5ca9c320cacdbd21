package cmd

import (
	"cmp"
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
)

// catalog tells the names of objects, sorted. What cannot be read has none.
type catalog interface {
	// names are those of a kind; of one that is namespaced, those of the namespace.
	names(ctx context.Context, kind *cluster.Kind, namespace string) []choice
	// waiting are the Pods of the namespace that wait for a node, and for one of the schedulers unless that is nil.
	waiting(ctx context.Context, namespace string, schedulers []choice) []choice
	namespaces(ctx context.Context) []choice
}

// catalog is that of the files of --from or, without them, of the cluster.
func (c completer) catalog(ctx context.Context, l line) catalog {
	if paths := l.from(); len(paths) > 0 {
		return newSavedCatalog(ctx, paths)
	}
	config, err := c.config.ToRESTConfig()
	if err != nil {
		return emptyCatalog()
	}
	return newLiveCatalog(config)
}

func (c completer) namespaces(ctx context.Context, l line) []choice {
	return c.catalog(ctx, l).namespaces(ctx)
}

func (c completer) nodes(ctx context.Context, l line) []choice {
	return c.catalog(ctx, l).names(ctx, cluster.KindOf(&corev1.Node{}), "")
}

// nodePairs are nodes for the first of a pair, then nodes other than the first.
func (c completer) nodePairs(ctx context.Context, l line) []choice {
	nodes := c.nodes(ctx, l)
	before, _ := cutLast(l.word, ",")
	if before == "" {
		for i := range nodes {
			nodes[i].word += ","
		}
		return nodes
	}
	nodes = slices.DeleteFunc(nodes, func(node choice) bool { return node.word+"," == before })
	return prefixed(before, nodes)
}

// savedCatalog is that of files.
type savedCatalog struct{ state *cluster.State }

func emptyCatalog() savedCatalog { return savedCatalog{new(cluster.State)} }

func newSavedCatalog(ctx context.Context, paths []string) savedCatalog {
	if !rereadable(paths...) {
		return emptyCatalog()
	}
	files, err := new(inputs).files("--from", paths, true)
	if err != nil {
		return emptyCatalog()
	}
	state, err := cluster.ReadFiles(ctx, files)
	if err != nil {
		return emptyCatalog()
	}
	return savedCatalog{state}
}

func (s savedCatalog) names(_ context.Context, kind *cluster.Kind, namespace string) []choice {
	var choices []choice
	for object := range kind.Objects(s.state) {
		if object.GetNamespace() == namespace {
			choices = append(choices, choice{object.GetName(), savedNote(object)})
		}
	}
	return choices
}

func (s savedCatalog) waiting(_ context.Context, namespace string, schedulers []choice) []choice {
	var choices []choice
	for _, pod := range s.state.Pods {
		scheduler := choice{word: cmp.Or(pod.Spec.SchedulerName, corev1.DefaultSchedulerName)}
		served := schedulers == nil || slices.Contains(schedulers, scheduler)
		if served && pod.Namespace == namespace && engine.IsPending(pod) {
			choices = append(choices, choice{pod.Name, savedNote(pod)})
		}
	}
	return choices
}

// namespaces are those of the file and, because they are often not saved, those of the Pods in it.
func (s savedCatalog) namespaces(context.Context) []choice {
	names := map[string]bool{}
	for _, namespace := range s.state.Namespaces {
		names[namespace.Name] = true
	}
	for _, pod := range s.state.Pods {
		names[pod.Namespace] = true
	}
	return sortedNames(names)
}

// savedNote says of a Pod what kubectl says of its status, and of a node where it is.
func savedNote(object cluster.Object) string {
	switch object := object.(type) {
	case *corev1.Node:
		return object.Labels[corev1.LabelTopologyZone]
	case *corev1.Pod:
		if engine.IsPending(object) && len(object.Spec.SchedulingGates) > 0 {
			return "SchedulingGated"
		}
		return string(object.Status.Phase)
	}
	return ""
}
