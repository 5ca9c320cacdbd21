package reason

import (
	"slices"
	"strings"

	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// tree tells what is missing in the tree of groups that the named CompositePodGroup is part of. All of it has to be
// complete, from the root on (GangScheduling.checkCPGHierarchyReadiness and isCPGTreeReady, v1.37.2).
func (g podGroups) tree(name string) report.Details {
	root, problem := g.root(name)
	if problem != nil {
		return report.Details{problem}
	}
	walk := treeWalk{podGroups: g, seen: map[string]bool{}}
	walk.complete(root)
	return append(walk.composites, walk.groups[:min(maxNames, len(walk.groups))]...)
}

// root climbs to the CompositePodGroup that has no parent.
func (g podGroups) root(name string) (root string, problem report.Detail) {
	var path []string
	for {
		if slices.Contains(path, name) {
			slices.Sort(path)
			return "", report.PodGroupCycle{Namespace: g.namespace, Names: path}
		}
		group, err := g.manager.CompositePodGroups().Get(g.namespace, name)
		if err != nil {
			return "", g.missing(fwk.CompositePodGroupKeyType, name)
		}
		if group.Spec.ParentCompositePodGroupName == nil {
			return name, nil
		}
		path = append(path, name)
		name = *group.Spec.ParentCompositePodGroupName
	}
}

// treeWalk collects the groups of a tree that are not complete.
type treeWalk struct {
	podGroups
	seen               map[string]bool
	composites, groups report.Details
}

// complete tells whether the CompositePodGroup has enough complete children. Those that have not are collected, from
// the top down.
func (w *treeWalk) complete(name string) bool {
	group, err := w.manager.CompositePodGroups().Get(w.namespace, name)
	if w.seen[name] || err != nil {
		return false
	}
	w.seen[name] = true
	out := report.CompositePodGroupTooSmall{Namespace: w.namespace, Name: name, MinGroupCount: 1}
	if gang := group.Spec.SchedulingPolicy.Gang; gang != nil {
		out.MinGroupCount = int(gang.MinGroupCount)
	}
	at := len(w.composites)
	for _, child := range w.children(name) {
		out.Groups++
		if w.childComplete(child) {
			out.Complete++
		}
	}
	if out.Complete >= out.MinGroupCount {
		return true
	}
	w.composites = slices.Insert(w.composites, at, report.Detail(out))
	return false
}

func (w *treeWalk) childComplete(child fwk.EntityKey) bool {
	if child.Type == fwk.CompositePodGroupKeyType {
		return w.complete(child.Name)
	}
	group, err := w.manager.PodGroups().Get(w.namespace, child.Name)
	if err != nil {
		return false
	}
	size := w.size(group)
	if size.Missing > 0 {
		w.groups = append(w.groups, size)
	}
	return size.Missing == 0
}

func (w *treeWalk) children(name string) []fwk.EntityKey {
	state, err := w.manager.CompositePodGroupStates().Get(w.namespace, name)
	if err != nil {
		return nil
	}
	return slices.SortedFunc(slices.Values(state.GetChildren()), func(a, b fwk.EntityKey) int {
		return strings.Compare(a.String(), b.String())
	})
}
