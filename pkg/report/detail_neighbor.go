package report

// neighborDetails are facts of PodTopologySpread and InterPodAffinity.
var neighborDetails = []Detail{TopologySpread{}, PodAffinity{}}

// TopologySpread is a constraint that the Pod would break on the node: Matching + Self - Minimum = Skew, which is more
// than MaxSkew; or the node lacks the constraint's label.
type TopologySpread struct {
	TopologyKey string `json:"topologyKey"`
	// LabelSelector says which Pods of the Pod's namespace are spread; empty for all.
	LabelSelector string `json:"labelSelector,omitempty"`
	// Defaulted tells that the constraint is not the Pod's own but the profile's default.
	Defaulted bool `json:"defaulted,omitempty"`
	// Domain is the node's value of the label; Missing tells that it has none, and then nothing is counted.
	Domain  string `json:"domain,omitempty"`
	Missing bool   `json:"missing,omitempty"`
	MaxSkew int    `json:"maxSkew"`
	// Matching is how many matching Pods are in the domain, Self is 1 when the Pod matches the selector too.
	Matching int `json:"matching"`
	Self     int `json:"self"`
	// Minimum is the least number of matching Pods in any domain, and 0 when there are fewer Domains than MinDomains.
	Minimum    int `json:"minimum"`
	Skew       int `json:"skew"`
	Domains    int `json:"domains"`
	MinDomains int `json:"minDomains,omitempty"`
	// MinimumDomains are the first of the domains with that number, sorted, and MinimumDomainCount is how many there are.
	MinimumDomains     []string `json:"minimumDomains,omitempty"`
	MinimumDomainCount int      `json:"minimumDomainCount,omitempty"`
	// ClosedNodes are the first nodes of all those domains, sorted, and ClosedNodeCount is how many there are, when none
	// of them can take the Pod, for a taint, the Pod's node affinity or a cordon: the minimum does not rise there.
	ClosedNodes     []string `json:"closedNodes,omitempty"`
	ClosedNodeCount int      `json:"closedNodeCount,omitempty"`
	// Honor are the policies of the constraint ("nodeTaintsPolicy", "nodeAffinityPolicy") that, set to Honor, would make
	// it hold on the node.
	Honor []string `json:"honor,omitempty"`
}

// The rules of inter-Pod affinity.
const (
	// RuleAffinity asks for a matching Pod in the node's domain.
	RuleAffinity = "Affinity"
	// RuleAntiAffinity asks for no matching Pod in the node's domain.
	RuleAntiAffinity = "AntiAffinity"
	// RuleExistingAntiAffinity is the anti-affinity of other Pods, which the Pod matches.
	RuleExistingAntiAffinity = "ExistingAntiAffinity"
)

// PodAffinity is a required term, of the Pod or of other Pods, that does not hold on the node.
type PodAffinity struct {
	// Rule is Affinity, AntiAffinity or ExistingAntiAffinity.
	Rule        string `json:"rule"`
	TopologyKey string `json:"topologyKey"`
	// Domain is the node's value of the label; Missing tells that it has none, which only Affinity minds.
	Domain  string `json:"domain,omitempty"`
	Missing bool   `json:"missing,omitempty"`
	// LabelSelector is the term's, empty for all Pods, "<none>" for none. Namespaces are the first of those it looks at,
	// sorted, and NamespaceCount is how many there are; AllNamespaces tells that it looks at all.
	LabelSelector  string   `json:"labelSelector,omitempty"`
	Namespaces     []string `json:"namespaces,omitempty"`
	NamespaceCount int      `json:"namespaceCount,omitempty"`
	AllNamespaces  bool     `json:"allNamespaces,omitempty"`
	// Terms is how many terms of Affinity one Pod must match at once, when they are several.
	Terms int `json:"terms,omitempty"`
	// Pods are the first of the Pods that keep this one away, as namespace/name, sorted, and PodCount is how many there
	// are: those in the domain that AntiAffinity matches, or those whose ExistingAntiAffinity matches this Pod.
	Pods     []string `json:"pods,omitempty"`
	PodCount int      `json:"podCount"`
	// Elsewhere are the first of the domains with a Pod that Affinity matches, sorted, and ElsewhereCount is how many
	// there are.
	Elsewhere      []string `json:"elsewhere,omitempty"`
	ElsewhereCount int      `json:"elsewhereCount,omitempty"`
}

func (TopologySpread) detail() {}
func (PodAffinity) detail()    {}
