package fix

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/pkg/whatif"
)

// Situation is a Pod that fits nowhere, and what is known of it.
type Situation struct {
	Pod         *corev1.Pod
	State       *cluster.State
	Explanation *report.Explanation
	// Settled tells that no other Pod may be moved: of the cluster not all is seen, such as the Pods of a DaemonSet that
	// is asked about.
	Settled bool
	// PodsOn returns the Pods that take room on a node.
	PodsOn func(node string) []*corev1.Pod
}

// Plan is one change, or two at once, that may make the Pod fit.
type Plan struct{ changes []change }

// change is one change of one object.
type change struct {
	// key is the same for changes that do the same.
	key  string
	text string
	// effort says how much is asked, compared with others: people think twice about what is large.
	effort effort
	// kind, namespace and name are the object's; the Pod's own are left empty.
	kind, namespace, name string
	// command is what does it, for changes of the cluster, where kubectl has a verb for it.
	command string

	pod      func(*corev1.Pod)
	node     func(*corev1.Node)
	newNode  *corev1.Node
	csiNode  *storagev1.CSINode // the new node's
	gone     *corev1.Pod
	claims   []*corev1.PersistentVolumeClaim
	class    *storagev1.StorageClass
	moves    bool
	preempts bool
}

// effort ranks changes. What lies between two values tells more and less of the same apart.
type effort float64

const (
	uncordonNode     effort = 1
	removeGates      effort = 2
	addToleration    effort = 3
	createObject     effort = 4
	lowerRequest     effort = 5 // to 6
	relaxSpread      effort = 7
	relaxAffinity    effort = 8
	dropPort         effort = 9
	labelNode        effort = 10
	untaintNode      effort = 11
	movePod          effort = 12
	addNode          effort = 14
	raisePriority    effort = 15
	perAdditionalOne effort = 20 // so that one change comes before two
)

func (p Plan) effort() effort {
	sum := effort(len(p.changes)-1) * perAdditionalOne
	for _, c := range p.changes {
		sum += c.effort
	}
	return sum
}

// Key tells the Plan apart from others.
func (p Plan) Key() string {
	return strings.Join(slices.Sorted(slices.Values(p.Keys())), " + ")
}

// Size is how many changes the Plan makes at once.
func (p Plan) Size() int { return len(p.changes) }

// Kinds are what kinds of things the Plan changes, sorted.
func (p Plan) Kinds() []string {
	kinds := p.Keys()
	for i, key := range kinds {
		kinds[i], _, _ = strings.Cut(key, " ")
	}
	slices.Sort(kinds)
	return kinds
}

// Kind is the same for Plans that change the same kinds of things.
func (p Plan) Kind() string { return strings.Join(p.Kinds(), " ") }

// Keys tell the Plan's changes apart from others.
func (p Plan) Keys() []string {
	keys := make([]string, 0, len(p.changes))
	for _, c := range p.changes {
		keys = append(keys, c.key)
	}
	return keys
}

// Pod returns the Pod as the Plan would have it.
func (p Plan) Pod(pod *corev1.Pod) *corev1.Pod {
	out := pod.DeepCopy()
	for _, c := range p.changes {
		if c.pod != nil {
			c.pod(out)
		}
	}
	return out
}

// Edit returns what the Plan changes of the cluster.
func (p Plan) Edit(state *cluster.State) whatif.Edit {
	var edit whatif.Edit
	nodes := map[string]*corev1.Node{}
	for _, c := range p.changes {
		switch {
		case c.node != nil:
			if nodes[c.name] == nil {
				nodes[c.name] = nodeNamed(state, c.name).DeepCopy()
				edit.Nodes = append(edit.Nodes, nodes[c.name])
			}
			c.node(nodes[c.name])
		case c.newNode != nil:
			edit.Nodes = append(edit.Nodes, c.newNode)
			if c.csiNode != nil {
				edit.CSINodes = append(edit.CSINodes, c.csiNode)
			}
		case c.gone != nil:
			edit.Gone = append(edit.Gone, c.gone)
		case len(c.claims) > 0:
			edit.VolumeClaims = append(edit.VolumeClaims, c.claims...)
		case c.class != nil:
			edit.StorageClasses = append(edit.StorageClasses, c.class)
		}
	}
	return edit
}

func nodeNamed(state *cluster.State, name string) *corev1.Node {
	i, found := slices.BinarySearchFunc(state.Nodes, name, func(node *corev1.Node, name string) int {
		return strings.Compare(node.Name, name)
	})
	if !found {
		return nil
	}
	return state.Nodes[i]
}

// Moved are the running Pods that have to find another node than the one they have.
func (p Plan) Moved() []*corev1.Pod {
	var pods []*corev1.Pod
	for _, c := range p.changes {
		if c.moves {
			pods = append(pods, c.gone)
		}
	}
	return pods
}

// Preempting tells that the Pod would not fit by itself: kube-scheduler would evict Pods for it.
func (p Plan) Preempting() bool {
	return slices.ContainsFunc(p.changes, func(c change) bool { return c.preempts })
}

// Sort puts the smallest first.
func Sort(plans []Plan) {
	slices.SortStableFunc(plans, func(a, b Plan) int {
		return cmp.Or(cmp.Compare(a.effort(), b.effort()), strings.Compare(a.Key(), b.Key()))
	})
}
