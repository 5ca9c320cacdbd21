package bind

import (
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// BoundElsewhereError says that somebody else bound the Pod to another node.
type BoundElsewhereError struct {
	NodeName string
}

func (e *BoundElsewhereError) Error() string {
	return "somebody else bound the pod to node " + e.NodeName
}

// GoneError says that the Pod that was to be bound is no more, or about to be.
type GoneError struct {
	// Replaced tells that another Pod has its name now.
	Replaced bool
	// Terminating tells that the Pod is still there, without a node, and is being deleted.
	Terminating bool
}

func (e *GoneError) Error() string {
	switch {
	case e.Replaced:
		return "the pod was deleted, and another one has its name now"
	case e.Terminating:
		return "the pod is being deleted"
	}
	return "the pod was deleted"
}

// ForbiddenError says which permission is missing: a Verb on a Resource in a Namespace. Err is the server's answer; it
// comes from an admission plugin when the permission is there.
type ForbiddenError struct {
	Verb      string
	Resource  string
	Namespace string
	Err       error
}

func (e *ForbiddenError) Error() string {
	return fmt.Sprintf("not allowed to %s %s in namespace %s: %v", e.Verb, e.Resource, e.Namespace, e.Err)
}

func (e *ForbiddenError) Unwrap() error { return e.Err }

// RejectedError says that the API server rejected the request for good. Err is the server's answer.
type RejectedError struct {
	Err error
}

func (e *RejectedError) Error() string {
	if apierrors.IsUnauthorized(e.Err) {
		return fmt.Sprintf("the API server does not accept the credentials of the kubeconfig: %v", e.Err)
	}
	return fmt.Sprintf("the API server rejected the request: %v", e.Err)
}

func (e *RejectedError) Unwrap() error { return e.Err }

// UnavailableError says that the API server did not bind the Pod, try after try. Err is the last failure.
type UnavailableError struct {
	// Tries is how many Binding requests were sent.
	Tries int
	// Unknown tells that a request may have bound the Pod all the same, and nobody could tell. Without it, the Pod was
	// still unbound after the last one that was sent.
	Unknown bool
	Err     error
}

func (e *UnavailableError) Error() string {
	if e.Unknown {
		return fmt.Sprintf("the pod may be bound or not, the API server could not tell: %v", e.Err)
	}
	if e.Tries == 1 {
		return fmt.Sprintf("the API server did not bind the pod: %v", e.Err)
	}
	return fmt.Sprintf("the API server did not bind the pod in %d tries: %v", e.Tries, e.Err)
}

func (e *UnavailableError) Unwrap() error { return e.Err }

// StoppedError says that the context ended before the Pod was bound. It is the context's error, as errors.Is sees it,
// and its cause.
type StoppedError struct {
	Err   error
	Cause error
}

func (e *StoppedError) Error() string {
	return fmt.Sprintf("stopped before the pod was bound: %v", e.Cause)
}

func (e *StoppedError) Unwrap() []error { return []error{e.Err, e.Cause} }

// HeldError says that somebody else holds the Lease that was to be acquired, and was waited for long enough.
type HeldError struct {
	// Lease is its namespace and name, with a slash between them.
	Lease string
	// Holder and Renewed are what the Lease says, in the time of the holder's clock.
	Holder  string
	Renewed time.Time
}

func (e *HeldError) Error() string { return fmt.Sprintf("the Lease %s %s", e.Lease, e.by()) }

func (e *HeldError) by() string {
	return fmt.Sprintf("is held by %q, renewed at %s", e.Holder, e.Renewed.UTC().Format(time.RFC3339))
}
