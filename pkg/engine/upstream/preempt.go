package upstream

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
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
	// Message is upstream's text.
	Message string
	// Priority is the Pod's own.
	Priority int32
	// Obstacle is why the Pod would be nominated for no node; empty when it would.
	Obstacle Obstacle
	// WaitsFor are the Pods whose end is waited for (VictimTerminating), sorted by namespace and name.
	WaitsFor []*corev1.Pod
	// Candidates are the nodes on which preemption makes room, 1,000 or so at most, the chosen one first, then as
	// upstream ranks them; none when preemption is not tried.
	Candidates []Candidate
	// Others are the nodes that are no candidates; none when preemption is not tried.
	Others []NoCandidate
}

// Candidate is a node on which preemption makes room.
type Candidate struct {
	NodeName string
	// Victims are the Pods that would be evicted, the most important first.
	Victims []*corev1.Pod
	// Violations is upstream's count of evictions that no PodDisruptionBudget allows.
	Violations int64
	// Violating are those victims whose eviction a PodDisruptionBudget does not allow.
	Violating sets.Set[types.UID]
	// Budgets names, for each of those, the budgets that it would violate, sorted.
	Budgets map[types.UID][]string
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

// preempt runs the PostFilter plugins, as upstream's schedulingAlgorithm does, and tells what is behind their answer.
func (s *Scheduler) preempt(ctx context.Context, c cycle, fitError *framework.FitError) (*Preemption, error) {
	if !c.framework.HasPostFilterPlugins() {
		return nil, nil
	}
	statuses := fitError.Diagnosis.NodeToStatus
	preemptor := s.preemptors[c.framework.ProfileName()]
	found, err := preemptor.search(ctx, c, statuses)
	if err != nil {
		return nil, err
	}
	answer := s.postFilter(ctx, c, statuses, found)
	answer.Priority = corev1helpers.PodPriority(c.pod)
	switch {
	case answer.Obstacle == OtherPlugin:
	case found.tried:
		err = preemptor.tell(ctx, c.pod, found, answer)
	default:
		answer.Obstacle, answer.WaitsFor = found.obstacle, found.waitsFor
	}
	if err != nil {
		return nil, err
	}
	return answer, ctx.Err()
}

// postFilter runs the PostFilter plugins, after a search for candidates.
//
// The profile's own DefaultPreemption acts on a candidate when it finds one, and samples candidates from a random
// offset. So ours looks first, at all of them. When it finds one, the profile's plugins only see nodes that preemption
// cannot help: they tell whether an earlier PostFilter plugin ends the chain, and if none does, ours answers for the
// best node. When it finds none on any node, they see no more either, since they would only look at all nodes again.
func (s *Scheduler) postFilter(ctx context.Context, c cycle, statuses *framework.NodeToStatus, found *found,
) *Preemption {
	best, seen := found.best(), statuses
	if best != nil || found.inVain() {
		seen = framework.NewDefaultNodeToStatus()
	}
	_, status := c.framework.RunPostFilterPlugins(ctx, c.state, c.pod, seen)
	switch {
	case best == nil && found.inVain():
		return &Preemption{Message: s.preemptors[c.framework.ProfileName()].inVain(ctx, c, status, found)}
	case best == nil:
		return &Preemption{Message: status.Message()}
	}
	if status.Code() != fwk.Unschedulable {
		return &Preemption{Message: status.Message(), Obstacle: OtherPlugin}
	}
	if !s.extendersPreempt(c.pod) {
		only := framework.NewDefaultNodeToStatus()
		only.Set(best.name, statuses.Get(best.name))
		statuses = only
	}
	answer := s.preemptors[c.framework.ProfileName()].postFilter(ctx, c, statuses)
	if answer.NodeName == best.name {
		answer.Victims = best.victims.Pods
	}
	return answer
}

// extendersPreempt tells whether an extender has a say in preemption: then the best node is known only to PostFilter.
func (s *Scheduler) extendersPreempt(pod *corev1.Pod) bool {
	return slices.ContainsFunc(s.sched.Extenders, func(extender fwk.Extender) bool {
		return extender.SupportsPreemption() && extender.IsInterested(pod)
	})
}

// postFilter asks the plugin for one of the candidates that statuses leave, and says what it would do.
func (p *preemptor) postFilter(ctx context.Context, c cycle, statuses *framework.NodeToStatus) *Preemption {
	p.chosen = nil
	result, status := p.plugin.PostFilter(ctx, c.state, c.pod, statuses)
	out := &Preemption{Message: status.Message()}
	if !status.IsSuccess() || result == nil {
		return out
	}
	out.NodeName, out.Victims = result.NominatedNodeName, p.chosen
	slices.SortFunc(out.Victims, func(a, b *corev1.Pod) int {
		return cmp.Or(cmp.Compare(corev1helpers.PodPriority(b), corev1helpers.PodPriority(a)), compareNames(a, b))
	})
	return out
}

func compareNames(a, b *corev1.Pod) int {
	return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
}
