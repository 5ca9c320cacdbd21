package reason

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	corelisters "k8s.io/client-go/listers/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// interPodAffinity names the Pods that keep this one away from a node, or tells where those are that it wants to be
// near. The plugin keeps counts only and stops at the first rule that fails: they are looked up anew, as
// interpodaffinity.InterPodAffinity.PreFilter and Filter do (v1.37.2).
func interPodAffinity(ctx context.Context, q Question) explain {
	rules, err := newPodRules(q)
	if err != nil {
		return nil
	}
	if rules.gather(ctx, q.Handle) != nil {
		return nil
	}
	return func(_ context.Context, r rejection) report.Details {
		if r.node == nil {
			return nil
		}
		if nominated := nominatedOn(q.Handle, r.node); len(nominated) > 0 {
			if details := rules.with(r.node.Node(), nominated).failing(r.node.Node()); len(details) > 0 {
				return details
			}
		}
		// Filters run with the nominated Pods and without: without them, affinity may lack a Pod.
		return rules.failing(r.node.Node())
	}
}

// podRules are the required terms that a Pod is judged by, with the Pods behind them.
type podRules struct {
	pod *corev1.Pod
	// namespaceLabels are those of the Pod's namespace, by which other Pods' terms may select it.
	namespaceLabels labels.Set
	// affinity and anti are the Pod's own terms.
	affinity, anti []*podRule
	// existing are other Pods' terms that match the Pod, each kind once.
	existing map[string]*podRule
	// first tells that the Pod would be the first of a series: it matches its own affinity and no other Pod does.
	first bool
	// byNode tells that terms about kubernetes.io/hostname are looked at node by node, where they can be.
	byNode     bool
	namespaces corelisters.NamespaceLister
}

func newPodRules(q Question) (*podRules, error) {
	namespaces := q.Handle.SharedInformerFactory().Core().V1().Namespaces().Lister()
	rules := &podRules{
		pod:        q.Pod,
		existing:   map[string]*podRule{},
		byNode:     utilfeature.DefaultFeatureGate.Enabled(features.InterPodAffinityHostnameFastPath),
		namespaces: namespaces,
	}
	if namespace, err := namespaces.Get(q.Pod.Namespace); err == nil {
		rules.namespaceLabels = namespace.Labels
	}
	affinity, err := ownTerms(q.Pod, fwk.GetPodAffinityTerms(q.Pod.Spec.Affinity), namespaces)
	if err != nil {
		return nil, err
	}
	anti, err := ownTerms(q.Pod, fwk.GetPodAntiAffinityTerms(q.Pod.Spec.Affinity), namespaces)
	if err != nil {
		return nil, err
	}
	for _, term := range affinity {
		rule := newPodRule(report.RuleAffinity, term, rules.byNode && allOnHost(affinity))
		rules.affinity = append(rules.affinity, rule)
	}
	for _, term := range anti {
		rules.anti = append(rules.anti, newPodRule(report.RuleAntiAffinity, term, rules.byNode && onHost(term)))
	}
	return rules, nil
}

// gather looks at the Pods of all nodes once; only at those with anti-affinity when the Pod has no terms of its own.
func (s *podRules) gather(ctx context.Context, handle fwk.Handle) error {
	infos := handle.SnapshotSharedLister().NodeInfos()
	repelling, err := infos.HavePodsWithRequiredAntiAffinityList()
	if err != nil {
		return err
	}
	for _, info := range repelling {
		s.addRepelling(info.Node(), info.GetPodsWithRequiredAntiAffinity())
	}
	if len(s.affinity)+len(s.anti) > 0 {
		all, err := infos.List()
		if err != nil {
			return err
		}
		s.addMatching(ctx, handle.Parallelizer(), all)
	}
	s.settle()
	return nil
}

// addRepelling adds the Pods whose anti-affinity matches the Pod.
func (s *podRules) addRepelling(node *corev1.Node, pods []fwk.PodInfo) {
	for _, info := range pods {
		for _, term := range info.GetRequiredAntiAffinityTerms() {
			if !term.Matches(s.pod, s.namespaceLabels) {
				continue
			}
			id := termID(term)
			if s.existing[id] == nil {
				selected, err := withNamespaces(term, s.namespaces)
				if err != nil {
					continue
				}
				s.existing[id] = newPodRule(report.RuleExistingAntiAffinity, selected, s.byNode && onHost(term))
			}
			s.existing[id].add(node, info.GetPod())
		}
	}
}

// addMatching adds the Pods that match the Pod's own terms.
func (s *podRules) addMatching(ctx context.Context, parallel fwk.Parallelizer, infos []fwk.NodeInfo) {
	found := make([][]match, len(infos))
	parallel.Until(ctx, len(infos), func(i int) { found[i] = s.matchesOf(infos[i].GetPods()) }, "InterPodAffinity")
	for i, info := range infos {
		s.addMatches(info.Node(), found[i])
	}
}

// match is a Pod that a term matches.
type match struct {
	rule *podRule
	pod  *corev1.Pod
}

// matchesOf finds the Pods that match the terms: one must match all terms of affinity to count for any of them, and
// only one of anti-affinity.
func (s *podRules) matchesOf(pods []fwk.PodInfo) []match {
	var found []match
	for _, info := range pods {
		pod := info.GetPod()
		if matchesAll(s.affinity, pod) {
			for _, rule := range s.affinity {
				found = append(found, match{rule, pod})
			}
		}
		for _, rule := range s.anti {
			if rule.matches(pod) {
				found = append(found, match{rule, pod})
			}
		}
	}
	return found
}

func (s *podRules) addMatches(node *corev1.Node, found []match) {
	for _, m := range found {
		m.rule.add(node, m.pod)
	}
}

// settle works out what depends on all Pods. A Pod on a node without the label counts for nothing, unless terms are
// looked at node by node (interpodaffinity's satisfiesSelfAffinityCheck, v1.37.2).
func (s *podRules) settle() {
	s.first = matchesAll(s.affinity, s.pod)
	for _, rule := range s.affinity {
		s.first = s.first && !rule.found()
		rule.elsewhere = rule.inhabited()
	}
}

// with returns the rules of one node as they are with more Pods on it.
func (s *podRules) with(node *corev1.Node, more []fwk.PodInfo) *podRules {
	out := *s
	out.existing = map[string]*podRule{}
	for id, rule := range s.existing {
		out.existing[id] = rule.at(node)
	}
	out.affinity, out.anti = rulesAt(s.affinity, node), rulesAt(s.anti, node)
	out.addRepelling(node, more)
	out.addMatches(node, out.matchesOf(more))
	for _, rule := range out.affinity {
		out.first = out.first && !rule.found()
	}
	return &out
}

func rulesAt(rules []*podRule, node *corev1.Node) []*podRule {
	out := make([]*podRule, 0, len(rules))
	for _, rule := range rules {
		out = append(out, rule.at(node))
	}
	return out
}
