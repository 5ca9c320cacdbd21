package upstream

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	plfeature "k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// Preemption is what the PostFilter plugins would do.
type Preemption struct {
	// NodeName is the node the Pod would be nominated for; empty when preemption does not help.
	NodeName string
	// Victims are the Pods that would be evicted, the most important first.
	Victims []*corev1.Pod
	// Violating are those victims whose eviction a PodDisruptionBudget does not allow.
	Violating sets.Set[types.UID]
	// Message is upstream's text.
	Message string
}

// preemptor is a DefaultPreemption plugin of ours that looks at every candidate and evicts nobody.
type preemptor struct {
	plugin *defaultpreemption.DefaultPreemption
	handle framework.Framework

	// chosen are the victims of the last PostFilter, as far as they are not being deleted already.
	mu     sync.Mutex
	chosen []*corev1.Pod
}

// buildPreemptors makes a preemptor for every profile that preempts.
func (s *Scheduler) buildPreemptors(ctx context.Context) error {
	s.preemptors = map[string]*preemptor{}
	for name, profile := range s.profiles {
		fw := s.sched.Profiles[name]
		isDefault := func(plugin schedulerapi.Plugin) bool { return plugin.Name == defaultpreemption.Name }
		if !slices.ContainsFunc(fw.ListPlugins().PostFilter.Enabled, isDefault) {
			continue
		}
		preemptor, err := newPreemptor(ctx, fw, profile.PluginConfig)
		if err != nil {
			return fmt.Errorf("building the scheduler: profile %q: %w", name, err)
		}
		s.preemptors[name] = preemptor
	}
	return nil
}

func newPreemptor(ctx context.Context, fw framework.Framework, configs []schedulerapi.PluginConfig) (
	*preemptor, error,
) {
	var args *schedulerapi.DefaultPreemptionArgs
	for _, config := range configs {
		if known, ok := config.Args.(*schedulerapi.DefaultPreemptionArgs); ok {
			args = known
		}
	}
	features := plfeature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
	features.EnableAsyncPreemption = false // so that PostFilter leaves no goroutine behind
	plugin, err := defaultpreemption.New(ctx, args, fw, features)
	if err != nil {
		return nil, err
	}
	p := &preemptor{plugin: plugin, handle: fw}
	plugin.Executor.PreemptPod = func(_ context.Context, _ preemption.Candidate, _ preemption.ExecutorPreemptor,
		victim *corev1.Pod, _ string,
	) (bool, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.chosen = append(p.chosen, victim)
		return true, nil
	}
	return p, nil
}

// postFilter asks the plugin for one of the candidates that statuses leave, and says what it would do.
func (p *preemptor) postFilter(ctx context.Context, c cycle, statuses *framework.NodeToStatus) (*Preemption, error) {
	p.chosen = nil
	result, status := p.plugin.PostFilter(ctx, c.state, c.pod, statuses)
	out := &Preemption{Message: status.Message()}
	if !status.IsSuccess() || result == nil {
		return out, nil
	}
	out.NodeName, out.Victims = result.NominatedNodeName, p.chosen
	slices.SortFunc(out.Victims, func(a, b *corev1.Pod) int {
		return cmp.Or(cmp.Compare(corev1helpers.PodPriority(b), corev1helpers.PodPriority(a)),
			strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	var err error
	out.Violating, err = p.violating(ctx, c.pod, out.NodeName)
	return out, err
}

// preempt runs the PostFilter plugins, as upstream's schedulingAlgorithm does.
//
// The profile's own DefaultPreemption acts on a candidate when it finds one, and samples candidates from a random
// offset. So ours looks first, at all of them. When it finds one, the profile's plugins only see nodes that preemption
// cannot help: they tell whether an earlier PostFilter plugin ends the chain, and if none does, ours answers for the
// best node.
func (s *Scheduler) preempt(ctx context.Context, c cycle, fitError *framework.FitError) (*Preemption, error) {
	if !c.framework.HasPostFilterPlugins() {
		return nil, nil
	}
	statuses := fitError.Diagnosis.NodeToStatus
	preemptor := s.preemptors[c.framework.ProfileName()]
	best, err := preemptor.best(ctx, c, statuses)
	if err != nil {
		return nil, err
	}
	seen := statuses
	if best != nil {
		seen = framework.NewDefaultNodeToStatus()
	}
	_, status := c.framework.RunPostFilterPlugins(ctx, c.state, c.pod, seen)
	if best == nil || status.Code() != fwk.Unschedulable {
		return &Preemption{Message: status.Message()}, ctx.Err()
	}
	if !s.extendersPreempt(c.pod) {
		only := framework.NewDefaultNodeToStatus()
		only.Set(best.Name(), statuses.Get(best.Name()))
		statuses = only
	}
	answer, err := preemptor.postFilter(ctx, c, statuses)
	if err != nil {
		return nil, err
	}
	if answer.NodeName == best.Name() {
		answer.Victims = best.Victims().Pods
	}
	return answer, ctx.Err()
}

// extendersPreempt tells whether an extender has a say in preemption: then the best node is known only to PostFilter.
func (s *Scheduler) extendersPreempt(pod *corev1.Pod) bool {
	return slices.ContainsFunc(s.sched.Extenders, func(extender fwk.Extender) bool {
		return extender.SupportsPreemption() && extender.IsInterested(pod)
	})
}

// best is the candidate that kube-scheduler would choose if it looked at all; among equal ones the first by name, where
// kube-scheduler chooses at random. It is nil when preemption does not help, and when the profile does not preempt.
func (p *preemptor) best(ctx context.Context, c cycle, statuses *framework.NodeToStatus) (preemption.Candidate, error) {
	if p == nil {
		return nil, nil
	}
	eligible, _ := p.plugin.PodEligibleToPreemptOthers(ctx, c.pod, statuses.Get(c.pod.Status.NominatedNodeName))
	if !eligible {
		return nil, nil
	}
	nodes, err := statuses.NodesForStatusCode(p.handle.SnapshotSharedLister().NodeInfos(), fwk.Unschedulable)
	if err != nil || len(nodes) == 0 {
		return nil, err
	}
	budgets, err := p.budgets()
	if err != nil {
		return nil, err
	}
	// Errors on single nodes leave those nodes out, as upstream does while there are other candidates; with none left,
	// PostFilter itself reports the error.
	candidates, _, _ := p.plugin.Evaluator.DryRunPreemption(ctx, c.state, c.pod, nodes, budgets, 0,
		int32(min(len(nodes), math.MaxInt32)))
	if len(candidates) == 0 {
		return nil, ctx.Err()
	}
	chosen := p.plugin.Evaluator.SelectCandidate(ctx, candidates)
	return firstEqual(candidates, chosen), ctx.Err()
}

func (p *preemptor) budgets() ([]*policyv1.PodDisruptionBudget, error) {
	budgets, err := p.plugin.Evaluator.PdbLister.List(labels.Everything())
	slices.SortFunc(budgets, func(a, b *policyv1.PodDisruptionBudget) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	return budgets, err
}

// violating finds out which victims break a budget: upstream counts them only. It groups all Pods of the node that the
// Pod may preempt, most important first, as SelectVictimsOnNode (v1.37.2) does before it picks.
func (p *preemptor) violating(ctx context.Context, pod *corev1.Pod, node string) (sets.Set[types.UID], error) {
	info, err := p.handle.SnapshotSharedLister().NodeInfos().Get(node)
	if err != nil {
		return nil, err
	}
	victims, err := p.plugin.Evaluator.GetVictimsOnNode(ctx, info)
	if err != nil {
		return nil, err
	}
	victims = slices.DeleteFunc(victims, func(victim *preemption.DomainVictim) bool {
		return victim.Priority() >= corev1helpers.PodPriority(pod)
	})
	slices.SortFunc(victims, func(a, b *preemption.DomainVictim) int {
		switch {
		case p.plugin.MoreImportantVictim(a, b):
			return -1
		case p.plugin.MoreImportantVictim(b, a):
			return 1
		}
		return 0
	})
	budgets, err := p.budgets()
	if err != nil {
		return nil, err
	}
	uids := sets.New[types.UID]()
	broken, _ := preemption.FilterVictimsWithPDBViolation(victims, budgets)
	for _, victim := range broken {
		for _, info := range victim.Victim.Pods() {
			uids.Insert(info.GetPod().UID)
		}
	}
	return uids, nil
}
