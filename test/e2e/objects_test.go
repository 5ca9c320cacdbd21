//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/util/retry"
)

// object is any API object a test creates.
type object interface {
	runtime.Object
	metav1.Object
}

// create creates the objects and removes them when the test ends, the last one first. It fills in what the API server
// added to each. What the API server drops on creation is done by a second call: the status of a Pod, and deletion.
func create(ctx context.Context, t *testing.T, objects ...object) {
	t.Helper()
	for _, o := range objects {
		resource, err := resourceOf(o)
		if err != nil {
			t.Fatal(err)
		}
		if err := createOne(ctx, resource, o); err != nil {
			t.Fatalf("creating %T %s: %v", o, o.GetName(), err)
		}
		t.Cleanup(func() { remove(context.WithoutCancel(ctx), t, resource, o) })
	}
}

func createOne(ctx context.Context, resource dynamic.ResourceInterface, o object) error {
	content, err := toUnstructured(o)
	if err != nil {
		return err
	}
	stored, err := resource.Create(ctx, content, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if _, isPod := o.(*corev1.Pod); isPod && content.Object["status"] != nil {
		// A running kube-scheduler may write the status of the new Pod at the same time.
		err := retry.RetryOnConflict(retry.DefaultBackoff, func() (err error) {
			if stored, err = resource.Get(ctx, o.GetName(), metav1.GetOptions{}); err != nil {
				return err
			}
			stored.Object["status"] = merged(stored.Object["status"], content.Object["status"])
			stored, err = resource.UpdateStatus(ctx, stored, metav1.UpdateOptions{})
			return err
		})
		if err != nil {
			return fmt.Errorf("writing the status: %w", err)
		}
	}
	if o.GetDeletionTimestamp() != nil {
		if err := resource.Delete(ctx, o.GetName(), metav1.DeleteOptions{}); err != nil {
			return fmt.Errorf("deleting: %w", err)
		}
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructured(stored.Object, o)
}

// merged returns the fields of both statuses; those that the test gave win.
func merged(stored, given any) map[string]any {
	status := map[string]any{}
	for _, fields := range []any{stored, given} {
		if fields, ok := fields.(map[string]any); ok {
			for name, value := range fields {
				status[name] = value
			}
		}
	}
	return status
}

// remove deletes the object and waits until it is gone. Finalizers are dropped first: nobody else is there to do it.
func remove(ctx context.Context, t *testing.T, resource dynamic.ResourceInterface, o object) {
	t.Helper()
	noFinalizers := []byte(`{"metadata":{"finalizers":null}}`)
	err := wait.PollUntilContextTimeout(ctx, pollInterval, decisionTimeout, true, func(ctx context.Context) (bool, error) {
		current, err := resource.Get(ctx, o.GetName(), metav1.GetOptions{})
		if apierrors.IsNotFound(err) || (err == nil && current.GetUID() != o.GetUID()) {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if len(current.GetFinalizers()) > 0 {
			_, err = resource.Patch(ctx, o.GetName(), types.MergePatchType, noFinalizers, metav1.PatchOptions{})
		}
		if err == nil {
			err = resource.Delete(ctx, o.GetName(), *metav1.NewDeleteOptions(0))
		}
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return false, err
	})
	if err != nil {
		t.Errorf("removing %T %s: %v", o, o.GetName(), err)
	}
}

func resourceOf(o object) (dynamic.ResourceInterface, error) {
	kinds, _, err := scheme.Scheme.ObjectKinds(o)
	if err != nil {
		return nil, err
	}
	client, err := clients()
	if err != nil {
		return nil, err
	}
	mapping, err := client.mapper.RESTMapping(kinds[0].GroupKind(), kinds[0].Version)
	if err != nil {
		return nil, err
	}
	return client.dynamic.Resource(mapping.Resource).Namespace(o.GetNamespace()), nil
}

func toUnstructured(o object) (*unstructured.Unstructured, error) {
	kinds, _, err := scheme.Scheme.ObjectKinds(o)
	if err != nil {
		return nil, err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetGroupVersionKind(kinds[0])
	return u, nil
}

// anyKind creates and deletes objects of every kind.
type anyKind struct {
	dynamic dynamic.Interface
	mapper  *restmapper.DeferredDiscoveryRESTMapper
}

var clients = sync.OnceValues(func() (*anyKind, error) {
	client, err := dynamic.NewForConfig(env.Config)
	if err != nil {
		return nil, err
	}
	discovery := memory.NewMemCacheClient(env.Client.Discovery())
	return &anyKind{dynamic: client, mapper: restmapper.NewDeferredDiscoveryRESTMapper(discovery)}, nil
})
