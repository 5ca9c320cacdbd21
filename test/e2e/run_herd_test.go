//go:build e2e

package e2e

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/component-base/metrics/testutil"
)

// herdTimeout is how long a scheduler may take for a herd, on a busy machine.
const herdTimeout = 5 * time.Minute

// herd is small Pods that a scheduler is measured by. It asks less of the API server than createMany does.
type herd struct {
	scheduler string
	pods      corev1client.PodInterface
	count     int
}

// newHerd returns a herd without Pods. Those that are added are removed when the test ends.
func newHerd(ctx context.Context, t *testing.T, scheduler string) *herd {
	t.Helper()
	config := rest.CopyConfig(env.Config)
	config.ContentType = runtime.ContentTypeProtobuf
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	h := &herd{scheduler: scheduler, pods: client.CoreV1().Pods(namespace)}
	t.Cleanup(func() {
		if err := h.remove(context.WithoutCancel(ctx)); err != nil {
			t.Errorf("removing Pods: %v", err)
		}
	})
	return h
}

func (h *herd) nameOf(i int) string { return fmt.Sprintf("%s-%04d", h.scheduler, i) }

// add creates more Pods, side by side.
func (h *herd) add(ctx context.Context, count int) error {
	creations, ctx := errgroup.WithContext(ctx)
	creations.SetLimit(sideBySide)
	for range count {
		small := pod(h.nameOf(h.count), schedulerName(h.scheduler), requests("cpu", "1", "memory", "128Mi"))
		h.count++
		creations.Go(func() error {
			_, err := h.pods.Create(ctx, small, metav1.CreateOptions{})
			return err
		})
	}
	return creations.Wait()
}

// remove removes all Pods at once.
func (h *herd) remove(ctx context.Context) error {
	var removals errgroup.Group
	removals.SetLimit(sideBySide)
	for i := range h.count {
		removals.Go(func() error {
			err := h.pods.Delete(ctx, h.nameOf(i), *metav1.NewDeleteOptions(0))
			if apierrors.IsNotFound(err) {
				return nil
			}
			return err
		})
	}
	return removals.Wait()
}

// waitHerd waits until as many Pods are bound.
func waitHerd(ctx context.Context, t *testing.T, watch *podWatch, count int) {
	t.Helper()
	err := wait.PollUntilContextTimeout(ctx, pollInterval, herdTimeout, true,
		func(context.Context) (bool, error) { return len(watch.order()) >= count, nil })
	if err != nil {
		t.Fatalf("waiting for %d Pods to be bound: %v; %d were", count, err, len(watch.order()))
	}
}

// getMetrics reads /metrics as an administrator.
func getMetrics(ctx context.Context, t *testing.T, endpoints string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, endpoints+"/metrics", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+env.Config.BearerToken)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer client.CloseIdleConnections()
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s/metrics answers %s (%v): %s", endpoints, response.Status, err, text)
	}
	return string(text)
}

// histogram finds a histogram in metrics, by its name and labels.
func histogram(t *testing.T, text, name string, labels ...string) *testutil.Histogram {
	t.Helper()
	families, err := testutil.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, metric := range families[name].GetMetric() {
		if testutil.LabelsMatch(metric, pairsOf(labels...)) {
			return &testutil.Histogram{Histogram: metric.GetHistogram()}
		}
	}
	t.Fatalf("the metrics have no %s %q:\n%s", name, labels, text)
	return nil
}

// peakMemory is how many MiB of memory a process had at most; 0 where only Linux could tell.
func peakMemory(t *testing.T, pid int) float64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if os.IsNotExist(err) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	_, peak, found := strings.Cut(string(status), "\nVmHWM:")
	var kibibytes float64
	if _, err := fmt.Sscan(peak, &kibibytes); !found || err != nil {
		t.Fatalf("no VmHWM in the status of process %d: %v\n%s", pid, err, status)
	}
	return kibibytes / 1024
}

// freeAddress is one of this host that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}
