package fix

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// workload is what makes the Pod.
type workload struct {
	// name is TYPE/NAME as kubectl takes it.
	name string
	// path is a patch of the workload around one of its Pod template; empty for one whose template cannot be changed, or
	// whose Pods are not made anew when it is.
	path string
}

// paths are the patches around that of a Pod, by kind.
var paths = map[string]string{
	"deployment":  `{"spec":{"template":%s}}`,
	"statefulset": `{"spec":{"template":%s}}`,
	"daemonset":   `{"spec":{"template":%s}}`,
	"cronjob":     `{"spec":{"jobTemplate":{"spec":{"template":%s}}}}`,
}

// workload finds what makes the Pod, by its owner; false for a Pod of its own, and for a manifest, which is nothing in
// the cluster.
func (s Situation) workload() (workload, bool) {
	owner := metav1.GetControllerOf(s.Pod)
	if owner == nil {
		return workload{}, false
	}
	kind, name := strings.ToLower(owner.Kind), owner.Name
	if deployment := s.deploymentOf(owner); deployment != "" {
		kind, name = "deployment", deployment
	}
	return workload{name: kind + "/" + name, path: paths[kind]}, true
}

// deploymentOf returns the name of the Deployment that owns a ReplicaSet.
func (s Situation) deploymentOf(set *metav1.OwnerReference) string {
	i := slices.IndexFunc(s.State.ReplicaSets, func(known *appsv1.ReplicaSet) bool {
		return set.Kind == "ReplicaSet" && known.Namespace == s.Pod.Namespace && known.Name == set.Name
	})
	if i < 0 {
		return ""
	}
	if owner := metav1.GetControllerOf(s.State.ReplicaSets[i]); owner != nil && owner.Kind == "Deployment" {
		return owner.Name
	}
	return ""
}

// stored tells whether the Pod itself is in the cluster.
func (s Situation) stored() bool {
	pod := podCalled(s.State.Pods, s.Pod.Namespace+"/"+s.Pod.Name)
	return pod != nil && pod.UID == s.Pod.UID
}
