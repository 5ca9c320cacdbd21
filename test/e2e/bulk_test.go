//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"testing"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
)

// sideBySide is how many requests createMany has in flight.
const sideBySide = 16

// createMany is create for objects of which none needs another: they are created, and removed, side by side.
func createMany[T object](ctx context.Context, t *testing.T, objects []T) {
	t.Helper()
	resources := resourcesOf(t, objects)
	t.Cleanup(func() { removeMany(context.WithoutCancel(ctx), t, objects) })
	creations, ctx := errgroup.WithContext(ctx)
	creations.SetLimit(sideBySide)
	for i, o := range objects {
		creations.Go(func() error {
			if err := createOne(ctx, resources[i], o); err != nil {
				return fmt.Errorf("creating %T %s: %w", o, o.GetName(), err)
			}
			return nil
		})
	}
	if err := creations.Wait(); err != nil {
		t.Fatal(err)
	}
}

// removeMany is remove for several objects, side by side.
func removeMany[T object](ctx context.Context, t *testing.T, objects []T) {
	t.Helper()
	resources := resourcesOf(t, objects)
	var removals errgroup.Group
	removals.SetLimit(sideBySide)
	for i, o := range objects {
		removals.Go(func() error {
			remove(ctx, t, resources[i], o)
			return nil
		})
	}
	_ = removals.Wait() // remove has told the test
}

func resourcesOf[T object](t *testing.T, objects []T) []dynamic.ResourceInterface {
	t.Helper()
	resources := make([]dynamic.ResourceInterface, len(objects))
	for i, o := range objects {
		var err error
		if resources[i], err = resourceOf(o); err != nil {
			t.Fatal(err)
		}
	}
	return resources
}

// several makes objects of one kind that differ by their number.
func several[T any](count int, one func(i int) T) []T {
	all := make([]T, 0, count)
	for i := range count {
		all = append(all, one(i))
	}
	return all
}

// removeClaims removes, when the test ends, the ResourceClaims that somebody has made for the test's Pods meanwhile.
func removeClaims(ctx context.Context, t *testing.T) {
	t.Helper()
	t.Cleanup(func() {
		ctx := context.WithoutCancel(ctx)
		claims, err := env.Client.ResourceV1().ResourceClaims(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range claims.Items {
			resource, err := resourceOf(&claims.Items[i])
			if err != nil {
				t.Fatal(err)
			}
			remove(ctx, t, resource, &claims.Items[i])
		}
	})
}
