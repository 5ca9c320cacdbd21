package cluster

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// liveFieldSelectors narrow what ReadLive lists. A Pod that has finished takes no room on its node; kube-scheduler's
// own informer leaves it out with the same selector.
var liveFieldSelectors = map[schema.GroupVersionKind]string{
	corev1.SchemeGroupVersion.WithKind("Pod"): "status.phase!=Succeeded,status.phase!=Failed",
}

// pruning is what of a kind scheduling never reads, and so is dropped on arrival.
type pruning struct {
	drop func(Object)
	// template: it is a Pod template, which a user may ask about.
	template bool
}

// prune is the table of prunings; kinds that are not in it lose no more than trimMetadata takes.
//
// It names what goes, not what stays: a field that a later kube-scheduler reads is then there by itself.
var prune = map[schema.GroupVersionKind]pruning{
	corev1.SchemeGroupVersion.WithKind("Pod"): {drop: of(pruneRunningPod)},
	corev1.SchemeGroupVersion.WithKind("ReplicationController"): {template: true, drop: of(
		func(rc *corev1.ReplicationController) { rc.Spec.Template = nil })},
	appsv1.SchemeGroupVersion.WithKind("ReplicaSet"): {template: true, drop: of(
		func(rs *appsv1.ReplicaSet) { rs.Spec.Template = corev1.PodTemplateSpec{} })},
	appsv1.SchemeGroupVersion.WithKind("StatefulSet"): {template: true, drop: of(
		func(set *appsv1.StatefulSet) {
			set.Spec.Template = corev1.PodTemplateSpec{}
			set.Spec.VolumeClaimTemplates = nil
		})},
}

// of makes a function of one type one of all objects.
func of[T Object](drop func(T)) func(Object) {
	return func(object Object) { drop(object.(T)) }
}

// Trimmer returns what drops from an object of the kind what scheduling never reads, as ReadLive does.
func Trimmer(kind *Kind) func(Object) { return trimmer(kind, false) }

// FieldSelector returns which objects of the kind a scheduler reads, as the API server selects them; empty for all.
func FieldSelector(kind *Kind) string { return liveFieldSelectors[kind.GroupVersionKind] }

// trimmer returns what ReadLive does to each object of the kind.
func trimmer(kind *Kind, keepTemplates bool) func(Object) {
	row, found := prune[kind.GroupVersionKind]
	if !found || row.template && keepTemplates {
		return trimMetadata
	}
	return func(object Object) {
		trimMetadata(object)
		row.drop(object)
	}
}

// trimMetadata drops the bookkeeping of clients, which is often the larger part of an object.
func trimMetadata(object Object) {
	object.SetManagedFields(nil)
	// The accessor's map is the object's own.
	delete(object.GetAnnotations(), corev1.LastAppliedConfigAnnotation)
}

// pruneRunningPod drops what only the kubelet reads. A Pod without a node stays whole: it may be the one to be judged.
// What a scheduler would read to place the Pod anew stays as well.
func pruneRunningPod(pod *corev1.Pod) {
	if pod.Spec.NodeName == "" {
		return
	}
	for i := range pod.Spec.InitContainers {
		pruneContainer(&pod.Spec.InitContainers[i])
	}
	for i := range pod.Spec.Containers {
		pruneContainer(&pod.Spec.Containers[i])
	}
	for i := range pod.Spec.EphemeralContainers {
		container := corev1.Container(pod.Spec.EphemeralContainers[i].EphemeralContainerCommon)
		pruneContainer(&container)
		pod.Spec.EphemeralContainers[i].EphemeralContainerCommon = corev1.EphemeralContainerCommon(container)
	}
	for i := range pod.Spec.Volumes {
		if pod.Spec.Volumes[i].Projected != nil { // nearly every Pod has one, for its service account token
			pod.Spec.Volumes[i].Projected = &corev1.ProjectedVolumeSource{}
		}
	}
	prunePodStatus(&pod.Status)
}

// pruneContainer drops how a container is run.
func pruneContainer(container *corev1.Container) {
	container.Command = nil
	container.Args = nil
	container.Env = nil
	container.EnvFrom = nil
	container.LivenessProbe = nil
	container.ReadinessProbe = nil
	container.StartupProbe = nil
	container.Lifecycle = nil
	container.SecurityContext = nil
	// NodeDeclaredFeatures asks for mounts with bind options; slices.DeleteFunc would keep the others' memory.
	var mounts []corev1.VolumeMount
	for _, mount := range container.VolumeMounts {
		if len(mount.BindMountOptions) > 0 {
			mounts = append(mounts, mount)
		}
	}
	container.VolumeMounts = mounts
}

// readConditions are the conditions that a scheduler reads, besides PodScheduled, which people do: DisruptionTarget
// marks victims on their way out, and a resize that is pending counts in what a Pod requests.
var readConditions = []corev1.PodConditionType{
	corev1.PodScheduled, corev1.DisruptionTarget, corev1.PodResizePending, corev1.PodResizeInProgress,
}

// prunePodStatus drops how a Pod is doing; of its containers' statuses the resources they were given stay.
func prunePodStatus(status *corev1.PodStatus) {
	status.Conditions = slices.DeleteFunc(status.Conditions, func(condition corev1.PodCondition) bool {
		return !slices.Contains(readConditions, condition.Type)
	})
	status.InitContainerStatuses = containerResources(status.InitContainerStatuses)
	status.ContainerStatuses = containerResources(status.ContainerStatuses)
	status.EphemeralContainerStatuses = nil
	status.HostIP, status.HostIPs = "", nil
	status.PodIP, status.PodIPs = "", nil
}

// containerResources reduces statuses to the resources in them.
func containerResources(statuses []corev1.ContainerStatus) []corev1.ContainerStatus {
	var reduced []corev1.ContainerStatus
	for _, status := range statuses {
		if status.Resources == nil && status.AllocatedResources == nil {
			continue
		}
		reduced = append(reduced, corev1.ContainerStatus{
			Name:               status.Name,
			Resources:          status.Resources,
			AllocatedResources: status.AllocatedResources,
		})
	}
	return reduced
}
