//go:build e2e

package e2e

import (
	"context"
	"testing"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// waitCaches waits until the API server's watch caches, which explain reads, hold what the test has just done: a list of
// the newest state brings a cache up to it.
func waitCaches(ctx context.Context, t *testing.T) {
	t.Helper()
	client, err := dynamic.NewForConfig(env.Config)
	if err != nil {
		t.Fatal(err)
	}
	lists, ctx := errgroup.WithContext(ctx)
	for _, kind := range cluster.Kinds {
		if kind.Use != cluster.Scheduling && kind.Use != cluster.Admission {
			continue
		}
		lists.Go(func() error {
			_, err := client.Resource(kind.GroupVersion().WithResource(kind.Resource)).List(ctx, metav1.ListOptions{})
			return err
		})
	}
	if err := lists.Wait(); err != nil {
		t.Fatalf("waiting for the API server's caches: %v", err)
	}
}
