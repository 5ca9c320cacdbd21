package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
)

// Manifest is a Pod that is not in the cluster, as somebody or a controller would create it.
type Manifest struct {
	Pod *corev1.Pod
	// VolumeClaims are those that a StatefulSet makes for the Pod.
	VolumeClaims []*corev1.PersistentVolumeClaim
}

// ManifestOf returns the next Pod that the workload's controller would make; a Pod is its own manifest. It is empty for
// kinds without a Pod template, and for a DaemonSet, whose Pods differ by node: ExplainDaemonSet answers for them.
func ManifestOf(state *cluster.State, object cluster.Object) Manifest {
	if pod, ok := object.(*corev1.Pod); ok {
		return Manifest{Pod: pod}
	}
	_, template := cluster.PodTemplate(object)
	if _, perNode := object.(*appsv1.DaemonSet); perNode || template == nil {
		return Manifest{}
	}
	pod := podOf(object, template)
	if set, ok := object.(*appsv1.StatefulSet); ok {
		pod.Name = nextName(state, set)
		return Manifest{Pod: pod, VolumeClaims: claimsOf(set, pod)}
	}
	return Manifest{Pod: pod}
}

func podOf(owner cluster.Object, template *corev1.PodTemplateSpec) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:   owner.GetNamespace(),
			Name:        owner.GetName(),
			Labels:      maps.Clone(template.Labels),
			Annotations: maps.Clone(template.Annotations),
		},
		Spec: *template.Spec.DeepCopy(),
	}
	if kind := cluster.KindOf(owner); kind != nil && owner.GetUID() != "" {
		pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(owner, kind.GroupVersionKind)}
	}
	return pod
}

// nextName is the name of the StatefulSet's first Pod that does not exist.
func nextName(state *cluster.State, set *appsv1.StatefulSet) string {
	taken := map[string]bool{}
	for _, pod := range state.Pods {
		if pod.Namespace == set.Namespace {
			taken[pod.Name] = true
		}
	}
	ordinal := int32(0)
	if set.Spec.Ordinals != nil {
		ordinal = set.Spec.Ordinals.Start
	}
	for ; ; ordinal++ {
		if name := fmt.Sprintf("%s-%d", set.Name, ordinal); !taken[name] {
			return name
		}
	}
}

// claimsOf makes the claims of a StatefulSet's Pod and adds them to its volumes, as the controller does; a claim
// replaces a volume of its name (pkg/controller/statefulset.updateStorage, v1.37.2).
func claimsOf(set *appsv1.StatefulSet, pod *corev1.Pod) []*corev1.PersistentVolumeClaim {
	var claims []*corev1.PersistentVolumeClaim
	for i := range set.Spec.VolumeClaimTemplates {
		template := &set.Spec.VolumeClaimTemplates[i]
		claim := template.DeepCopy()
		claim.Namespace, claim.Name = pod.Namespace, template.Name+"-"+pod.Name
		claims = append(claims, claim)
		pod.Spec.Volumes = slices.DeleteFunc(pod.Spec.Volumes, func(volume corev1.Volume) bool {
			return volume.Name == template.Name
		})
		volume := corev1.Volume{Name: template.Name}
		volume.PersistentVolumeClaim = &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim.Name}
		pod.Spec.Volumes = append(pod.Spec.Volumes, volume)
	}
	return claims
}

// Pending returns the workload's Pods that wait for a node, in the State's order.
func Pending(state *cluster.State, workload cluster.Object) []*corev1.Pod {
	owners := ownersUnder(state, workload)
	var pods []*corev1.Pod
	for _, pod := range state.Pods {
		if IsPending(pod) && owners[ownerOf(pod)] {
			pods = append(pods, pod)
		}
	}
	return pods
}

// IsPending tells whether a Pod waits for a node.
func IsPending(pod *corev1.Pod) bool {
	return pod.Spec.NodeName == "" && pod.DeletionTimestamp == nil && !upstream.Finished(pod)
}

// controller names the object that controls another one.
type controller struct{ namespace, kind, name string }

func ownerOf(object metav1.Object) controller {
	if owner := metav1.GetControllerOf(object); owner != nil {
		return controller{object.GetNamespace(), owner.Kind, owner.Name}
	}
	return controller{}
}

// ownersUnder are the workload itself and those that it makes in turn: a Deployment's ReplicaSets, a CronJob's Jobs.
func ownersUnder(state *cluster.State, workload cluster.Object) map[controller]bool {
	self := controller{workload.GetNamespace(), cluster.KindOf(workload).Kind, workload.GetName()}
	owners := map[controller]bool{self: true}
	for _, set := range state.ReplicaSets {
		if ownerOf(set) == self {
			owners[controller{set.Namespace, "ReplicaSet", set.Name}] = true
		}
	}
	for _, job := range state.Jobs {
		if ownerOf(job) == self {
			owners[controller{job.Namespace, "Job", job.Name}] = true
		}
	}
	return owners
}

// Group puts Pods together for which every answer is the same but for their names, in the order of the first of each.
func Group(pods []*corev1.Pod) [][]*corev1.Pod {
	var groups [][]*corev1.Pod
	byOwner := map[controller][]int{}
	for _, pod := range pods {
		owner := ownerOf(pod)
		found := false
		for _, n := range byOwner[owner] {
			if owner != (controller{}) && alike(groups[n][0], pod) {
				groups[n] = append(groups[n], pod)
				found = true
				break
			}
		}
		if !found {
			byOwner[owner] = append(byOwner[owner], len(groups))
			groups = append(groups, []*corev1.Pod{pod})
		}
	}
	return groups
}

// alike tells whether a scheduler sees the same in two Pods of one owner.
func alike(a, b *corev1.Pod) bool {
	return !hasOwnClaims(a) && !hasOwnClaims(b) &&
		a.Status.NominatedNodeName == b.Status.NominatedNodeName &&
		maps.Equal(a.Labels, b.Labels) &&
		equality.Semantic.DeepEqual(schedulingSpec(a), schedulingSpec(b))
}

// hasOwnClaims tells whether controllers make claims for the Pod alone: then its neighbor's may be bound elsewhere.
func hasOwnClaims(pod *corev1.Pod) bool {
	status := &pod.Status
	return len(status.ResourceClaimStatuses)+len(status.NodeAllocatableResourceClaimStatuses) > 0 ||
		status.ExtendedResourceClaimStatus != nil ||
		slices.ContainsFunc(pod.Spec.Volumes, func(volume corev1.Volume) bool { return volume.Ephemeral != nil }) ||
		slices.ContainsFunc(pod.Spec.ResourceClaims, func(claim corev1.PodResourceClaim) bool {
			return claim.ResourceClaimTemplateName != nil
		})
}

// schedulingSpec is the Pod's spec without what the API server and the controllers make up per Pod and no scheduler
// reads.
func schedulingSpec(pod *corev1.Pod) *corev1.PodSpec {
	spec := pod.Spec.DeepCopy()
	spec.Hostname = ""
	var volumes []corev1.Volume
	for _, volume := range spec.Volumes {
		if !strings.HasPrefix(volume.Name, "kube-api-access-") {
			volumes = append(volumes, volume)
		}
	}
	spec.Volumes = volumes
	for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range containers {
			containers[i].VolumeMounts = nil
		}
	}
	return spec
}
