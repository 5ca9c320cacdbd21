package random

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// Cluster is a cluster that was made up.
type Cluster struct {
	State *cluster.State
	// Pods are those to ask about. They wait for a node and are among the State's Pods, as any Pod of a cluster is.
	Pods []*corev1.Pod
}

// Options say how a cluster is made.
type Options struct {
	// Seed tells clusters apart.
	Seed uint64
	// Pods is how many there are to ask about.
	Pods int
}

// New makes a cluster up.
func New(options Options) *Cluster {
	b := &builder{source: newSource(options.Seed), state: &cluster.State{}}
	b.namespaces()
	b.workloads()
	b.nodes()
	b.storage()
	b.devices()
	b.running()
	b.nominated()
	b.budgets()
	var pods []*corev1.Pod
	for i := range options.Pods {
		pods = append(pods, b.asked(i))
	}
	b.state.Pods = append(b.state.Pods, pods...)
	b.sort()
	return &Cluster{State: b.state, Pods: pods}
}

// builder makes up one cluster, part by part.
type builder struct {
	source
	state *cluster.State
	// withDevices tells whether the cluster has devices: allocating them is slow, so most have none.
	withDevices bool
	uids        int
}

// The words of which clusters are made: few, so that labels, selectors, claims and ports meet.
var (
	zones      = []string{"a", "b", "c"}
	apps       = []string{"web", "db", "cache", "batch"}
	tiers      = []string{"front", "back"}
	namespaces = []string{"default", "shop", "infra"}
	priorities = []int32{-10, 0, 0, 0, 100, 100, 1000}
)

// epoch is when the first Pod started.
var epoch = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

func (b *builder) namespaces() {
	for i, name := range namespaces {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		namespace.Labels = map[string]string{corev1.LabelMetadataName: name, "team": []string{"red", "blue", "red"}[i]}
		b.state.Namespaces = append(b.state.Namespaces, namespace)
	}
}

// uid returns a UID of its own.
func (b *builder) uid() types.UID {
	b.uids++
	return types.UID(fmt.Sprintf("uid-%04d", b.uids))
}

func (b *builder) sort() {
	for _, kind := range cluster.Kinds {
		objects := slices.Collect(kind.Objects(b.state))
		sorted := slices.IsSortedFunc(objects, byName)
		if !sorted && kind.Kind != "Pod" {
			panic(fmt.Sprintf("a generator made %s out of order", kind.Resource))
		}
	}
	slices.SortFunc(b.state.Pods, func(a, b *corev1.Pod) int { return byName(a, b) })
}

func byName(a, b cluster.Object) int {
	return cmp.Or(strings.Compare(a.GetNamespace(), b.GetNamespace()), strings.Compare(a.GetName(), b.GetName()))
}
