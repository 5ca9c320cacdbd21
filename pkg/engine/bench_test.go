package engine_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
	"github.com/kubectl-sched/kubectl-sched/test/random"
)

// largeState has 5,000 nodes and 150,000 Pods. All benchmarks share it.
var largeState = sync.OnceValue(func() *cluster.State {
	state := random.Large(5000, 30)
	upstream.SetDefaults(state)
	return state
})

// The ratio of these two says what our engine costs to build: it should not be above 1.
func BenchmarkNew(b *testing.B) {
	state := largeState()
	b.ReportAllocs()
	for b.Loop() {
		e, err := engine.New(b.Context(), state, engine.Options{})
		if err != nil {
			b.Fatal(err)
		}
		e.Close()
	}
}

func BenchmarkUpstreamCache(b *testing.B) {
	state := largeState()
	b.ReportAllocs()
	for b.Loop() {
		fillUpstream(b, state)
	}
}

// fillUpstream makes kube-scheduler's cache and its first snapshot.
func fillUpstream(b *testing.B, state *cluster.State) *internalcache.Snapshot {
	b.Helper()
	logger := klog.Logger{}
	cache := internalcache.New(klog.NewContext(b.Context(), logger), nil, false, false)
	for _, node := range state.Nodes {
		cache.AddNode(logger, node)
	}
	for _, pod := range state.Pods {
		if err := cache.AddPod(logger, pod); err != nil {
			b.Fatal(err)
		}
	}
	snapshot := internalcache.NewEmptySnapshot()
	if err := cache.UpdateSnapshot(logger, snapshot); err != nil {
		b.Fatal(err)
	}
	return snapshot
}

// benchmarkPods are the Pods that both engines are asked about.
func benchmarkPods() map[string]*corev1.Pod {
	large := random.Large(1, 1).Pods[0]
	pod := func(change func(*corev1.Pod)) *corev1.Pod {
		out := large.DeepCopy()
		out.Name, out.UID, out.Spec.NodeName, out.Status = "asked", "uid-asked", "", corev1.PodStatus{}
		out.Spec.Affinity, out.Spec.Priority = nil, new(int32)
		change(out)
		return out
	}
	tooLarge := func(p *corev1.Pod) {
		p.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("15")
	}
	return map[string]*corev1.Pod{
		"fits": pod(func(*corev1.Pod) {}),
		"rejected": pod(func(p *corev1.Pod) {
			tooLarge(p)
			p.Spec.NodeSelector = map[string]string{"disk": "none"}
			p.Spec.Containers[0].Ports[0].HostPort = 80
		}),
		"preempting": pod(func(p *corev1.Pod) {
			tooLarge(p)
			*p.Spec.Priority = 1_000_000
		}),
		"zone-spread": pod(func(p *corev1.Pod) {
			p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
				MaxSkew: 1, TopologyKey: corev1.LabelTopologyZone, WhenUnsatisfiable: corev1.DoNotSchedule,
				LabelSelector: appSelector(p)}}
		}),
		"anti-affinity": pod(func(p *corev1.Pod) {
			p.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{
					{LabelSelector: appSelector(p), TopologyKey: corev1.LabelHostname}}}}
		}),
	}
}

var (
	benchmarkNames = []string{"fits", "rejected", "preempting", "zone-spread", "anti-affinity"}
	// unfitNames are those that no node takes.
	unfitNames = []string{"rejected", "preempting", "zone-spread-rejected", "anti-affinity-rejected"}
)

func BenchmarkExplain(b *testing.B) {
	e, err := engine.New(b.Context(), largeState(), engine.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	pods := benchmarkPods()
	for _, name := range benchmarkNames {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Explain(b.Context(), pods[name]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkExplainWithFixes is what a user waits for after the State is read: the first answer of an engine, fixes and
// all.
func BenchmarkExplainWithFixes(b *testing.B) {
	pods := benchmarkPods()
	for _, name := range []string{"zone-spread", "anti-affinity"} {
		pod := pods[name].DeepCopy()
		pod.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("15")
		pods[name+"-rejected"] = pod
	}
	for _, name := range unfitNames {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				e, err := engine.New(b.Context(), largeState(), engine.Options{Fixes: 5})
				if err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				explanation, err := e.Explain(b.Context(), pods[name])
				if err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				b.ReportMetric(float64(explanation.FixesTried), "tried/op")
				e.Close()
				b.StartTimer()
			}
		})
	}
}

// BenchmarkUpstreamSchedulePod is what kube-scheduler itself needs for the same Pods over all nodes: the verdict, and
// for a Pod that does not fit what PostFilter finds.
func BenchmarkUpstreamSchedulePod(b *testing.B) {
	ctx := klog.NewContext(b.Context(), klog.Logger{})
	client := fake.NewSimpleClientset()
	factory := scheduler.NewInformerFactory(client, 0, nil)
	every := int32(100)
	recorders := func(string) events.EventRecorderLogger { return discardEvents{} }
	sched, err := scheduler.New(ctx, client, factory, nil, recorders, scheduler.WithPercentageOfNodesToScore(&every),
		scheduler.WithNodeInfoSnapshot(fillUpstream(b, largeState())))
	if err != nil {
		b.Fatal(err)
	}
	pods := benchmarkPods()
	for _, name := range benchmarkNames {
		if err := factory.Core().V1().Pods().Informer().GetIndexer().Update(pods[name]); err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				schedule(ctx, b, sched, pods[name])
			}
		})
	}
}

func schedule(ctx context.Context, b *testing.B, sched *scheduler.Scheduler, pod *corev1.Pod) {
	b.Helper()
	fw, state := sched.Profiles[corev1.DefaultSchedulerName], framework.NewCycleState()
	state.Write(framework.PodsToActivateKey, framework.NewPodsToActivate())
	info, err := framework.NewPodInfo(pod)
	if err != nil {
		b.Fatal(err)
	}
	_, err = sched.SchedulePod(ctx, fw, state, &framework.QueuedPodInfo{PodInfo: info})
	var fitError *framework.FitError
	if errors.As(err, &fitError) {
		fw.RunPostFilterPlugins(ctx, state, pod, fitError.Diagnosis.NodeToStatus)
	}
}

func appSelector(pod *corev1.Pod) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": pod.Labels["app"]}}
}

// discardEvents is a recorder that nobody reads.
type discardEvents struct{ events.EventRecorder }

func (discardEvents) Eventf(_, _ runtime.Object, _, _, _, _ string, _ ...any) {}

func (d discardEvents) WithLogger(klog.Logger) events.EventRecorderLogger { return d }
