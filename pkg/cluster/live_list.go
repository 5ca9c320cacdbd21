package cluster

import (
	"cmp"
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/pager"
)

// askedPageSize is the page size of List, as kubectl's --chunk-size.
const askedPageSize = 500

// ListSelector narrows a List; its zero value selects all objects of all namespaces.
type ListSelector struct {
	Namespace string
	Labels    string
	Fields    string
}

// List reads what a user asked about, sorted by namespace and name. Unlike in ReadLive the objects are current and
// whole (without managedFields and the last-applied annotation), and Pods that have finished are among them.
func List(ctx context.Context, config *rest.Config, kind *Kind, selector ListSelector) ([]Object, error) {
	api, err := connect(config)
	if err != nil {
		return nil, err
	}
	var objects []Object
	err = api.list(ctx, listing{
		kind:      kind,
		namespace: selector.Namespace,
		options: metav1.ListOptions{
			LabelSelector: selector.Labels,
			FieldSelector: selector.Fields,
			Limit:         askedPageSize,
		},
		trim: trimMetadata,
		to:   typed[Object]{&objects},
	})
	if err != nil {
		return nil, cannotList(kind, err)
	}
	return objects, nil
}

// Get reads one object, current and whole (without managedFields and the last-applied annotation). The error of an
// object that does not exist satisfies apierrors.IsNotFound.
func Get(ctx context.Context, config *rest.Config, kind *Kind, namespace, name string) (Object, error) {
	api, client, err := connectFor(config, kind.GroupVersion())
	if err != nil {
		return nil, err
	}
	request := client.Get().NamespaceIfScoped(namespace, kind.Namespaced).Resource(kind.Resource).Name(name)
	got, err := api.send(ctx, request, kind.GroupVersionKind)
	if err != nil {
		return nil, fmt.Errorf("cannot get %s %s: %w", kind.Resource, qualified(namespace, name), err)
	}
	object := got.(Object)
	trimMetadata(object)
	return object, nil
}

// listing is one list request, in as many pages as the server makes of it.
type listing struct {
	kind      *Kind
	namespace string // empty: all
	options   metav1.ListOptions
	// trim drops from an object what is not wanted, page by page, so that it does not pile up.
	trim func(Object)
	// to gets the objects, sorted; nothing when the list fails.
	to slots
}

// list carries out a listing.
func (c *connection) list(ctx context.Context, l listing) error {
	client, err := c.client(l.kind.GroupVersion())
	if err != nil {
		return err
	}
	// The pager follows continue tokens, and asks for the list in one piece when a token has expired.
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return c.page(ctx, client, l, options)
	})
	pages.PageSize = l.options.Limit
	list, _, err := pages.List(ctx, l.options)
	if err != nil {
		return err
	}
	err = meta.EachListItem(list, func(object runtime.Object) error {
		l.to.add(object.(Object))
		return nil
	})
	if err != nil {
		return err
	}
	l.to.sort(byNamespaceAndName)
	return nil
}

// page reads one page of a listing and trims its objects.
func (c *connection) page(ctx context.Context, client rest.Interface, l listing, options metav1.ListOptions,
) (runtime.Object, error) {
	request := client.Get().
		NamespaceIfScoped(l.namespace, l.kind.Namespaced).
		Resource(l.kind.Resource).
		VersionedParams(&options, scheme.ParameterCodec)
	page, err := c.send(ctx, request, listKind(l.kind))
	if err != nil {
		return nil, err
	}
	if more := page.(metav1.ListInterface).GetContinue(); more != "" && more == options.Continue {
		return nil, fmt.Errorf("the server sends the same page of %s again and again", l.kind.Resource)
	}
	return page, meta.EachListItem(page, func(object runtime.Object) error {
		l.trim(object.(Object))
		return nil
	})
}

// listKind names the list type of a kind.
func listKind(kind *Kind) schema.GroupVersionKind {
	return kind.GroupVersion().WithKind(kind.Kind + "List")
}

// byNamespaceAndName is the order of a State's lists. The server's differs: it puts "a-b" before "a".
func byNamespaceAndName(a, b Object) int {
	return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
}

// qualified names an object in a message.
func qualified(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}
