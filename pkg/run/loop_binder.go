package run

import (
	"context"
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
)

// unknownPause is how long a Loop waits before it asks once more what became of a Binding.
const unknownPause = time.Second

// mostBindings is how many Pods are being bound at a time. An API server that is slower than the scheduler would get
// ever more requests otherwise, each on a new connection once there are as many as one connection takes, until they
// time out and are all sent again.
const mostBindings = 100

// binder is the Loop's plugin in the place of DefaultBinder. PostBind, which comes last, tells that a Pod is bound,
// whoever did it.
type binder struct {
	loop    *Loop
	profile string
}

var (
	_ fwk.BindPlugin     = &binder{}
	_ fwk.PostBindPlugin = &binder{}
)

func (l *Loop) newBinder(_ context.Context, _ runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	return &binder{loop: l, profile: handle.ProfileName()}, nil
}

func (b *binder) Name() string { return pluginName }

func (b *binder) Bind(ctx context.Context, _ fwk.CycleState, pod *corev1.Pod, node string) *fwk.Status {
	if b.loop.options.DryRun {
		if err := assumeClaims(b.loop.sched.Profiles[b.profile], pod); err != nil {
			return fwk.AsStatus(err)
		}
		return nil
	}
	target := bind.Target{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, NodeName: node}
	check := func(context.Context) error { return b.loop.check(pod, node) }
	var unknown error // what became of the Pod, until somebody knows
	for {
		tries, err := b.loop.post(ctx, target, check)
		b.loop.flights.tried(pod.UID, tries)
		if err == nil {
			return nil
		}
		if unknown != nil && errors.As(err, new(*bind.StoppedError)) {
			err = unknown
		}
		// The Pod stays assumed on its node until somebody knows what became of it: others must not get the room.
		if !isUnknown(err) || !b.loop.pause(ctx, unknownPause) {
			return fwk.AsStatus(&binderError{err})
		}
		unknown = err
	}
}

// post binds a Pod when fewer than mostBindings are being bound.
func (l *Loop) post(ctx context.Context, target bind.Target, check bind.Check) (tries int, err error) {
	select {
	case l.seats <- struct{}{}:
		defer func() { <-l.seats }()
		return l.options.Binder.Bind(ctx, target, check)
	case <-ctx.Done():
		return 0, &bind.StoppedError{Err: ctx.Err(), Cause: context.Cause(ctx)}
	}
}

// pause waits, and tells whether it has waited to the end.
func (l *Loop) pause(ctx context.Context, duration time.Duration) bool {
	timer := l.clock.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-timer.C():
		return true
	case <-ctx.Done():
		return false
	}
}

func (b *binder) PostBind(_ context.Context, _ fwk.CycleState, pod *corev1.Pod, node string) {
	b.loop.bound(b.profile, pod, node)
}

// check tells what the watch knows of a Pod or its node that makes a Binding pointless.
func (l *Loop) check(pod *corev1.Pod, node string) error {
	if _, err := l.factory.Core().V1().Nodes().Lister().Get(node); err != nil {
		return &NodeGoneError{Node: node}
	}
	return l.moved(pod, node)
}

// moved tells, as an error, that a Pod was deleted or bound to another node.
func (l *Loop) moved(pod *corev1.Pod, node string) error {
	current, err := l.factory.Core().V1().Pods().Lister().Pods(pod.Namespace).Get(pod.Name)
	switch {
	case err != nil:
		return &bind.GoneError{}
	case current.UID != pod.UID:
		return &bind.GoneError{Replaced: true}
	case current.DeletionTimestamp != nil && current.Spec.NodeName == "":
		return &bind.GoneError{Terminating: true}
	case current.Spec.NodeName != "" && current.Spec.NodeName != node:
		return &bind.BoundElsewhereError{NodeName: current.Spec.NodeName}
	}
	return nil
}
