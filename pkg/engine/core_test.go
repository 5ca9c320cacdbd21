package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// core is kube-scheduler's own Scheduler, run as kube-scheduler runs it: a client, started informers, a cache that
// its event handlers fill, a scheduling cycle through ScheduleOne. What it would write to the cluster comes to
// nothing, so that one core answers for many Pods.
type core struct {
	t         *testing.T
	sched     *scheduler.Scheduler
	framework *recorder
	events    *events.FakeRecorder
	// evictions are the Pods, as namespace/name, that preemption deletes, a moment after the cycle.
	evictions chan string
}

// answer is what a core said about one Pod.
type answer struct {
	// gatedBy is the PreEnqueue plugin that keeps the Pod out of the queue.
	gatedBy string
	// host is the node that the Pod was given.
	host string
	// message is the text of the event for a Pod that was given none.
	message string
	// diagnosis is that of a FitError; nil for a Pod that fits and for an internal error.
	diagnosis *framework.Diagnosis
	// internal is an error that says nothing of the Pod.
	internal bool
	// nominated is the node that the Pod was nominated for.
	nominated string
	// cycle is what the framework was asked on the way.
	cycle
}

func newCore(t *testing.T, state *cluster.State, options ...scheduler.Option) *core {
	t.Helper()
	ctx := klog.NewContext(t.Context(), klog.Logger{})
	c := &core{t: t, events: events.NewFakeRecorder(100), evictions: make(chan string, 100)}
	client := newFakeClient(state)
	client.PrependReactor("delete", "pods", func(action clienttesting.Action) (bool, runtime.Object, error) {
		deleted := action.(clienttesting.DeleteAction)
		c.evictions <- deleted.GetNamespace() + "/" + deleted.GetName()
		return true, nil, nil
	})
	factory := scheduler.NewInformerFactory(client, 0, nil)
	every := int32(100)
	options = append([]scheduler.Option{scheduler.WithPercentageOfNodesToScore(&every)}, options...)
	recorders := func(string) events.EventRecorderLogger { return c.events }
	sched, err := scheduler.New(ctx, client, factory, nil, recorders, options...)
	if err != nil {
		t.Fatal(err)
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	if err := sched.WaitForHandlersSync(ctx); err != nil {
		t.Fatal(err)
	}
	c.sched = sched
	c.framework = &recorder{Framework: sched.Profiles[corev1.DefaultSchedulerName]}
	sched.Profiles[corev1.DefaultSchedulerName] = c.framework
	c.enqueueAgain(ctx, state)
	return c
}

// newFakeClient holds the State's objects. It does not hold finished Pods, since a fake client knows no field
// selectors and kube-scheduler's informer selects by phase.
func newFakeClient(state *cluster.State) *fake.Clientset {
	var objects []runtime.Object
	for _, kind := range cluster.Kinds {
		for object := range kind.Objects(state) {
			pod, isPod := object.(*corev1.Pod)
			if isPod && (pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed) {
				continue
			}
			objects = append(objects, object)
		}
	}
	// The other constructor tracks managed fields, which nobody reads here, and takes ten times as long.
	client := fake.NewSimpleClientset(objects...)
	ineffective := func(action clienttesting.Action) (bool, runtime.Object, error) { return true, &corev1.Pod{}, nil }
	for _, verb := range []string{"create", "update", "patch", "delete"} {
		client.PrependReactor(verb, "*", ineffective)
	}
	return client
}

// enqueueAgain lets every waiting Pod enter the queue anew: PreEnqueue plugins may have seen the first of them before
// the other informers were full.
func (c *core) enqueueAgain(ctx context.Context, state *cluster.State) {
	for _, pod := range state.Pods {
		if _, known := c.sched.SchedulingQueue.GetPod(pod.Name, pod.Namespace, nil); known {
			c.sched.SchedulingQueue.Delete(klog.FromContext(ctx), pod)
			c.sched.SchedulingQueue.Add(ctx, pod)
		}
	}
}

// ask runs one scheduling cycle for the Pod, up to and including Reserve.
func (c *core) ask(pod *corev1.Pod) *answer {
	c.t.Helper()
	ctx := klog.NewContext(c.t.Context(), klog.Logger{})
	queued, known := c.sched.SchedulingQueue.GetPod(pod.Name, pod.Namespace, nil)
	if !known {
		c.t.Fatalf("%s/%s is not in the queue", pod.Namespace, pod.Name)
	}
	if queued.Gated() {
		return &answer{gatedBy: queued.GatingPlugin}
	}
	out := &answer{}
	c.framework.cycle = cycle{filters: map[string]*fwk.Status{}}
	c.sched.NextEntity = func(klog.Logger) (framework.QueuedEntityInfo, error) {
		info, err := framework.NewPodInfo(pod)
		return &framework.QueuedPodInfo{PodInfo: info}, err
	}
	c.sched.FailureHandler = func(_ context.Context, _ framework.Framework, _ *framework.QueuedPodInfo, status *fwk.Status,
		nominating *fwk.NominatingInfo, _ time.Time,
	) {
		c.fail(out, status, nominating)
	}
	c.sched.ScheduleOne(ctx)
	out.cycle = c.framework.cycle
	c.restore(ctx, pod)
	c.readEvents(out)
	return out
}

// readEvents takes up the only message that does not come through the failure handler: that a Pod is being deleted.
func (c *core) readEvents(out *answer) {
	for {
		select {
		case event := <-c.events.Events:
			if message, failed := strings.CutPrefix(event, "Warning FailedScheduling "); failed {
				out.message = message
			}
		default:
			return
		}
	}
}

// evicted waits for the next n evictions and returns them, sorted.
func (c *core) evicted(n int) []string {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 30*time.Second)
	defer cancel()
	var pods []string
	for range n {
		select {
		case pod := <-c.evictions:
			pods = append(pods, pod)
		case <-ctx.Done():
			c.t.Errorf("kube-scheduler evicted %d Pods, want %d", len(pods), n)
			return pods
		}
	}
	slices.Sort(pods)
	return pods
}

// fail takes over what kube-scheduler's own failure handler is told.
func (c *core) fail(out *answer, status *fwk.Status, nominating *fwk.NominatingInfo) {
	if c.framework.reserved != "" {
		out.host = c.framework.reserved
		return
	}
	out.message = status.Message()
	var fitError *framework.FitError
	switch err := status.AsError(); {
	case errors.As(err, &fitError):
		out.diagnosis = &fitError.Diagnosis
	default:
		out.internal = !errors.Is(err, scheduler.ErrNoNodesAvailable)
	}
	if nominating != nil {
		out.nominated = nominating.NominatedNodeName
	}
}

// restore puts back the Pod's own nomination, which ends when the Pod is assumed.
func (c *core) restore(ctx context.Context, pod *corev1.Pod) {
	if pod.Status.NominatedNodeName != "" {
		info, _ := framework.NewPodInfo(pod) // an error tells of terms that match nothing; the event handlers ignore it too
		c.sched.SchedulingQueue.AddNominatedPod(klog.FromContext(ctx), info, nil)
	}
}
