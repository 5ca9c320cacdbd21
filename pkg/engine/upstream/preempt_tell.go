package upstream

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

func compareNodes(a, b NoCandidate) int { return strings.Compare(a.NodeName, b.NodeName) }

// tell adds to the answer what was found on the nodes. The node of the answer is the first candidate.
func (p *preemptor) tell(ctx context.Context, pod *corev1.Pod, f *found, answer *Preemption) error {
	p.askExtenders(pod, f)
	if answer.NodeName == "" {
		f.refuse(func(candidate) bool { return true }, NoCandidate{Obstacle: PreemptionFailed})
		answer.Obstacle = obstacleOf(f.others)
	} else {
		f.choose(answer)
	}
	budgets, err := p.namedBudgets()
	if err != nil {
		return err
	}
	answer.Others = f.others
	for _, c := range f.candidates {
		told := Candidate{NodeName: c.name, Victims: c.victims.Pods, Violations: c.victims.NumPDBViolations}
		// A candidate without violations has no victim that violates a budget. What an extender says of it is not known
		// to be true.
		if len(budgets) > 0 && (told.Violations > 0 || told.NodeName == answer.NodeName) {
			if err := p.nameBudgets(ctx, pod, budgets, &told); err != nil {
				return err
			}
		}
		answer.Candidates = append(answer.Candidates, told)
	}
	return nil
}

// choose makes the answer's node the first candidate, with the victims of the answer.
func (f *found) choose(answer *Preemption) {
	isChosen := func(c candidate) bool { return c.name == answer.NodeName }
	index := slices.IndexFunc(f.candidates, isChosen)
	if index < 0 { // an extender decided otherwise when it was asked about other nodes
		f.others = slices.DeleteFunc(f.others, func(o NoCandidate) bool { return o.NodeName == answer.NodeName })
		index, f.candidates = len(f.candidates), append(f.candidates, candidate{answer.NodeName, &extenderv1.Victims{}})
	}
	putFirst(f.candidates, index)
	f.candidates[0].victims = &extenderv1.Victims{
		Pods: answer.Victims, NumPDBViolations: f.candidates[0].victims.NumPDBViolations,
	}
}

// refuse makes others of some candidates; as says why.
func (f *found) refuse(refuses func(candidate) bool, as NoCandidate) {
	var left []candidate
	for _, c := range f.candidates {
		if refuses(c) {
			as.NodeName = c.name
			f.others = append(f.others, as)
		} else {
			left = append(left, c)
		}
	}
	f.candidates = left
	slices.SortFunc(f.others, compareNodes)
}

// askExtenders takes away the candidates that an extender refuses, as upstream's callExtenders (v1.37.2) does.
func (p *preemptor) askExtenders(pod *corev1.Pod, f *found) {
	for _, extender := range p.handle.Extenders() {
		if len(f.candidates) == 0 || !extender.SupportsPreemption() || !extender.IsInterested(pod) {
			continue
		}
		victims := make(map[string]*extenderv1.Victims, len(f.candidates))
		for _, c := range f.candidates {
			victims[c.name] = c.victims
		}
		left, err := extender.ProcessPreemption(pod, victims, p.handle.MutableSnapshotSharedLister().NodeInfos())
		if err != nil && extender.IsIgnorable() {
			continue
		}
		refused := func(c candidate) bool { return left[c.name] == nil || len(left[c.name].Pods) == 0 }
		f.refuse(refused, NoCandidate{Obstacle: ExtenderRejects, Plugin: extender.Name()})
		for i := range f.candidates {
			f.candidates[i].victims = left[f.candidates[i].name]
		}
		sortByRank(f.candidates)
	}
}
