package report

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// ResultPreempted is what becomes of a Pod that is evicted for another one; it is a result of Decisions only.
const ResultPreempted Result = "Preempted"

// Decision is what a running scheduler decided about one Pod, and what became of it: Bound, Unschedulable, Failed,
// BoundElsewhere, Gone, Skipped, Refused (it is gated) or Preempted.
type Decision struct {
	metav1.TypeMeta `json:",inline"`
	// Metadata names the Pod.
	Metadata Metadata `json:"metadata"`
	// Time is when the outcome was known.
	Time metav1.MicroTime `json:"time"`
	// Profile is the scheduler profile that decided.
	Profile string `json:"profile"`
	Result  Result `json:"result"`
	// Cycle says how many nodes were looked at, and which was chosen. NodeName is the node that a Bound Pod is on, a
	// Failed one should have been bound to, somebody else bound the Pod to (BoundElsewhere), or it is evicted from
	// (Preempted); it is empty when no node fits.
	Cycle `json:",inline"`
	// Score is the node's total; nil when it was not scored, as when it was the only one that fits.
	Score *int64 `json:"score,omitempty"`
	// QueuedMilliseconds is how long the Pod was in the queue before the scheduler took it up this time, and
	// LatencyMilliseconds how long it took from then until the outcome was known. SchedulingMilliseconds is the part of
	// it in which a node was chosen.
	QueuedMilliseconds     float64 `json:"queuedMilliseconds"`
	SchedulingMilliseconds float64 `json:"schedulingMilliseconds"`
	LatencyMilliseconds    float64 `json:"latencyMilliseconds"`
	// DryRun is Client when nothing was written, and empty otherwise.
	DryRun DryRun `json:"dryRun,omitempty"`
	// Tries is how many Binding requests were sent.
	Tries int `json:"tries"`
	// Message says why the Pod is not bound; empty when it is. For an unschedulable Pod it is word for word that of its
	// Explanation, the one kube-scheduler writes in the FailedScheduling event.
	Message string `json:"message"`
	// NominatedNodeName is the node on which other Pods are evicted for this one.
	NominatedNodeName string `json:"nominatedNodeName,omitempty"`
	// Preemptor is the Pod for which this one is evicted.
	Preemptor *Metadata `json:"preemptor,omitempty"`
	// Explanation says of every node why it was rejected, when it was asked for and the Pod is Unschedulable.
	Explanation *Explanation `json:"explanation,omitempty"`
}

// NewDecision returns a Decision about a Pod with its API version and kind set.
func NewDecision(namespace, name string) *Decision {
	return &Decision{
		TypeMeta: metav1.TypeMeta{APIVersion: GroupVersion.String(), Kind: "Decision"},
		Metadata: Metadata{Namespace: namespace, Name: name, Kind: "pod"},
	}
}

// DeepCopyObject implements runtime.Object.
func (d *Decision) DeepCopyObject() runtime.Object { return deepCopy(d) }

// Activity is how busy a running scheduler is.
type Activity struct {
	// Active, Backoff, Unschedulable and Gated are how many Pods are in each of kube-scheduler's queues, as its metric
	// scheduler_pending_pods counts them.
	Active, Backoff, Unschedulable, Gated int
	// Binding is how many Pods have a node and are not bound yet.
	Binding int
	// Results are how many Decisions there have been of each Result.
	Results map[Result]int
}
