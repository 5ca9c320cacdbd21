package report

// Request is what a Pod requests of one resource, and where that comes from, as NodeResourcesFit counts it.
type Request struct {
	Resource  string `json:"resource"`
	Requested string `json:"requested"`
	// From are the parts that add up to Requested, which is rounded up to whole milli-CPUs, bytes or pieces. What does not
	// count is left out: an init container that needs less than the containers after it, or these when it needs more.
	From []RequestPart `json:"from"`
	// LargestNode is the node that has most of the resource, the first by name of several; nil when no node has any.
	LargestNode *NodeAmount `json:"largestNode,omitempty"`
	// LargerThanAnyNode tells that no node has as much, even empty.
	LargerThanAnyNode bool `json:"largerThanAnyNode"`
}

// RequestPart is one share in a request.
type RequestPart struct {
	Kind RequestKind `json:"kind"`
	// Name is that of the container; empty for the Pod's own request and its overhead.
	Name      string `json:"name,omitempty"`
	Requested string `json:"requested"`
}

// RequestKind says what a part of a request belongs to.
type RequestKind string

// The kinds of parts.
const (
	// OfContainer: an ordinary container.
	OfContainer RequestKind = "Container"
	// OfInitContainer: an init container that ends before the next one starts.
	OfInitContainer RequestKind = "InitContainer"
	// OfSidecar: an init container that runs as long as the Pod.
	OfSidecar RequestKind = "Sidecar"
	// OfPod: the Pod-level request, which counts in place of those of the containers.
	OfPod RequestKind = "Pod"
	// OfOverhead: what the Pod's RuntimeClass adds.
	OfOverhead RequestKind = "Overhead"
)

// NodeAmount is how much of a resource a node has when it is empty.
type NodeAmount struct {
	Name        string `json:"name"`
	Allocatable string `json:"allocatable"`
}
