package engine

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine/fix"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/pkg/whatif"
)

// maxTrials is how many changes are tried for one Pod at most. Each costs what a scheduling cycle costs.
const maxTrials = 64

// fixes fills in changes that make the Pod fit, the smallest first: as many as Options.Fixes asks for. Each was tried
// on copies of what it changes.
func (e *Engine) fixes(ctx context.Context, subject upstream.Subject, out *report.Explanation) error {
	if e.fixCount < 1 || out.Verdict != report.Unschedulable && out.Verdict != report.Gated || len(out.Nodes) == 0 {
		return nil
	}
	trial, err := e.scheduler.Trial(ctx, out.Profile)
	if err != nil {
		return err
	}
	search := &search{engine: e, trial: trial, subject: subject, found: map[string]*report.Fix{},
		situation: fix.Situation{
			Pod: subject.Pod, State: e.state, Explanation: out, PodsOn: e.scheduler.PodsOn,
		}}
	for _, plan := range fix.Plans(search.situation) {
		if len(search.plans) == e.fixCount || out.FixesTried == maxTrials {
			break
		}
		if search.pointless(plan) {
			continue
		}
		out.FixesTried++
		search.try(ctx, plan)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	fix.Sort(search.plans)
	for _, plan := range search.plans {
		out.Fixes = append(out.Fixes, *search.found[plan.Key()])
	}
	return nil
}

// search is the search for fixes of one Pod.
type search struct {
	engine    *Engine
	trial     *upstream.Trial
	subject   upstream.Subject
	situation fix.Situation
	// plans are those that worked, and found is what became of them, by key.
	plans []fix.Plan
	found map[string]*report.Fix
}

// pointless tells of a plan that does more than one that worked already.
func (s *search) pointless(plan fix.Plan) bool {
	return slices.ContainsFunc(s.plans, func(worked fix.Plan) bool {
		return worked.Size() == 1 && slices.Contains(plan.Keys(), worked.Key())
	})
}

// try tries a plan and keeps it if it works. One on which a plugin fails does not, and neither does one that opens
// nothing that a smaller plan of its kind does not open.
func (s *search) try(ctx context.Context, plan fix.Plan) {
	worked, err := s.carryOut(ctx, plan)
	if err != nil || worked == nil {
		return
	}
	for _, other := range s.plans {
		if other.Kind() == plan.Kind() && !slices.ContainsFunc(worked.Nodes, func(node string) bool {
			return !slices.Contains(s.found[other.Key()].Nodes, node)
		}) {
			return
		}
	}
	s.plans = append(s.plans, plan)
	s.found[plan.Key()] = worked
}

// carryOut carries a plan out on copies and returns it if the Pod fits then.
func (s *search) carryOut(ctx context.Context, plan fix.Plan) (*report.Fix, error) {
	subject := s.subject
	subject.Pod = plan.Pod(subject.Pod)
	var nodes []string
	var victims []*corev1.Pod
	var err error
	if plan.Preempting {
		var node string
		if node, victims, err = s.trial.Preempts(ctx, subject); node != "" {
			nodes = []string{node}
		}
	} else {
		nodes, err = s.trial.Fits(ctx, subject, plan.Edit(s.engine.state))
	}
	if err != nil || len(nodes) == 0 {
		return nil, err
	}
	if plan.Moved != nil {
		if elsewhere, err := s.engine.fitsElsewhere(ctx, plan.Moved); err != nil || !elsewhere {
			return nil, err
		}
	}
	worked, err := plan.Report(s.situation)
	if err != nil {
		return nil, err
	}
	worked.Nodes = nodes
	for _, victim := range victims {
		worked.Victims = append(worked.Victims, report.Victim{Namespace: victim.Namespace, Name: victim.Name,
			Priority: corev1helpers.PodPriority(victim)})
	}
	return &worked, nil
}

// fitsElsewhere tells whether a Pod that has to leave its node finds another.
func (e *Engine) fitsElsewhere(ctx context.Context, pod *corev1.Pod) (bool, error) {
	trial, err := e.scheduler.Trial(ctx, e.profileOf(pod))
	if err != nil {
		return false, err
	}
	nodes, err := trial.Fits(ctx, upstream.Subject{Pod: unbound(pod)}, whatif.Edit{Gone: []*corev1.Pod{pod}})
	return slices.ContainsFunc(nodes, func(node string) bool { return node != pod.Spec.NodeName }), err
}
