package cluster

import "k8s.io/apimachinery/pkg/runtime/schema"

// admit checks a decoded object and gives it what a server would have.
func (r reader) admit(f *found) error {
	object := f.object
	if r.generate && object.GetName() == "" && object.GetGenerateName() != "" {
		object.SetName(object.GetGenerateName() + "xxxxx") // where the API server puts five random letters
	}
	if object.GetName() == "" {
		return f.errorf(f.kind.Kind, "metadata", "metadata.name is missing")
	}
	switch {
	case !f.kind.Namespaced:
		object.SetNamespace("")
	case object.GetNamespace() == "":
		object.SetNamespace(r.namespace)
	}
	if field, err := checkQuantities(object); err != nil {
		return f.errorf(f.name(), field, "%w", err)
	}
	trimMetadata(object)
	if len(object.GetAnnotations()) == 0 {
		object.SetAnnotations(nil)
	}
	// Objects of typed lists and of a live server name no kind; so does no object of a State.
	object.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return nil
}
