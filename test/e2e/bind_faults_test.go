//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/test/e2e/controlplane"
	"github.com/kubectl-sched/kubectl-sched/test/e2e/faults"
)

// crowd creates nodes and pending Pods that all fit: eight on each node.
func crowd(ctx context.Context, t *testing.T, count int) []*corev1.Pod {
	t.Helper()
	createMany(ctx, t, several((count+7)/8, func(i int) *corev1.Node {
		return node(fmt.Sprintf("n%02d", i+1), zone(string("abc"[i%3])))
	}))
	pods := several(count, func(i int) *corev1.Pod {
		return pod(fmt.Sprintf("crowd-%03d", i), podLabels("app", "crowd"), requests("cpu", "500m", "memory", "512Mi"))
	})
	createMany(ctx, t, pods)
	return pods
}

// A run outlasts the death of the kube-apiserver in its middle: when it is back all are bound, each once.
func TestBindWhileTheAPIServerRestarts(t *testing.T) {
	ctx := t.Context()
	pods := crowd(ctx, t, 300)
	watch := watchPods(ctx, t)
	running := startBind(ctx, t, env.kubectl, "--pending", "-A")
	watch.waitBound(ctx, t, 20)
	restartAPIServer(ctx, t)
	run := endOf(t, running)
	run.wantExit(t, 0)
	after := readAftermath(ctx, t)
	watch.catchUp(ctx, t, after)
	wantNone(t, after.lost(pods), after.unbound(pods), after.moved(watch), after.broken(),
		after.untrue(run.results, pods), after.unsung(run.results, pods))
}

// Through a network that loses requests and answers, and an API server that refuses now and then, all Pods are bound,
// each once, and every binding has its event.
func TestBindThroughFaults(t *testing.T) {
	for name, test := range map[string]struct {
		hits   func(*http.Request) bool
		http1  bool
		silent int // requests that are never answered: the run waits 10 s for each
	}{
		"of bindings over HTTP/2":                {hits: faults.IsBinding, silent: 1},
		"of bindings over HTTP/1.1":              {hits: faults.IsBinding, http1: true},
		"of all that is written, and read again": {hits: isWriteOrGet, silent: 1},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			create(ctx, t, yardClasses()...)
			pods := crowd(ctx, t, 200)
			disks := several(8, func(i int) *corev1.PersistentVolumeClaim { return claim(fmt.Sprintf("disk-%d", i), "disk") })
			createMany(ctx, t, disks)
			owners := several(8, func(i int) *corev1.Pod { return pod(fmt.Sprintf("owner-%d", i), claims(disks[i].Name)) })
			createMany(ctx, t, owners)
			pods = append(pods, owners...)
			watch := watchPods(ctx, t)

			counts := map[faults.Fault]int{
				faults.None: 90, faults.Lost: 8, faults.AnswerLost: 8, faults.NeverAnswered: test.silent, faults.Late: 8,
				faults.Conflict: 8, faults.TooManyRequests: 8, faults.ServerError: 8, faults.ServerErrorAfter: 8,
			}
			proxy := startProxy(t, counts, faults.Options{Hits: test.hits, HTTP1: test.http1})
			run := runBindThrough(ctx, t, proxy, "--pending", "-A")
			run.wantExit(t, 0)
			after := readAftermath(ctx, t)
			watch.catchUp(ctx, t, after)
			wantNone(t, after.lost(pods), after.unbound(pods), after.moved(watch), after.broken(),
				after.untrue(run.results, pods), after.unsung(run.results, pods))
		})
	}
}

// isWriteOrGet leaves out lists and watches, which informers begin again by themselves.
func isWriteOrGet(r *http.Request) bool {
	return r.Method != http.MethodGet || regexp.MustCompile(`/(pods|leases|resourceclaims)/[^/]+$`).MatchString(r.URL.Path)
}

// startProxy starts a proxy that deals the faults, and returns a kubectl that goes through it. When the test ends, every
// fault must have happened.
func startProxy(t *testing.T, counts map[faults.Fault]int, options faults.Options) kubectl {
	t.Helper()
	const seed = 1
	options.Deck = faults.NewDeck(seed, counts)
	options.Delay = 500 * time.Millisecond
	_, through := startFaults(t, options)
	t.Cleanup(func() {
		dealt := options.Deck.Dealt()
		for fault, count := range counts {
			if dealt[fault] < count {
				t.Errorf("%q happened %d times, want %d", fault, dealt[fault], count)
			}
		}
	})
	return through
}

// startFaults starts a proxy, whose deck may be left out, and returns it and a kubectl that goes through it.
func startFaults(t *testing.T, options faults.Options) (*faults.Proxy, kubectl) {
	t.Helper()
	options.Target = env.Config
	if options.Deck == nil {
		options.Deck = faults.NewDeck(0, nil)
	}
	proxy, err := faults.Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := controlplane.WriteKubeconfig(proxy.Config, kubeconfig); err != nil {
		t.Fatal(err)
	}
	return proxy, env.kubectl.through(kubeconfig)
}
