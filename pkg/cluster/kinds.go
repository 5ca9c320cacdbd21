package cluster

import (
	"iter"
	"reflect"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Object is what all kinds of a State have in common.
type Object interface {
	runtime.Object
	metav1.Object
}

// Kind is one row of the table of kinds: how a kind is named, and where a State keeps it.
type Kind struct {
	schema.GroupVersionKind
	// Resource is the plural as the API path and RBAC spell it: "persistentvolumeclaims".
	Resource string
	// Namespaced tells whether objects of the kind live in a namespace.
	Namespaced bool
	// Use tells who reads the kind.
	Use Use
	// Judges says what cannot be judged without the kind, as the end of "cannot judge …".
	Judges string

	newObject func() Object
	list      func(*State) slots
}

// Use tells who reads a kind.
type Use int

// The uses of a kind.
const (
	// Scheduling: a default scheduler reads the kind.
	Scheduling Use = iota
	// Admission: the API server reads the kind when it admits a Pod.
	Admission
	// Gated: a scheduler reads the kind only with a feature gate that is off by default.
	Gated
	// Asked: the kind has a Pod template that a user may ask about.
	Asked
)

// slots is the list of one kind in one State, without its type.
type slots interface {
	all() iter.Seq[Object]
	add(Object)
	sort(func(a, b Object) int)
	len() int
}

// typed makes slots of a typed list.
type typed[T Object] struct{ list *[]T }

func (s typed[T]) all() iter.Seq[Object] {
	return func(yield func(Object) bool) {
		for _, object := range *s.list {
			if !yield(object) {
				return
			}
		}
	}
}

func (s typed[T]) add(object Object) { *s.list = append(*s.list, object.(T)) }
func (s typed[T]) len() int          { return len(*s.list) }

func (s typed[T]) sort(compare func(a, b Object) int) {
	slices.SortStableFunc(*s.list, func(a, b T) int { return compare(a, b) })
}

// Objects yields the State's objects of the kind, in the State's order.
func (k *Kind) Objects(s *State) iter.Seq[Object] { return k.list(s).all() }

// New returns an empty object of the kind.
func (k *Kind) New() Object { return k.newObject() }

// KindOf finds the row of an object's type; nil when there is none.
func KindOf(object Object) *Kind {
	i := slices.IndexFunc(Kinds, func(kind *Kind) bool { return reflect.TypeOf(kind.New()) == reflect.TypeOf(object) })
	if i < 0 {
		return nil
	}
	return Kinds[i]
}

// row makes a Kind; P is *T.
func row[T any, P interface {
	*T
	Object
}](gv schema.GroupVersion, kind, resource string, namespaced bool, use Use, judges string, list func(*State) *[]P,
) *Kind {
	return &Kind{
		GroupVersionKind: gv.WithKind(kind),
		Resource:         resource,
		Namespaced:       namespaced,
		Use:              use,
		Judges:           judges,
		newObject:        func() Object { return P(new(T)) },
		list:             func(s *State) slots { return typed[P]{list(s)} },
	}
}

// Kinds is the table of all kinds of a State, in the order in which they are read and saved.
var Kinds = []*Kind{
	row(corev1.SchemeGroupVersion, "Node", "nodes", false, Scheduling, "any Pod",
		func(s *State) *[]*corev1.Node { return &s.Nodes }),
	row(corev1.SchemeGroupVersion, "Pod", "pods", true, Scheduling, "what is in use on a node",
		func(s *State) *[]*corev1.Pod { return &s.Pods }),
	row(corev1.SchemeGroupVersion, "Namespace", "namespaces", false, Scheduling,
		"inter-Pod affinity terms with a namespaceSelector",
		func(s *State) *[]*corev1.Namespace { return &s.Namespaces }),
	row(corev1.SchemeGroupVersion, "PersistentVolume", "persistentvolumes", false, Scheduling, "volumes",
		func(s *State) *[]*corev1.PersistentVolume { return &s.PersistentVolumes }),
	row(corev1.SchemeGroupVersion, "PersistentVolumeClaim", "persistentvolumeclaims", true, Scheduling, "volumes",
		func(s *State) *[]*corev1.PersistentVolumeClaim { return &s.PersistentVolumeClaims }),
	row(storagev1.SchemeGroupVersion, "StorageClass", "storageclasses", false, Scheduling, "unbound volumes",
		func(s *State) *[]*storagev1.StorageClass { return &s.StorageClasses }),
	row(storagev1.SchemeGroupVersion, "CSINode", "csinodes", false, Scheduling, "limits of attached volumes",
		func(s *State) *[]*storagev1.CSINode { return &s.CSINodes }),
	row(storagev1.SchemeGroupVersion, "CSIDriver", "csidrivers", false, Scheduling, "the storage capacity of drivers",
		func(s *State) *[]*storagev1.CSIDriver { return &s.CSIDrivers }),
	row(storagev1.SchemeGroupVersion, "CSIStorageCapacity", "csistoragecapacities", true, Scheduling,
		"the storage capacity of drivers",
		func(s *State) *[]*storagev1.CSIStorageCapacity { return &s.CSIStorageCapacities }),
	row(storagev1.SchemeGroupVersion, "VolumeAttachment", "volumeattachments", false, Scheduling,
		"limits of attached volumes",
		func(s *State) *[]*storagev1.VolumeAttachment { return &s.VolumeAttachments }),
	row(corev1.SchemeGroupVersion, "Service", "services", true, Scheduling, "default spreading",
		func(s *State) *[]*corev1.Service { return &s.Services }),
	row(corev1.SchemeGroupVersion, "ReplicationController", "replicationcontrollers", true, Scheduling,
		"default spreading",
		func(s *State) *[]*corev1.ReplicationController { return &s.ReplicationControllers }),
	row(appsv1.SchemeGroupVersion, "ReplicaSet", "replicasets", true, Scheduling, "default spreading",
		func(s *State) *[]*appsv1.ReplicaSet { return &s.ReplicaSets }),
	row(appsv1.SchemeGroupVersion, "StatefulSet", "statefulsets", true, Scheduling, "default spreading",
		func(s *State) *[]*appsv1.StatefulSet { return &s.StatefulSets }),
	row(policyv1.SchemeGroupVersion, "PodDisruptionBudget", "poddisruptionbudgets", true, Scheduling,
		"which preemption victims a budget protects",
		func(s *State) *[]*policyv1.PodDisruptionBudget { return &s.PodDisruptionBudgets }),
	row(resourcev1.SchemeGroupVersion, "ResourceClaim", "resourceclaims", true, Scheduling, "device claims",
		func(s *State) *[]*resourcev1.ResourceClaim { return &s.ResourceClaims }),
	row(resourcev1.SchemeGroupVersion, "ResourceSlice", "resourceslices", false, Scheduling, "device claims",
		func(s *State) *[]*resourcev1.ResourceSlice { return &s.ResourceSlices }),
	row(resourcev1.SchemeGroupVersion, "DeviceClass", "deviceclasses", false, Scheduling, "device claims",
		func(s *State) *[]*resourcev1.DeviceClass { return &s.DeviceClasses }),
	row(resourcev1.SchemeGroupVersion, "DeviceTaintRule", "devicetaintrules", false, Scheduling, "device taints",
		func(s *State) *[]*resourcev1.DeviceTaintRule { return &s.DeviceTaintRules }),
	row(resourcev1.SchemeGroupVersion, "ResourceClaimTemplate", "resourceclaimtemplates", true, Admission,
		"claims that a template makes",
		func(s *State) *[]*resourcev1.ResourceClaimTemplate { return &s.ResourceClaimTemplates }),
	row(schedulingv1.SchemeGroupVersion, "PriorityClass", "priorityclasses", false, Admission,
		"the priority of a manifest",
		func(s *State) *[]*schedulingv1.PriorityClass { return &s.PriorityClasses }),
	row(nodev1.SchemeGroupVersion, "RuntimeClass", "runtimeclasses", false, Admission,
		"overhead and node selector of a runtime class",
		func(s *State) *[]*nodev1.RuntimeClass { return &s.RuntimeClasses }),
	row(corev1.SchemeGroupVersion, "LimitRange", "limitranges", true, Admission, "default requests of a namespace",
		func(s *State) *[]*corev1.LimitRange { return &s.LimitRanges }),
	row(schedulingv1beta1.SchemeGroupVersion, "PodGroup", "podgroups", true, Gated, "Pod groups",
		func(s *State) *[]*schedulingv1beta1.PodGroup { return &s.PodGroups }),
	row(schedulingv1beta1.SchemeGroupVersion, "Workload", "workloads", true, Gated, "Pod groups",
		func(s *State) *[]*schedulingv1beta1.Workload { return &s.Workloads }),
	row(schedulingv1alpha3.SchemeGroupVersion, "CompositePodGroup", "compositepodgroups", true, Gated, "Pod groups",
		func(s *State) *[]*schedulingv1alpha3.CompositePodGroup { return &s.CompositePodGroups }),

	row(appsv1.SchemeGroupVersion, "Deployment", "deployments", true, Asked, "its Pods",
		func(s *State) *[]*appsv1.Deployment { return &s.Deployments }),
	row(appsv1.SchemeGroupVersion, "DaemonSet", "daemonsets", true, Asked, "its Pods",
		func(s *State) *[]*appsv1.DaemonSet { return &s.DaemonSets }),
	row(batchv1.SchemeGroupVersion, "Job", "jobs", true, Asked, "its Pods",
		func(s *State) *[]*batchv1.Job { return &s.Jobs }),
	row(batchv1.SchemeGroupVersion, "CronJob", "cronjobs", true, Asked, "its Pods",
		func(s *State) *[]*batchv1.CronJob { return &s.CronJobs }),
	row(corev1.SchemeGroupVersion, "PodTemplate", "podtemplates", true, Asked, "its Pods",
		func(s *State) *[]*corev1.PodTemplate { return &s.PodTemplates }),
}
