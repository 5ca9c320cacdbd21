package cluster_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// BenchmarkReadLive reads 20,000 running Pods, transport included.
func BenchmarkReadLive(b *testing.B) {
	list := &corev1.PodList{}
	for i := range 20_000 {
		pod := runningPod()
		pod.Name = fmt.Sprintf("web-%05d", i)
		list.Items = append(list.Items, *pod)
	}
	for name, media := range map[string]string{
		"protobuf": runtime.ContentTypeProtobuf,
		"JSON":     runtime.ContentTypeJSON,
	} {
		b.Run(name, func(b *testing.B) {
			recorded := httptest.NewRecorder()
			respond(recorded, http.StatusOK, media, list)
			server := &apiServer{handlers: map[string]http.HandlerFunc{
				"/api/v1/pods": func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", media)
					_, _ = w.Write(recorded.Body.Bytes())
				},
			}}
			config := serveAPI(b, server)
			b.SetBytes(int64(recorded.Body.Len()))
			b.ReportAllocs()
			for b.Loop() {
				state, err := cluster.ReadLive(b.Context(), config, cluster.LiveOptions{})
				if err != nil {
					b.Fatal(err)
				}
				if len(state.Pods) != len(list.Items) {
					b.Fatalf("got %d Pods, want %d", len(state.Pods), len(list.Items))
				}
			}
		})
	}
}
