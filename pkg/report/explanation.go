package report

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the API version of every report.
var GroupVersion = schema.GroupVersion{Group: "kubectl-sched.github.io", Version: "v1alpha1"}

// Verdict is the answer for one Pod.
type Verdict string

// The verdicts a Pod can get.
const (
	// Schedulable: at least one node is feasible.
	Schedulable Verdict = "Schedulable"
	// Unschedulable: no node is feasible.
	Unschedulable Verdict = "Unschedulable"
	// Gated: a PreEnqueue plugin keeps the Pod out of the scheduling queue.
	Gated Verdict = "Gated"
	// Bound: the Pod has a node already; its nodes are judged as if it had none yet.
	Bound Verdict = "Bound"
	// NoProfile: no scheduler profile serves the Pod's schedulerName.
	NoProfile Verdict = "NoProfile"
	// Invalid: the API server would refuse the manifest.
	Invalid Verdict = "Invalid"
)

// NodeVerdict is the answer for one Pod on one node.
type NodeVerdict string

// The verdicts a node can get.
const (
	// Feasible: every Filter plugin passes.
	Feasible NodeVerdict = "Feasible"
	// Rejected: at least one Filter plugin or extender rejects the node.
	Rejected NodeVerdict = "Rejected"
	// NotEvaluated: the node is outside what PreFilter left, or PreFilter rejected the Pod as a whole.
	NotEvaluated NodeVerdict = "NotEvaluated"
)

// Admission is a way in which a manifest becomes the Pod that a cluster would store.
type Admission string

// The ways of admission.
const (
	// AdmittedByServer: by a dry run on the API server, webhooks included.
	AdmittedByServer Admission = "Server"
	// AdmittedLocally: by the API server's code in this program, without webhooks.
	AdmittedLocally Admission = "Local"
)

// Explanation says where one Pod fits and why not, node by node.
type Explanation struct {
	metav1.TypeMeta `json:",inline"`
	// Metadata names the Pod, or the workload whose template was judged.
	Metadata Metadata `json:"metadata"`
	// Profile is the scheduler profile that judged the Pod; empty with NoProfile.
	Profile string  `json:"profile"`
	Verdict Verdict `json:"verdict"`
	// NodeName is the node the Pod would get (Schedulable) or has (Bound). Among Ties it is the first by name.
	NodeName string `json:"nodeName"`
	// Ties are all nodes that share the best total, sorted by name, when there are several.
	Ties []string `json:"ties"`
	// NominatedNodeName is the node for which an earlier preemption made or makes room for the Pod.
	NominatedNodeName string `json:"nominatedNodeName,omitempty"`
	// Message is word for word what kube-scheduler writes in the FailedScheduling event; empty when the Pod fits.
	Message string `json:"message"`
	// Requests are the resources that the Pod requests: cpu, memory, ephemeral-storage, then by name. None when the Pod
	// was not judged.
	Requests []Request `json:"requests,omitempty"`
	// LargerThanAnyNode tells that no node, even empty, has all that the Pod requests at once.
	LargerThanAnyNode bool `json:"largerThanAnyNode,omitempty"`
	// PreFilter are the PreFilter or PreEnqueue plugins that rejected the Pod or narrowed its nodes.
	PreFilter []Rejection `json:"preFilter"`
	// Nodes are all nodes of the cluster: the feasible ones by falling total, then the rest by name.
	Nodes []Node `json:"nodes"`
	// Next is what comes after the plugins that reject the Pod before any node is looked at; nil when nodes were.
	Next *Next `json:"next,omitempty"`
	// Story is all about one node, when it was asked for.
	Story *Story `json:"story,omitempty"`
	// Comparison sets two nodes against each other, when it was asked for.
	Comparison *Comparison `json:"comparison,omitempty"`
	// Preemption says what kube-scheduler's PostFilter would do; nil when the Pod was not judged or fits.
	Preemption *Preemption `json:"preemption,omitempty"`
	// Fixes are changes that were tried on the engine and make the Pod fit.
	Fixes []Fix `json:"fixes"`
	// FixesTried is how many changes were tried in search of them.
	FixesTried int `json:"fixesTried,omitempty"`
	// Warnings say what could not be known and may change the verdict.
	Warnings []string `json:"warnings"`
	// Admission tells which way a manifest was admitted; empty for a Pod of the cluster.
	Admission Admission `json:"admission,omitempty"`
	// Pods are the names of the Pods this answer holds for, when one template stands for several identical Pods.
	Pods []string `json:"pods,omitempty"`
}

// Metadata names the object a report is about.
type Metadata struct {
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	// Kind is the asked kind, in lower case as kubectl prints it: "pod", "deployment.apps".
	Kind string `json:"kind,omitempty"`
}

// Rejection is one plugin's no.
type Rejection struct {
	Plugin string `json:"plugin"`
	// Code is the name of the framework status code: Unschedulable, UnschedulableAndUnresolvable, Error.
	Code string `json:"code"`
	// Reasons is upstream's text, verbatim.
	Reasons []string `json:"reasons"`
	// Details are the facts behind the rejection.
	Details Details `json:"details"`
}

// Node is the judgment of one node.
type Node struct {
	Name    string      `json:"name"`
	Verdict NodeVerdict `json:"verdict"`
	// Filters are all Filter plugins that reject the node, in the profile's order; the first is kube-scheduler's own.
	Filters []Rejection `json:"filters"`
	// Scores are those of the feasible nodes, in the profile's order; empty when a single node is feasible, since
	// kube-scheduler then scores none.
	Scores []Score `json:"scores"`
	// Total is the sum of the weighted scores.
	Total int64 `json:"total"`
}

// Score is one Score plugin's opinion of a node.
type Score struct {
	Plugin string `json:"plugin"`
	// Raw is what the plugin's Score returned, in a unit of its own.
	Raw int64 `json:"raw"`
	// Normalized is Raw after NormalizeScore, 0 to 100.
	Normalized int64 `json:"normalized"`
	Weight     int64 `json:"weight"`
	// Weighted is Normalized × Weight.
	Weighted int64 `json:"weighted"`
}

// NewExplanation returns an Explanation of the named object with its type set and no nil lists, so that every list
// prints as [] rather than null.
func NewExplanation(meta Metadata) *Explanation {
	return &Explanation{
		TypeMeta: metav1.TypeMeta{
			APIVersion: GroupVersion.String(),
			Kind:       "Explanation",
		},
		Metadata:  meta,
		Ties:      []string{},
		PreFilter: []Rejection{},
		Nodes:     []Node{},
		Fixes:     []Fix{},
		Warnings:  []string{},
	}
}

// DeepCopyObject makes Explanation a runtime.Object, which cli-runtime's printers ask for.
func (e *Explanation) DeepCopyObject() runtime.Object {
	return deepCopy(e)
}

// List is several results, as `kubectl get` prints them.
type List struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        metav1.ListMeta  `json:"metadata"`
	Items           []runtime.Object `json:"items"`
}

// NewList returns a List of the items, in their order.
func NewList(items ...runtime.Object) *List {
	return &List{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "List"}, Items: items}
}

// DeepCopyObject makes List a runtime.Object.
func (l *List) DeepCopyObject() runtime.Object {
	out := *l
	out.Items = make([]runtime.Object, 0, len(l.Items))
	for _, item := range l.Items {
		out.Items = append(out.Items, item.DeepCopyObject())
	}
	return &out
}

// deepCopy copies a report by way of its JSON form: all its fields are exported and marshal without loss.
func deepCopy[T any](in *T) *T {
	data, err := json.Marshal(in)
	if err != nil {
		panic(err) // unreachable: reports hold only strings, numbers, lists and structs of them
	}
	out := new(T)
	if err := json.Unmarshal(data, out); err != nil {
		panic(err) // unreachable: the bytes are json.Marshal's own
	}
	return out
}
