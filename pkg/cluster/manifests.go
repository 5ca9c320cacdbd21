package cluster

import (
	"context"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// ReadManifests reads the Pods and the workloads with a Pod template that the files hold, in their order and with kind
// and apiVersion set. It is as strict as the API server: a field that the kind does not have is an error. Other objects
// are skipped, which the warnings tell. A namespace that is not given stays empty; a generateName becomes a name.
func ReadManifests(ctx context.Context, files []File) (objects []Object, warnings []string, err error) {
	r := reader{wants: asksForPods, generate: true}
	rest := newAside()
	for _, file := range files {
		all, err := r.read(ctx, file)
		if err != nil {
			return nil, nil, err
		}
		if len(all) == 0 {
			rest.empty = append(rest.empty, file.Name)
		}
		for i := range all {
			f := &all[i]
			if len(f.unknown) > 0 {
				return nil, nil, f.errorf(f.name(), f.unknown[0], "unknown %s", fields(f.unknown))
			}
			rest.add(f)
			if f.object != nil {
				f.object.GetObjectKind().SetGroupVersionKind(f.kind.GroupVersionKind)
				objects = append(objects, f.object)
			}
		}
	}
	if len(objects) == 0 {
		return nil, nil, rest.nothing(files, "Pod or workload",
			"give the manifest of a Pod, or of what makes Pods, such as a Deployment")
	}
	return objects, rest.warnings("that are not Pods and make none"), nil
}

// asksForPods tells whether objects of the kind are Pods or make some.
func asksForPods(kind *Kind) bool {
	path, _ := PodTemplate(kind.New())
	return path != "" || kind.GroupVersionKind == corev1.SchemeGroupVersion.WithKind("Pod")
}

// fields lists field paths for a message.
func fields(paths []string) string {
	var all []string
	for _, path := range paths {
		all = append(all, strconv.Quote(path))
	}
	if len(all) == 1 {
		return "field " + all[0]
	}
	return "fields " + strings.Join(all, ", ")
}
