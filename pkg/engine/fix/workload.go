package fix

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// workload is what makes the Pod.
type workload struct {
	// name is TYPE/NAME as kubectl takes it.
	name string
	// path is a patch of the workload around one of its Pod template; empty for one whose template is not known or cannot
	// be changed, or whose Pods are not made anew when it is.
	path string
	// template is its Pod template; nil when the State does not hold it.
	template *corev1.PodTemplateSpec
}

// paths are the patches around that of a Pod, by API group and kind.
var paths = map[string]string{
	"apps/Deployment":  `{"spec":{"template":%s}}`,
	"apps/StatefulSet": `{"spec":{"template":%s}}`,
	"apps/DaemonSet":   `{"spec":{"template":%s}}`,
	"batch/CronJob":    `{"spec":{"jobTemplate":{"spec":{"template":%s}}}}`,
}

// workload finds what makes the Pod, by its owner; false for a Pod of its own, and for a manifest, which is nothing in
// the cluster.
func (s Situation) workload() (workload, bool) {
	owner := metav1.GetControllerOf(s.Pod)
	if owner == nil {
		return workload{}, false
	}
	var template *corev1.PodTemplateSpec
	if set := find(s.State.ReplicaSets, s.Pod.Namespace, owner.Name); owner.Kind == "ReplicaSet" && set != nil {
		if above := metav1.GetControllerOf(set); above != nil {
			owner, template = above, &set.Spec.Template // the Deployment's own, but for a label
		}
	}
	group, _, _ := strings.Cut(owner.APIVersion, "/")
	out := workload{name: strings.ToLower(owner.Kind) + "/" + owner.Name, template: template}
	if path := paths[group+"/"+owner.Kind]; path != "" {
		out.template = cmp.Or(s.template(owner), template)
		if out.template != nil && !s.keepsBack(owner) { // what is not known cannot be patched
			out.path = path
		}
	}
	return out, true
}

// keepsBack tells of a StatefulSet that makes some of its Pods from an older template.
func (s Situation) keepsBack(owner *metav1.OwnerReference) bool {
	set := find(s.State.StatefulSets, s.Pod.Namespace, owner.Name)
	if owner.Kind != "StatefulSet" || set == nil {
		return false
	}
	update := set.Spec.UpdateStrategy.RollingUpdate
	return update != nil && update.Partition != nil && *update.Partition > 0
}

// template returns the Pod template of a workload of the State; nil when there is none.
func (s Situation) template(owner *metav1.OwnerReference) *corev1.PodTemplateSpec {
	var object cluster.Object
	switch namespace := s.Pod.Namespace; owner.Kind {
	case "Deployment":
		object = orNil(find(s.State.Deployments, namespace, owner.Name))
	case "StatefulSet":
		object = orNil(find(s.State.StatefulSets, namespace, owner.Name))
	case "DaemonSet":
		object = orNil(find(s.State.DaemonSets, namespace, owner.Name))
	case "CronJob":
		object = orNil(find(s.State.CronJobs, namespace, owner.Name))
	}
	if object == nil {
		return nil
	}
	_, template := cluster.PodTemplate(object)
	return template
}

// find returns the object of a name; nil when there is none.
func find[T any, P interface {
	*T
	cluster.Object
}](objects []P, namespace, name string) P {
	i := slices.IndexFunc(objects, func(o P) bool { return o.GetNamespace() == namespace && o.GetName() == name })
	if i < 0 {
		return nil
	}
	return objects[i]
}

// orNil makes a nil object of a nil pointer.
func orNil[T any, P interface {
	*T
	cluster.Object
}](object P) cluster.Object {
	if object == nil {
		return nil
	}
	return object
}

// podCommand changes the workload that makes the Pod, or the Pod itself where that is the better place. It is empty
// where kubectl cannot do it: for a manifest, and for what cannot be changed in a Pod.
func (s Situation) podCommand(c change, before, after *corev1.Pod) (string, error) {
	if workload, ok := s.workload(); ok && workload.path != "" {
		line, err := s.workloadCommand(c, workload)
		if line != "" || err != nil {
			return line, err
		}
	}
	if !s.stored() || !mutable(before, after) {
		return "", nil
	}
	data, kind, err := patch(before, after)
	return patchLine("pod/"+before.Name, before.Namespace, data, kind), err
}

// workloadCommand patches the template of the workload. It is empty when the template lacks what the change is about,
// such as a gate that somebody adds to its Pods.
func (s Situation) workloadCommand(c change, w workload) (string, error) {
	from := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: s.Pod.Namespace}, Spec: *w.template.Spec.DeepCopy()}
	to := from.DeepCopy()
	c.pod(to)
	data, kind, err := patch(from, to)
	if err != nil || data == "{}" {
		return "", err
	}
	line := patchLine(w.name, s.Pod.Namespace, fmt.Sprintf(w.path, data), kind)
	if strings.HasPrefix(w.name, "statefulset/") && s.stored() {
		// The controller waits for this very Pod to be ready before it makes it anew from the changed template.
		line += " && " + command("kubectl", "delete", "pod/"+s.Pod.Name, "-n", s.Pod.Namespace)
	}
	return line, nil
}

func patchLine(name, namespace, data, kind string) string {
	words := []string{"kubectl", "patch", name, "-n", namespace}
	if kind != "" {
		words = append(words, "--type="+kind)
	}
	return command(append(words, "-p", data)...)
}

// stored tells whether the Pod itself is in the cluster.
func (s Situation) stored() bool {
	pod := podCalled(s.State.Pods, s.Pod.Namespace+"/"+s.Pod.Name)
	return pod != nil && pod.UID == s.Pod.UID
}
