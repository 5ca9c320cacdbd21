package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine/fix"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/pkg/whatif"
)

const (
	// maxTrials is how many changes are tried for one Pod at most, and minTrials how many are tried all the same on a
	// cluster of any size.
	maxTrials, minTrials = 64, 12
	// trialNodes is how many nodes are looked at in all those trials: each looks at every node, as a scheduling cycle
	// does.
	trialNodes = 60_000
)

// searchEnded begins the warning that a search for fixes could not go on.
const searchEnded = "not all changes were tried: "

// trials is how many changes are tried for one Pod.
func (e *Engine) trials() int {
	return min(max(trialNodes/max(len(e.state.Nodes), 1), minTrials), maxTrials)
}

// fixes fills in changes that make the Pod fit, the smallest first: as many as Options.Fixes asks for. Each was tried
// on copies of what it changes.
func (e *Engine) fixes(ctx context.Context, subject upstream.Subject, out *report.Explanation) error {
	waits := out.Verdict == report.Unschedulable || out.Verdict == report.Gated
	if e.fixCount < 1 || !waits || len(out.Nodes) == 0 || subject.Pod.DeletionTimestamp != nil {
		return nil
	}
	trial, err := e.scheduler.Trial(ctx, out.Profile)
	if err != nil {
		return err
	}
	search := &search{
		engine: e, trial: trial, subject: subject, valid: upstream.Valid(ctx, subject.Pod), found: map[string]*report.Fix{},
		situation: fix.Situation{
			Pod: subject.Pod, State: e.state, Explanation: out, PodsOn: e.scheduler.PodsOn,
			Settled: out.Metadata.Kind == "daemonset.apps",
		},
	}
	out.FixesTried, err = search.run(ctx)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil: // the verdict stands without fixes
		out.Warnings = append(out.Warnings, searchEnded+err.Error())
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
	// valid tells whether the API server would take the Pod as it is; then it must take a changed one too.
	valid bool
	// plans are those that worked, and found is what became of them, by key.
	plans []fix.Plan
	found map[string]*report.Fix
}

// run tries plans until there are fixes enough, and returns how many it tried.
func (s *search) run(ctx context.Context) (tried int, err error) {
	for _, plan := range fix.Plans(s.situation) {
		if len(s.plans) == s.engine.fixCount || tried == s.engine.trials() {
			break
		}
		if s.pointless(plan) {
			continue
		}
		tried++
		if err := s.try(ctx, plan); err != nil {
			return tried, err
		}
	}
	return tried, nil
}

// pointless tells of a plan that does more than one that worked already: it changes something else besides.
func (s *search) pointless(plan fix.Plan) bool {
	return plan.Size() > 1 && slices.ContainsFunc(s.plans, func(worked fix.Plan) bool {
		return worked.Size() == 1 && slices.Contains(plan.Kinds(), worked.Kind())
	})
}

// try tries a plan and keeps it if it works. One that opens nothing that a smaller plan of its kind does not open is
// left out.
func (s *search) try(ctx context.Context, plan fix.Plan) error {
	worked, err := s.carryOut(ctx, plan)
	if err != nil || worked == nil {
		return cmp.Or(ctx.Err(), err)
	}
	for _, other := range s.plans {
		if other.Kind() == plan.Kind() && !slices.ContainsFunc(worked.Nodes, func(node string) bool {
			return !slices.Contains(s.found[other.Key()].Nodes, node)
		}) {
			return nil
		}
	}
	s.plans = append(s.plans, plan)
	s.found[plan.Key()] = worked
	return nil
}

// carryOut carries a plan out on copies and returns it if the Pod fits then.
func (s *search) carryOut(ctx context.Context, plan fix.Plan) (*report.Fix, error) {
	subject := s.subject
	subject.Pod = plan.Pod(subject.Pod)
	if s.valid && !upstream.Valid(ctx, subject.Pod) {
		return nil, nil
	}
	worked, err := plan.Report(s.situation)
	if err != nil {
		return nil, err
	}
	if plan.Preempting() {
		answer, err := s.trial.Preempts(ctx, subject)
		if err != nil || answer == nil || answer.NodeName == "" || evictsSiblings(subject.Pod, answer.Victims) {
			return nil, ignored(err)
		}
		worked.Nodes, worked.Victims = []string{answer.NodeName}, victims(&answer.Candidates[0])
		return &worked, nil
	}
	edit := plan.Edit(s.engine.state)
	if worked.Nodes, err = s.trial.Fits(ctx, subject, edit); err == nil && len(worked.Nodes) > 0 && len(plan.Moved()) > 0 {
		return s.carryMoveOut(ctx, plan, subject, &worked)
	}
	if err != nil || len(worked.Nodes) == 0 {
		return nil, ignored(err)
	}
	return &worked, nil
}

// maxTargets is on how many nodes a Pod that is moved is put, one after the other, until both have a place.
const maxTargets = 3

// carryMoveOut puts the Pod that is moved where it would fit, and keeps the plan if there is room for both then.
func (s *search) carryMoveOut(ctx context.Context, plan fix.Plan, subject upstream.Subject, worked *report.Fix) (
	*report.Fix, error,
) {
	targets, err := s.engine.otherNodes(ctx, plan.Moved()[0])
	if err != nil {
		return nil, ignored(err)
	}
	for _, target := range targets[:min(len(targets), maxTargets)] {
		moved := unbound(plan.Moved()[0])
		moved.Spec.NodeName = target
		edit := plan.Edit(s.engine.state).And(whatif.Edit{Placed: []*corev1.Pod{moved}})
		if worked.Nodes, err = s.trial.Fits(ctx, subject, edit); err != nil {
			return nil, ignored(err)
		}
		if len(worked.Nodes) > 0 {
			worked.Change += fmt.Sprintf(" (%s would fit on %s)", moved.Name, target)
			for i := range worked.Steps {
				step := &worked.Steps[i]
				if step.Delete && step.Namespace == moved.Namespace && step.Name == moved.Name {
					step.MovesTo = target
				}
			}
			return worked, nil
		}
	}
	return nil, nil
}

// evictsSiblings tells whether a Pod would push out others of its own workload, which gains nothing.
func evictsSiblings(pod *corev1.Pod, victims []*corev1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	return owner != nil && slices.ContainsFunc(victims, func(victim *corev1.Pod) bool {
		other := metav1.GetControllerOf(victim)
		return other != nil && other.UID == owner.UID && other.Name == owner.Name && victim.Namespace == pod.Namespace
	})
}

// ignored are the errors that end a trial and not the search: a plugin that fails on a change tells nothing of it, and
// a Pod whose profile is not known is not moved.
func ignored(err error) error {
	if errors.Is(err, upstream.ErrPluginFailed) || errors.Is(err, upstream.ErrNoProfile) {
		return nil
	}
	return err
}

// otherNodes are those that would take a Pod that has to leave its node, sorted.
func (e *Engine) otherNodes(ctx context.Context, pod *corev1.Pod) ([]string, error) {
	trial, err := e.scheduler.Trial(ctx, e.profileOf(pod))
	if err != nil {
		return nil, err
	}
	nodes, err := trial.Fits(ctx, upstream.Subject{Pod: unbound(pod)}, whatif.Edit{Gone: []*corev1.Pod{pod}})
	return slices.DeleteFunc(nodes, func(node string) bool { return node == pod.Spec.NodeName }), err
}
