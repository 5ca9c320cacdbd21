package report

// Preemption is what the PostFilter plugins would do for an unschedulable Pod. Nothing is evicted.
type Preemption struct {
	Possible bool `json:"possible"`
	// NodeName is the node the Pod would be nominated for.
	NodeName string   `json:"nodeName"`
	Victims  []Victim `json:"victims"`
	// Message is upstream's text.
	Message string `json:"message"`
	// Priority is the Pod's own: only Pods of lower priority are evicted for it.
	Priority int32 `json:"priority"`
	// Reason tells why preemption does not help or is not tried; empty when it is possible.
	Reason PreemptionReason `json:"reason,omitempty"`
	// WaitsFor are the Pods that were evicted for this one before and are not gone yet (VictimTerminating).
	WaitsFor []TerminatingPod `json:"waitsFor,omitempty"`
	// Candidates are the nodes on which preemption makes room, 1,000 or so at most: the chosen one first, then as
	// kube-scheduler ranks them, equal ones by name. There are none when preemption is not tried.
	Candidates []Candidate `json:"candidates,omitempty"`
	// Nodes are all other nodes, grouped by why they are no candidates. There are none when preemption is not tried.
	Nodes []NoCandidates `json:"nodes,omitempty"`
}

// Victim is a Pod that preemption would evict.
type Victim struct {
	Namespace   string `json:"namespace"`
	Name        string `json:"name"`
	Priority    int32  `json:"priority"`
	ViolatesPDB bool   `json:"violatesPDB"`
	// PDBs names the PodDisruptionBudgets, in the victim's namespace, that its eviction would violate.
	PDBs []string `json:"pdbs,omitempty"`
	// Terminating tells that the Pod is being deleted already: it is waited for and not evicted again.
	Terminating bool `json:"terminating,omitempty"`
}

// TerminatingPod is a Pod whose end kube-scheduler waits for.
type TerminatingPod struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Priority  int32  `json:"priority"`
	NodeName  string `json:"nodeName"`
}

// Candidate is a node on which preemption would make room for the Pod.
type Candidate struct {
	NodeName string   `json:"nodeName"`
	Victims  []Victim `json:"victims"`
	// PDBViolations is how many of the evictions PodDisruptionBudgets do not allow: kube-scheduler avoids them when
	// another node will do, and only then.
	PDBViolations int64 `json:"pdbViolations"`
}

// NoCandidates are nodes on which preemption makes no room, for one reason.
type NoCandidates struct {
	Reason PreemptionReason `json:"reason"`
	// Plugin is the plugin or extender that rejects these nodes all the same; empty when none was asked
	// (NoLowerPriority), and when PreFilter left the nodes out.
	Plugin string `json:"plugin,omitempty"`
	// Reasons are that plugin's, verbatim.
	Reasons []string `json:"reasons,omitempty"`
	// Message is what kube-scheduler's preemption says of such a node, verbatim; empty when it says nothing.
	Message string `json:"message,omitempty"`
	// Nodes are the names, sorted.
	Nodes []string `json:"nodes"`
}

// PreemptionReason tells why preemption makes no room.
type PreemptionReason string

// The reasons for which a node is no candidate. When no node is one, the nearest of them is the reason of the whole,
// but for Unresolvable, which is then NotHelpful.
const (
	// PreemptionFailed: kube-scheduler fails when it tries.
	PreemptionFailed PreemptionReason = "Failed"
	// ExtenderRejects: an extender refuses the node.
	ExtenderRejects PreemptionReason = "ExtenderRejects"
	// StillRejected: a filter rejects the node even when all Pods of lower priority are gone.
	StillRejected PreemptionReason = "StillRejected"
	// NoLowerPriority: no Pod on the node (on any node that preemption could open) has a lower priority.
	NoLowerPriority PreemptionReason = "NoLowerPriority"
	// Unresolvable: a plugin rejects the node whatever is evicted.
	Unresolvable PreemptionReason = "Unresolvable"
	// NotTried: there were 1000 candidates before it. It is never the reason of the whole.
	NotTried PreemptionReason = "NotTried"
	// NotHelpful: every node is rejected whatever is evicted.
	NotHelpful PreemptionReason = "NotHelpful"
)

// The reasons for which preemption is not tried.
const (
	// PolicyNever: the Pod's preemptionPolicy is Never.
	PolicyNever PreemptionReason = "PolicyNever"
	// VictimTerminating: a Pod that was evicted for this one before is not gone yet.
	VictimTerminating PreemptionReason = "VictimTerminating"
	// PreemptionDisabled: the profile has PostFilter plugins, but not DefaultPreemption.
	PreemptionDisabled PreemptionReason = "Disabled"
	// OtherPlugin: preemption might help, but another PostFilter plugin answers first; the message is its.
	OtherPlugin PreemptionReason = "OtherPlugin"
)
