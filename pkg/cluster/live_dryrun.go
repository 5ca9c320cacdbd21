package cluster

import (
	"context"
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// CreateDryRun posts an object with dryRun=All and returns it as the server would store it: defaulted, validated, and
// through admission with its webhooks. Nothing is stored. The object itself is not changed; a resourceVersion, as a
// saved object has it, is not sent, since the server refuses it.
//
// The error keeps the server's answer: apierrors.IsForbidden, IsAlreadyExists, IsInvalid and so on tell what it was.
// The server's warnings go to the config's WarningHandler.
func CreateDryRun(ctx context.Context, config *rest.Config, object Object) (Object, error) {
	kind := KindOf(object)
	if kind == nil {
		return nil, fmt.Errorf("cannot create a %T: it is not in the table of kinds", object)
	}
	api, client, err := connectFor(config, kind.GroupVersion())
	if err != nil {
		return nil, err
	}
	body := object.DeepCopyObject().(Object)
	body.SetResourceVersion("")
	request := client.Post().
		NamespaceIfScoped(object.GetNamespace(), kind.Namespaced).
		Resource(kind.Resource).
		VersionedParams(&metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}, scheme.ParameterCodec).
		Body(body)
	created, err := api.send(ctx, request, kind.GroupVersionKind)
	if err != nil {
		return nil, fmt.Errorf("dry run of creating %s %s: %w", kind.Resource,
			qualified(object.GetNamespace(), object.GetName()), err)
	}
	stored := created.(Object)
	trimMetadata(stored)
	return stored, nil
}

// MayCreate asks the API server whether RBAC lets the user create objects of the kind in the namespace.
func MayCreate(ctx context.Context, config *rest.Config, kind *Kind, namespace string) (bool, error) {
	gv := authorizationv1.SchemeGroupVersion
	api, client, err := connectFor(config, gv)
	if err != nil {
		return false, err
	}
	review := &authorizationv1.SelfSubjectAccessReview{}
	review.Spec.ResourceAttributes = &authorizationv1.ResourceAttributes{
		Namespace: namespace,
		Verb:      "create",
		Group:     kind.Group,
		Resource:  kind.Resource,
	}
	request := client.Post().Resource("selfsubjectaccessreviews").Body(review)
	answer, err := api.send(ctx, request, gv.WithKind("SelfSubjectAccessReview"))
	if err != nil {
		return false, fmt.Errorf("asking whether %s may be created: %w", kind.Resource, err)
	}
	return answer.(*authorizationv1.SelfSubjectAccessReview).Status.Allowed, nil
}
