package run_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	fwk "k8s.io/kube-scheduler/framework"
)

// writer is a Permit plugin that deletes the Pods it permits, by a client of its own.
type writer struct{ client kubernetes.Interface }

func newWriter(_ context.Context, _ runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	if handle.KubeConfig() == nil {
		return nil, errors.New("the handle has no KubeConfig")
	}
	client, err := kubernetes.NewForConfig(handle.KubeConfig())
	return writer{client}, err
}

func (writer) Name() string { return "Writer" }

func (w writer) Permit(ctx context.Context, _ fwk.CycleState, pod *corev1.Pod, _ string) (*fwk.Status, time.Duration) {
	return fwk.AsStatus(w.client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{})), 0
}

// Plugins may make clients of their own, as kube-scheduler lets them. What those write is not written in a dry run.
func TestDryRunOfPluginsWithClientsOfTheirOwn(t *testing.T) {
	server := newAPIServer(t, nodeText("n1"), podText("a", "1"))
	server.before = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodGet {
			t.Errorf("%s %s", r.Method, r.URL.Path)
		}
		return false
	}
	options := withPermit(t, "Writer", newWriter)
	options.DryRun = true
	loop, decided := server.loop(options)
	pass(t, loop)
	if !decided.has("a Bound n1")() {
		t.Errorf("got %v", decided.lines())
	}
}
