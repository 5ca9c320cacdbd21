package reason

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	corelisters "k8s.io/client-go/listers/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// podRule is one required term and the Pods that it is about, by domain.
type podRule struct {
	term fwk.AffinityTerm
	// detail is what can be said of the term on any node.
	detail report.PodAffinity
	// local tells that upstream looks at the Pods of the node itself, though other nodes may have the same label.
	local   bool
	domains map[string]*crowd
	// stray tells that a Pod was found on a node that is in no domain.
	stray bool
	// elsewhere are the domains with such Pods, sorted.
	elsewhere []string
}

// crowd is some Pods: the first by namespace and name, and how many they are.
type crowd struct {
	first []*corev1.Pod
	count int
	last  *corev1.Pod
}

func newPodRule(name string, term fwk.AffinityTerm, local bool) *podRule {
	detail := report.PodAffinity{Rule: name, TopologyKey: term.TopologyKey, LabelSelector: selectorText(term.Selector)}
	if term.NamespaceSelector.Empty() {
		detail.AllNamespaces = true
	} else {
		detail.Namespaces, detail.NamespaceCount = firstOf(slices.Sorted(maps.Keys(term.Namespaces)))
	}
	return &podRule{term: term, detail: detail, local: local, domains: map[string]*crowd{}}
}

// ownTerms reads the terms of the Pod that is judged.
func ownTerms(pod *corev1.Pod, terms []corev1.PodAffinityTerm, namespaces corelisters.NamespaceLister) (
	[]fwk.AffinityTerm, error,
) {
	parsed, err := fwk.GetAffinityTerms(pod, terms)
	if err != nil {
		return nil, err
	}
	for i, term := range parsed {
		if parsed[i], err = withNamespaces(term, namespaces); err != nil {
			return nil, err
		}
	}
	return parsed, nil
}

// withNamespaces returns the term with the namespaces that it selects in place of the selector; a selector of all
// stays (interpodaffinity.InterPodAffinity.mergeAffinityTermNamespacesIfNotEmpty, v1.37.2).
func withNamespaces(term fwk.AffinityTerm, namespaces corelisters.NamespaceLister) (fwk.AffinityTerm, error) {
	if term.NamespaceSelector.Empty() {
		return term, nil
	}
	selected, err := namespaces.List(term.NamespaceSelector)
	if err != nil {
		return term, err
	}
	term.Namespaces = term.Namespaces.Clone()
	for _, namespace := range selected {
		term.Namespaces.Insert(namespace.Name)
	}
	term.NamespaceSelector = labels.Nothing()
	return term, nil
}

// selectorText writes a selector: empty for one that selects all, "<none>" for one that selects nothing.
func selectorText(selector labels.Selector) string {
	if _, selectable := selector.Requirements(); !selectable {
		return "<none>"
	}
	return selector.String()
}

func onHost(term fwk.AffinityTerm) bool { return term.TopologyKey == corev1.LabelHostname }

func allOnHost(terms []fwk.AffinityTerm) bool {
	return !slices.ContainsFunc(terms, func(term fwk.AffinityTerm) bool { return !onHost(term) })
}

// termID tells kinds of terms apart.
func termID(term fwk.AffinityTerm) string {
	namespaces := strings.Join(slices.Sorted(maps.Keys(term.Namespaces)), ",")
	return strings.Join([]string{term.TopologyKey, selectorText(term.Selector), namespaces,
		selectorText(term.NamespaceSelector)}, "|")
}

// matches tells whether the Pod's own term matches another Pod. The namespaces have been looked up already.
func (r *podRule) matches(pod *corev1.Pod) bool { return r.term.Matches(pod, nil) }

// matchesAll tells whether there are terms and all match.
func matchesAll(rules []*podRule, pod *corev1.Pod) bool {
	return len(rules) > 0 && !slices.ContainsFunc(rules, func(r *podRule) bool { return !r.matches(pod) })
}

// domainOf returns under which name the node's domain is kept; false when it is in none.
func (r *podRule) domainOf(node *corev1.Node) (string, bool) {
	value, ok := node.Labels[r.detail.TopologyKey]
	if r.local {
		return node.Name, ok
	}
	return value, ok
}

func (r *podRule) add(node *corev1.Node, pod *corev1.Pod) {
	domain, ok := r.domainOf(node)
	if !ok {
		r.stray = true
		return
	}
	if r.domains[domain] == nil {
		r.domains[domain] = &crowd{}
	}
	r.domains[domain].add(pod)
}

// add counts a Pod; a Pod that has the same term twice counts once.
func (c *crowd) add(pod *corev1.Pod) {
	if c.last == pod {
		return
	}
	c.last = pod
	c.count++
	if i, _ := slices.BinarySearchFunc(c.first, pod, byName); i < maxNames {
		c.first = slices.Insert(c.first, i, pod)
		c.first = c.first[:min(len(c.first), maxNames)]
	}
}

func byName(a, b *corev1.Pod) int {
	return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
}

func (c *crowd) names() []string {
	names := make([]string, 0, len(c.first))
	for _, pod := range c.first {
		names = append(names, pod.Namespace+"/"+pod.Name)
	}
	return names
}

// found tells whether there is any Pod that the term matches, as far as upstream sees it.
func (r *podRule) found() bool { return len(r.domains) > 0 || r.local && r.stray }

func (r *podRule) inhabited() []string {
	return slices.Sorted(maps.Keys(r.domains))
}

// at returns a copy of the rule that knows only the node's own domain, apart from elsewhere.
func (r *podRule) at(node *corev1.Node) *podRule {
	out := *r
	out.domains = map[string]*crowd{}
	domain, ok := r.domainOf(node)
	if there := r.domains[domain]; ok && there != nil {
		out.domains[domain] = &crowd{first: slices.Clone(there.first), count: there.count, last: there.last}
	}
	return &out
}
