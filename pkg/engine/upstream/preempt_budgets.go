package upstream

import (
	"cmp"
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// budgets returns all PodDisruptionBudgets, sorted: upstream counts them in the order in which it gets them.
func (p *preemptor) budgets() ([]*policyv1.PodDisruptionBudget, error) {
	budgets, err := p.plugin.Evaluator.PdbLister.List(labels.Everything())
	slices.SortFunc(budgets, func(a, b *policyv1.PodDisruptionBudget) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	return budgets, err
}

// nameBudgets finds out which victims of a candidate break which budgets: upstream counts them only. It looks at all
// Pods of the node that the Pod may preempt, the most important first, as SelectVictimsOnNode (v1.37.2) does before it
// picks.
func (p *preemptor) nameBudgets(ctx context.Context, pod *corev1.Pod, budgets namedBudgets, of *Candidate) error {
	info, err := p.handle.SnapshotSharedLister().NodeInfos().Get(of.NodeName)
	if err != nil {
		return err
	}
	victims, err := p.victimsOn(ctx, pod, info)
	if err != nil {
		return err
	}
	of.Violating = sets.New[types.UID]()
	broken, _ := preemption.FilterVictimsWithPDBViolation(victims, budgets.objects())
	for _, victim := range broken {
		for _, info := range victim.Victim.Pods() {
			of.Violating.Insert(info.GetPod().UID)
		}
	}
	if of.Violating.Len() > 0 {
		of.Budgets = budgets.violatedBy(victims)
	}
	return nil
}

// namedBudgets are all budgets with their selectors made ready.
type namedBudgets []namedBudget

type namedBudget struct {
	object   *policyv1.PodDisruptionBudget
	selector labels.Selector
}

func (p *preemptor) namedBudgets() (namedBudgets, error) {
	objects, err := p.budgets()
	if err != nil {
		return nil, err
	}
	budgets := make(namedBudgets, 0, len(objects))
	for _, object := range objects {
		selector, err := metav1.LabelSelectorAsSelector(object.Spec.Selector)
		if err != nil {
			selector = labels.Nothing()
		}
		budgets = append(budgets, namedBudget{object, selector})
	}
	return budgets, nil
}

func (b namedBudgets) objects() []*policyv1.PodDisruptionBudget {
	objects := make([]*policyv1.PodDisruptionBudget, 0, len(b))
	for _, budget := range b {
		objects = append(objects, budget.object)
	}
	return objects
}

// violatedBy returns, for each Pod of the victims that violate budgets, the names of those, sorted. It counts as
// upstream's FilterVictimsWithPDBViolation (v1.37.2) does: a victim of several Pods violates what one of them violates.
func (b namedBudgets) violatedBy(victims []*preemption.DomainVictim) map[types.UID][]string {
	allowed := make([]int32, len(b))
	for i, budget := range b {
		allowed[i] = budget.object.Status.DisruptionsAllowed
	}
	names := map[types.UID][]string{}
	for _, victim := range victims {
		var violated []string
		for _, info := range victim.Pods() {
			violated = append(violated, b.evict(info.GetPod(), allowed)...)
		}
		if len(violated) == 0 {
			continue
		}
		slices.Sort(violated)
		violated = slices.Compact(violated)
		for _, info := range victim.Pods() {
			names[info.GetPod().UID] = violated
		}
	}
	return names
}

// evict counts one eviction and returns the budgets that it violates. Upstream stops counting at the first of them;
// those after it are violated too when they have nothing left.
func (b namedBudgets) evict(pod *corev1.Pod, allowed []int32) []string {
	var violated []string
	for i, budget := range b {
		if !budget.covers(pod) {
			continue
		}
		left := allowed[i] - 1
		if len(violated) == 0 {
			allowed[i] = left
		}
		if left < 0 {
			violated = append(violated, budget.object.Name)
		}
	}
	return violated
}

// covers tells whether the budget counts the eviction of a Pod, by the rules of FilterVictimsWithPDBViolation: one
// without a selector covers nothing, and what the API server has counted already is not counted again.
func (b namedBudget) covers(pod *corev1.Pod) bool {
	if b.object.Namespace != pod.Namespace || len(pod.Labels) == 0 {
		return false
	}
	_, counted := b.object.Status.DisruptedPods[pod.Name]
	return !counted && !b.selector.Empty() && b.selector.Matches(labels.Set(pod.Labels))
}
