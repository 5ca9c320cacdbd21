package bind

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes/scheme"
)

// post sends one Binding, the same as kube-scheduler's DefaultBinder does, and returns nil when the Pod is bound.
func (a *attempt) post(ctx context.Context) *failure {
	options := metav1.CreateOptions{}
	if a.options.DryRun {
		options.DryRun = []string{metav1.DryRunAll}
	}
	// The UID is a precondition for the API server: another Pod of the same name is never bound.
	binding := &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: a.target.Namespace, Name: a.target.Name, UID: a.target.UID},
		Target:     corev1.ObjectReference{Kind: "Node", Name: a.target.NodeName},
	}
	request := a.api.Post().Namespace(a.target.Namespace).Resource("pods").Name(a.target.Name).SubResource("binding").
		VersionedParams(&options, scheme.ParameterCodec).Body(binding).
		Throttle(nil) // ready waited already
	ctx, stop := outlive(ctx, a.options.FinishTimeout)
	defer stop()
	_, failed := send[*metav1.Status](ctx, request, a.options.TryTimeout)
	if failed != nil && errors.As(failed.err, new(*GoneError)) { // says an answer that may not be about the Pod
		return &failure{kind: unfound, err: errors.New("the API server does not find the pod's binding")}
	}
	return failed.needing("create", "pods/binding", a.target.Namespace)
}

// read gets the Pod from the store itself: without a resourceVersion the API server does not answer from a cache.
func (a *attempt) read(ctx context.Context, timeout time.Duration) (*corev1.Pod, *failure) {
	request := a.api.Get().Namespace(a.target.Namespace).Resource("pods").Name(a.target.Name)
	pod, failed := send[*corev1.Pod](context.WithoutCancel(ctx), request, timeout)
	return pod, failed.needing("get", "pods", a.target.Namespace)
}

// mustLook tells whether only the Pod itself can tell what became of a Binding.
func (a *attempt) mustLook(failed *failure) bool {
	if failed.kind == conflict || failed.kind == unfound {
		return true
	}
	return failed.inDoubt() && !a.options.DryRun
}

// learn reads back, after a pause, whether the Pod is bound, for as long as it takes up to OutcomeTimeout. The end of
// the context does not cut it short: somebody has to know the outcome.
func (a *attempt) learn(ctx context.Context, pause time.Duration) (bound bool, err error) {
	clock := a.options.Clock
	pauses := wait.Backoff{Duration: 100 * time.Millisecond, Factor: 2, Jitter: 0.2, Steps: 10, Cap: 2 * time.Second}
	for deadline := clock.Now().Add(a.options.OutcomeTimeout); ; {
		clock.Sleep(pause)
		pod, failed := a.read(ctx, min(a.options.TryTimeout, deadline.Sub(clock.Now())))
		if failed == nil {
			return a.judge(pod)
		}
		if gone, ok := errors.AsType[*GoneError](failed.err); ok {
			return false, gone
		}
		pause = pauses.Step()
		if failed.kind == final || !clock.Now().Add(pause).Before(deadline) {
			return false, &UnavailableError{Tries: a.tries, Unknown: !a.options.DryRun, Err: failed.err}
		}
	}
}

// judge tells whether the Pod is bound, and an error when it can never be bound to the node. It looks for the same as
// the API server's BindingREST before it stores a Binding.
func (a *attempt) judge(pod *corev1.Pod) (bound bool, err error) {
	switch {
	case pod.UID != a.target.UID:
		return false, &GoneError{Replaced: true}
	case pod.Spec.NodeName == a.target.NodeName:
		return true, nil
	case pod.Spec.NodeName != "":
		return false, &BoundElsewhereError{NodeName: pod.Spec.NodeName}
	case pod.DeletionTimestamp != nil:
		return false, &GoneError{Terminating: true}
	case len(pod.Spec.SchedulingGates) > 0:
		return false, &RejectedError{Err: errors.New("the pod has scheduling gates")}
	}
	return false, nil
}
