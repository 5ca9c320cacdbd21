package reason

import (
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	plfeature "k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// spreadConstraint is a constraint and the Pods it counts.
type spreadConstraint struct {
	key        string
	selector   labels.Selector
	maxSkew    int
	minDomains int
	policies   policies
	defaulted  bool
	// self is 1 when the Pod matches the selector.
	self    int
	domains map[string]*spreadDomain
	// floors are the lowest counts under all policies, without nominated Pods.
	floors [allPolicies]floor
	// lowest are the domains that hold the lowest count, sorted; closed are their nodes when none can take the Pod.
	lowest, closed []string
}

// spreadDomain is what was counted in one domain.
type spreadDomain struct {
	// nodes and matching are numbers of nodes, and of matching Pods on them, under all policies.
	nodes, matching [allPolicies]int
	// open tells that one of the nodes can take the Pod; closed are the names of the others.
	open   bool
	closed []string
}

// floor is the lowest number of matching Pods in a domain, and the number of domains.
type floor struct{ minimum, domains int }

// spreadConstraints reads the constraints that can reject a node, as podtopologyspread.PodTopologySpread.getConstraints
// does (v1.37.2); none when they cannot be read, on which the plugin fails.
func spreadConstraints(q Question) []*spreadConstraint {
	if len(q.Pod.Spec.TopologySpreadConstraints) > 0 {
		return readConstraints(q.Pod, q.Pod.Spec.TopologySpreadConstraints)
	}
	args, ok := q.Args[names.PodTopologySpread].(*config.PodTopologySpreadArgs)
	if !ok || args.DefaultingType == config.SystemDefaulting { // those never reject
		return nil
	}
	informers := q.Handle.SharedInformerFactory()
	selector := helper.DefaultSelector(q.Pod, informers.Core().V1().Services().Lister(),
		informers.Core().V1().ReplicationControllers().Lister(), informers.Apps().V1().ReplicaSets().Lister(),
		informers.Apps().V1().StatefulSets().Lister())
	if selector.Empty() {
		return nil
	}
	constraints := readConstraints(q.Pod, args.DefaultConstraints)
	for _, c := range constraints {
		c.selector, c.defaulted = selector, true
		c.self = matches(selector, q.Pod)
	}
	return constraints
}

func readConstraints(pod *corev1.Pod, constraints []corev1.TopologySpreadConstraint) []*spreadConstraint {
	gates := plfeature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
	var out []*spreadConstraint
	for _, constraint := range constraints {
		if constraint.WhenUnsatisfiable != corev1.DoNotSchedule {
			continue
		}
		selector, err := metav1.LabelSelectorAsSelector(constraint.LabelSelector)
		if err != nil {
			return nil
		}
		if gates.EnableMatchLabelKeysInPodTopologySpread {
			selector = withLabelKeys(selector, constraint.MatchLabelKeys, pod.Labels)
		}
		c := &spreadConstraint{
			key:        constraint.TopologyKey,
			selector:   selector,
			maxSkew:    int(constraint.MaxSkew),
			minDomains: 1,
			policies:   honorAffinity,
			self:       matches(selector, pod),
			domains:    map[string]*spreadDomain{},
		}
		if constraint.MinDomains != nil {
			c.minDomains = int(*constraint.MinDomains)
		}
		if gates.EnableNodeInclusionPolicyInPodTopologySpread {
			c.policies = policiesOf(constraint)
		}
		out = append(out, c)
	}
	return out
}

func matches(selector labels.Selector, pod *corev1.Pod) int {
	if selector.Matches(labels.Set(pod.Labels)) {
		return 1
	}
	return 0
}

// withLabelKeys adds the Pod's own values of the keys to the selector; one that selects nothing stays as it is.
func withLabelKeys(selector labels.Selector, keys []string, own labels.Set) labels.Selector {
	set := labels.Set{}
	for _, key := range keys {
		if value, ok := own[key]; ok {
			set[key] = value
		}
	}
	requirements, selectable := selector.Requirements()
	if len(set) == 0 || !selectable {
		return selector
	}
	return labels.SelectorFromSet(set).Add(requirements...)
}

// add counts a node, with how the Pod can reach it, and the matching Pods on it.
func (c *spreadConstraint) add(node *corev1.Node, reached reached, matching int) {
	value := node.Labels[c.key]
	domain := c.domains[value]
	if domain == nil {
		domain = &spreadDomain{}
		c.domains[value] = domain
	}
	for p := range allPolicies {
		if reached.counts(p) {
			domain.nodes[p]++
			domain.matching[p] += matching
		}
	}
	switch {
	case !reached.counts(c.policies):
	case reached.open():
		domain.open = true
	default:
		domain.closed = append(domain.closed, node.Name)
	}
}

// settle works out what does not depend on the node that is asked about.
func (c *spreadConstraint) settle() {
	for p := range allPolicies {
		c.floors[p] = c.floor(p, spreadNode{})
	}
	c.lowest, c.closed = c.lowestDomains(spreadNode{})
}

// spreadNode is a node that is asked about.
type spreadNode struct {
	domain  string
	reached reached
	// nominated is how many matching Pods are nominated for the node, beside those that are counted.
	nominated int
}

// matching is how many matching Pods a domain has.
func (c *spreadConstraint) matching(value string, p policies, node spreadNode) int {
	count := 0
	if domain := c.domains[value]; domain != nil {
		count = domain.matching[p]
	}
	if value == node.domain && node.reached.counts(p) {
		count += node.nominated
	}
	return count
}

// floor is as in podtopologyspread's minMatchNum (v1.37.2), but for MinDomains.
func (c *spreadConstraint) floor(p policies, node spreadNode) floor {
	out := floor{minimum: math.MaxInt32}
	for value, domain := range c.domains {
		if domain.nodes[p] > 0 {
			out.domains++
			out.minimum = min(out.minimum, c.matching(value, p, node))
		}
	}
	return out
}

// minimum is the global minimum that the domain is held against, and the number of domains.
func (c *spreadConstraint) minimum(p policies, node spreadNode) floor {
	out := c.floors[p]
	if node.nominated > 0 {
		out = c.floor(p, node)
	}
	if out.domains < c.minDomains {
		out.minimum = 0
	}
	return out
}

// lowestDomains returns the domains with the lowest count and, when none of their nodes can take the Pod, those nodes.
func (c *spreadConstraint) lowestDomains(node spreadNode) (lowest, closed []string) {
	minimum, open := c.floor(c.policies, node).minimum, false
	for value, domain := range c.domains {
		if domain.nodes[c.policies] > 0 && c.matching(value, c.policies, node) == minimum {
			lowest = append(lowest, value)
			closed = append(closed, domain.closed...)
			open = open || domain.open
		}
	}
	if open {
		closed = nil
	}
	slices.Sort(lowest)
	slices.Sort(closed)
	return lowest, closed
}

// skew is what the plugin compares with maxSkew (podtopologyspread.PodTopologySpread.Filter, v1.37.2).
func (c *spreadConstraint) skew(p policies, node spreadNode) int {
	return c.matching(node.domain, p, node) + c.self - c.minimum(p, node).minimum
}

// detail is what can be said of the constraint on any node.
func (c *spreadConstraint) detail() report.TopologySpread {
	detail := report.TopologySpread{
		TopologyKey:   c.key,
		LabelSelector: selectorText(c.selector),
		Defaulted:     c.defaulted,
		MaxSkew:       c.maxSkew,
	}
	if c.minDomains > 1 {
		detail.MinDomains = c.minDomains
	}
	return detail
}

// fill adds the numbers of a node that has the label; false tells that the constraint holds there.
func (c *spreadConstraint) fill(detail *report.TopologySpread, node spreadNode) bool {
	detail.Skew = c.skew(c.policies, node)
	if detail.Skew <= c.maxSkew {
		return false
	}
	least := c.minimum(c.policies, node)
	detail.Domain = node.domain
	detail.Matching = c.matching(node.domain, c.policies, node)
	detail.Self = c.self
	detail.Minimum, detail.Domains = least.minimum, least.domains
	detail.Honor = c.helpful(node)
	if least.domains < c.minDomains {
		return true
	}
	lowest, closed := c.lowest, c.closed
	if node.nominated > 0 {
		lowest, closed = c.lowestDomains(node)
	}
	detail.MinimumDomains, detail.MinimumDomainCount = firstOf(lowest)
	detail.ClosedNodes, detail.ClosedNodeCount = firstOf(closed)
	return true
}

// helpful returns the policies that, honored too, would make the constraint hold on a node that can take the Pod.
func (c *spreadConstraint) helpful(node spreadNode) []string {
	if !node.reached.open() {
		return nil
	}
	for _, more := range []policies{honorTaints, honorAffinity, honorTaints | honorAffinity} {
		if c.policies&more == 0 && c.skew(c.policies|more, node) <= c.maxSkew {
			return more.names()
		}
	}
	return nil
}
