package random

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
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
	b.even = b.chance(15)
	b.namespaces()
	b.workloads()
	b.nodes()
	b.storage()
	b.devices()
	b.running()
	b.nominated()
	b.budgets()
	b.priorityClasses()
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
	// even makes all nodes alike and few Pods run, so that nodes tie.
	even bool
	uids int
}

// The words of which clusters are made, sorted; few, so that labels, selectors, claims and ports meet.
var (
	zones      = []string{"a", "b", "c"}
	apps       = []string{"batch", "cache", "db", "web"}
	tiers      = []string{"front", "back"}
	namespaces = []string{"default", "infra", "shop"}
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
// priorityClasses are above, among and below the priorities of Pods.
func (b *builder) priorityClasses() {
	for name, value := range map[string]int32{"low": -5, "middle": 200, "high": 2000} {
		class := &schedulingv1.PriorityClass{Value: value}
		class.Name = name
		b.state.PriorityClasses = append(b.state.PriorityClasses, class)
	}
	slices.SortFunc(b.state.PriorityClasses, byName)
}

func (b *builder) uid() types.UID {
	b.uids++
	return types.UID(fmt.Sprintf("uid-%04d", b.uids))
}

// sort puts the lists that were not made in order into a State's order.
func (b *builder) sort() {
	slices.SortFunc(b.state.Pods, byName)
	slices.SortFunc(b.state.PersistentVolumes, byName)
	slices.SortFunc(b.state.ResourceClaims, byName)
	for _, kind := range cluster.Kinds {
		if !slices.IsSortedFunc(slices.Collect(kind.Objects(b.state)), byName) {
			panic(fmt.Sprintf("%s are made in no order: sort them", kind.Resource))
		}
	}
}

func byName[T cluster.Object](a, b T) int {
	return cmp.Or(strings.Compare(a.GetNamespace(), b.GetNamespace()), strings.Compare(a.GetName(), b.GetName()))
}
