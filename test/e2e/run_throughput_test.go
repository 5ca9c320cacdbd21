//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/test/e2e/controlplane"
)

// The size of the comparison, and how far kubectl sched run may be behind kube-scheduler.
const (
	manyNodes, manyPods = 1000, 5000
	// latePods come one by one to each of the two, so many per second to both together.
	latePods, latePerSecond = 400, 100

	leastThroughput = 0.95
	mostMemory      = 1.2
	// latencyNoise is what the latencies of two equal schedulers may differ by: they are read from histograms whose
	// buckets double.
	latencyNoise = 1.1
)

// figures are what a scheduler needed for its Pods.
type figures struct {
	// perSecond is how many Pods were bound per second, from the first to the last of many that waited.
	perSecond float64
	// memory is how many MiB the process had at most.
	memory float64
	// latency is how many milliseconds it took to bind a Pod that came alone, from the moment it left the queue: the
	// median. When many wait it is the API server's time that counts: the more Bindings are under way, the longer each
	// takes.
	latency float64
}

func (f figures) String() string {
	return fmt.Sprintf("%.0f Pods/s, %.0f MiB, %.2f ms", f.perSecond, f.memory, f.latency)
}

// by returns the ratios to the figures of another scheduler.
func (f figures) by(other figures) figures {
	return figures{f.perSecond / other.perSecond, f.memory / other.memory, f.latency / other.latency}
}

// complaints say which ratios to kube-scheduler are too bad.
func (f figures) complaints() []string {
	var complaints []string
	for _, test := range []struct {
		bad         bool
		what        string
		ratio, want float64
	}{
		{f.perSecond < leastThroughput, "throughput", f.perSecond, leastThroughput},
		{f.memory > mostMemory, "memory", f.memory, mostMemory},
		{f.latency > latencyNoise, "latency", f.latency, latencyNoise},
	} {
		if test.bad {
			complaints = append(complaints,
				fmt.Sprintf("the %s is %.2f of kube-scheduler's, want %.2f", test.what, test.ratio, test.want))
		}
	}
	return complaints
}

// A scheduler of one's own is as fast as kube-scheduler, and needs hardly more memory.
func TestRunIsAsGoodAsKubeScheduler(t *testing.T) {
	ctx := t.Context()
	createMany(ctx, t, several(manyNodes, func(i int) *corev1.Node {
		return node(fmt.Sprintf("n%04d", i), allocatable("cpu", "16"))
	}))
	config := writeFastConfig(t)
	var complaints []string
	// A busy machine may hit either of the two, so that there is another chance.
	for range 3 {
		theirs, ours := measureKubeScheduler(ctx, t, config), measureRun(ctx, t)
		theirs.latency, ours.latency = measureLatencies(ctx, t, config)
		if t.Failed() {
			return
		}
		ratio := ours.by(theirs)
		t.Logf("%d Pods on %d nodes: kube-scheduler %v; kubectl sched run %v; ratios %.2f, %.2f, %.2f",
			manyPods, manyNodes, theirs, ours, ratio.perSecond, ratio.memory, ratio.latency)
		if complaints = ratio.complaints(); len(complaints) == 0 {
			return
		}
	}
	wantNone(t, complaints)
}

func measureKubeScheduler(ctx context.Context, t *testing.T, config string) (measured figures) {
	t.Run("kube-scheduler", func(t *testing.T) {
		watch := manyWait(ctx, t, corev1.DefaultSchedulerName)
		scheduler, _ := startFastScheduler(t, config)
		waitHerd(ctx, t, watch, manyPods)
		measured = figures{perSecond: manyPods / watch.duration().Seconds(), memory: peakMemory(t, scheduler.Pid())}
	})
	return measured
}

func measureRun(ctx context.Context, t *testing.T) (measured figures) {
	t.Run("run", func(t *testing.T) {
		watch := manyWait(ctx, t, ownScheduler)
		run, _ := startFastRun(ctx, t)
		waitHerd(ctx, t, watch, manyPods)
		measured = figures{perSecond: manyPods / watch.duration().Seconds(), memory: peakMemory(t, run.pid)}
		run.stop(t)
		if bound := countOf(run.decisions(), report.ResultBound); bound != manyPods {
			t.Errorf("%d decisions say Bound, want %d", bound, manyPods)
		}
	})
	return measured
}

// manyWait creates the Pods that a scheduler finds when it starts.
func manyWait(ctx context.Context, t *testing.T, scheduler string) *podWatch {
	t.Helper()
	if err := newHerd(ctx, t, scheduler).add(ctx, manyPods); err != nil {
		t.Fatal(err)
	}
	return watchPods(ctx, t)
}

// measureLatencies has both schedulers work side by side, so that whatever else the machine does hits both.
func measureLatencies(ctx context.Context, t *testing.T, config string) (theirs, ours float64) {
	t.Run("side by side", func(t *testing.T) {
		watch := watchPods(ctx, t)
		_, theirMetrics := startFastScheduler(t, config)
		run, ourMetrics := startFastRun(ctx, t)
		run.waitSaid(ctx, t, "Scheduling Pods")
		theirHerd, ourHerd := newHerd(ctx, t, corev1.DefaultSchedulerName), newHerd(ctx, t, ownScheduler)
		pace := flowcontrol.NewTokenBucketRateLimiter(latePerSecond, 1)
		for range latePods {
			err := errors.Join(pace.Wait(ctx), theirHerd.add(ctx, 1), pace.Wait(ctx), ourHerd.add(ctx, 1))
			if err != nil {
				t.Fatal(err)
			}
		}
		waitHerd(ctx, t, watch, 2*latePods)
		theirs, ours = medianAttempt(ctx, t, theirMetrics), medianAttempt(ctx, t, ourMetrics)
		run.stop(t)
	})
	return theirs, ours
}

// medianAttempt is how many milliseconds the attempts took that bound a Pod: kube-scheduler's own measure.
func medianAttempt(ctx context.Context, t *testing.T, endpoints string) float64 {
	t.Helper()
	metrics := getMetrics(ctx, t, endpoints)
	attempts := histogram(t, metrics, "scheduler_scheduling_attempt_duration_seconds", "result", "scheduled")
	return attempts.Quantile(0.5) * 1000
}

// startFastScheduler starts a kube-scheduler whose requests go out as fast as they are made.
func startFastScheduler(t *testing.T, config string) (scheduler *controlplane.Process, endpoints string) {
	t.Helper()
	address := freeAddress(t)
	_, port, _ := net.SplitHostPort(address)
	scheduler = startScheduler(t, "--config="+config, "--bind-address=127.0.0.1", "--secure-port="+port,
		"--authentication-kubeconfig="+env.Kubeconfig, "--authorization-kubeconfig="+env.Kubeconfig)
	return scheduler, "https://" + address
}

// startFastRun starts the same of our own.
func startFastRun(ctx context.Context, t *testing.T) (run *runProcess, endpoints string) {
	t.Helper()
	address := freeAddress(t)
	run = startRun(ctx, t, env.kubectl, "--bind-address="+address, "--qps=5000", "--burst=5000")
	return run, "http://" + address
}
