package report

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Result is what became of one Pod that was to be bound.
type Result string

// The results a Pod can get.
const (
	// ResultBound: the Pod is on the node that was decided for it, or would be when it is a dry run.
	ResultBound Result = "Bound"
	// ResultBoundElsewhere: somebody else bound the Pod meanwhile; NodeName is where.
	ResultBoundElsewhere Result = "BoundElsewhere"
	// ResultUnschedulable: no node fits, or not the one that was asked for.
	ResultUnschedulable Result = "Unschedulable"
	// ResultRefused: the Pod is not one that can be bound: gated, terminating, finished, or on a node already.
	ResultRefused Result = "Refused"
	// ResultSkipped: the Pod was left alone: another scheduler's, beyond --max, or not bound before the run was
	// stopped.
	ResultSkipped Result = "Skipped"
	// ResultGone: the Pod was deleted, or replaced by another of its name, before it could be bound.
	ResultGone Result = "Gone"
	// ResultFailed: nothing could be decided, as a plugin or an extender failed, or the Pod could not be bound to its
	// node.
	ResultFailed Result = "Failed"
)

// DryRun is how far a dry run goes.
type DryRun string

// The dry runs.
const (
	// DryRunClient: it was decided, and nothing was sent.
	DryRunClient DryRun = "Client"
	// DryRunServer: the Binding was sent to the API server, which stored nothing.
	DryRunServer DryRun = "Server"
)

// Binding says what became of one Pod that was to be bound.
type Binding struct {
	metav1.TypeMeta `json:",inline"`
	// Metadata names the Pod.
	Metadata Metadata `json:"metadata"`
	// Profile is the scheduler profile that decided; empty when none did.
	Profile string `json:"profile"`
	Result  Result `json:"result"`
	// NodeName is the node the Pod is on, or would be in a dry run; empty when it is on none. It is the node that the
	// Pod should have been bound to when the Result is Failed.
	NodeName string `json:"nodeName"`
	// DryRun is empty when it was none.
	DryRun DryRun `json:"dryRun,omitempty"`
	// Forced tells that the node was not judged (--force).
	Forced bool `json:"forced,omitempty"`
	// Tries is how many Binding requests were sent.
	Tries int `json:"tries"`
	// Decision is the last one; nil when nobody decided.
	Decision *Cycle `json:"decision,omitempty"`
	// Reason says why the Pod is not bound, or what to know about its node; empty when there is nothing to say. For an
	// unschedulable Pod it is word for word what kube-scheduler writes in the FailedScheduling event.
	Reason string `json:"reason"`
	// Preemption says what kube-scheduler would do next for an unschedulable Pod. Nothing was evicted.
	Preemption *Preemption `json:"preemption,omitempty"`
	// Overcommitted is what the Pod's node has too little of after the binding; empty, unless the Pod was forced there,
	// somebody else put Pods there at the same time, or the node shrank.
	Overcommitted []Overcommitment `json:"overcommitted,omitempty"`
	// Warnings say what could not be known and may have changed the decision.
	Warnings []string `json:"warnings"`
}

// Cycle is one scheduling cycle's answer for one Pod.
type Cycle struct {
	// NodeName is the node that was chosen; empty when none fits.
	NodeName string `json:"nodeName"`
	// FeasibleNodes of EvaluatedNodes fit.
	EvaluatedNodes int `json:"evaluatedNodes"`
	FeasibleNodes  int `json:"feasibleNodes"`
	// Attempts is how many cycles the Pod had.
	Attempts int `json:"attempts"`
}

// Overcommitment is one resource that the Pods of a node request more of than it has.
type Overcommitment struct {
	Resource    string `json:"resource"`
	Requested   string `json:"requested"`
	Allocatable string `json:"allocatable"`
	// Over is by how much.
	Over string `json:"over"`
}

// NewBinding returns a Binding of a Pod with its API version and kind set and no nil list.
func NewBinding(namespace, name string) *Binding {
	return &Binding{
		TypeMeta: metav1.TypeMeta{APIVersion: GroupVersion.String(), Kind: "Binding"},
		Metadata: Metadata{Namespace: namespace, Name: name, Kind: "pod"},
		Warnings: []string{},
	}
}

// DeepCopyObject implements runtime.Object.
func (b *Binding) DeepCopyObject() runtime.Object { return deepCopy(b) }
