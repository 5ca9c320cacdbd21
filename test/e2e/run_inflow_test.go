//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/clock"
)

// perNode is how many fillers a node takes.
const perNode = 8

// fullNodes creates nodes that fillers fill.
func fullNodes(ctx context.Context, t *testing.T, count int) {
	t.Helper()
	createMany(ctx, t, several(count, func(i int) *corev1.Node {
		return node(fmt.Sprintf("n%02d", i+1), zone(string("abc"[i%3])))
	}))
}

// fillers are Pods of `run` of which perNode take all the room of a node.
func fillers(count int) []*corev1.Pod {
	return several(count, func(i int) *corev1.Pod {
		return pod(fmt.Sprintf("filler-%03d", i), schedulerName(ownScheduler), requests("cpu", "500m", "memory", "1Gi"))
	})
}

// requestLog keeps what is written but Leases.
type requestLog struct {
	mu       sync.Mutex
	requests []string
}

// keep has the signature of faults.Options.Hits, and hits nothing.
func (l *requestLog) keep(r *http.Request) bool {
	if r.Method == http.MethodGet || strings.Contains(r.URL.Path, "/leases") {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests = append(l.requests, r.Method+" "+r.URL.Path)
	return false
}

func (l *requestLog) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.requests)
}

// inflow creates Pods one after the other, one every so often, whatever becomes of the API server meanwhile. The
// channel is closed when all exist.
func inflow(ctx context.Context, t *testing.T, pods []*corev1.Pod, every time.Duration) <-chan struct{} {
	t.Helper()
	done := make(chan struct{})
	ctx, stop := context.WithCancel(ctx)
	t.Cleanup(func() {
		stop()
		<-done
		removeMany(context.WithoutCancel(ctx), t, slices.DeleteFunc(slices.Clone(pods), func(pod *corev1.Pod) bool {
			return pod.UID == "" // it was not created
		}))
	})
	go func() {
		defer close(done)
		ticker := clock.RealClock{}.NewTicker(every)
		defer ticker.Stop()
		for _, pod := range pods {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C():
			}
			if err := createSurely(ctx, pod); err != nil && ctx.Err() == nil {
				t.Errorf("creating Pod %s: %v", pod.Name, err)
				return
			}
		}
	}()
	return done
}

// createSurely creates a Pod, as soon as the API server lets it, and fills in what that added.
func createSurely(ctx context.Context, pod *corev1.Pod) error {
	pods := env.Client.CoreV1().Pods(pod.Namespace)
	var refused error
	err := wait.PollUntilContextTimeout(ctx, pollInterval, decisionTimeout, true, func(ctx context.Context) (bool, error) {
		stored, err := pods.Create(ctx, pod, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) { // the answer to the try before was lost
			stored, err = pods.Get(ctx, pod.Name, metav1.GetOptions{})
		}
		if err == nil {
			*pod = *stored
		}
		refused = err
		return err == nil, nil
	})
	if err != nil {
		return errors.Join(err, refused)
	}
	return nil
}
