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

// AddObjects adds objects, which must be of the kind, to a State that has none of it.
func (k *Kind) AddObjects(s *State, objects []Object) {
	slices.SortFunc(objects, byNamespaceAndName)
	for _, object := range objects {
		k.list(s).add(object)
	}
}

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

// row completes a Kind with its type and its list in a State; P is *T.
func row[T any, P interface {
	*T
	Object
}](kind Kind, list func(*State) *[]P) *Kind {
	kind.newObject = func() Object { return P(new(T)) }
	kind.list = func(s *State) slots { return typed[P]{list(s)} }
	return &kind
}

// Kinds is the table of all kinds of a State, in the order in which they are read and saved.
var Kinds = []*Kind{
	row(Kind{
		GroupVersionKind: corev1.SchemeGroupVersion.WithKind("Node"),
		Resource:         "nodes",
		Judges:           "any Pod",
	}, func(s *State) *[]*corev1.Node { return &s.Nodes }),
	row(Kind{
		GroupVersionKind: corev1.SchemeGroupVersion.WithKind("Pod"),
		Resource:         "pods",
		Namespaced:       true,
		Judges:           "what is in use on a node",
	}, func(s *State) *[]*corev1.Pod { return &s.Pods }),
	row(Kind{
		GroupVersionKind: corev1.SchemeGroupVersion.WithKind("Namespace"),
		Resource:         "namespaces",
		Judges:           "inter-Pod affinity terms with a namespaceSelector",
	}, func(s *State) *[]*corev1.Namespace { return &s.Namespaces }),
	row(Kind{
		GroupVersionKind: corev1.SchemeGroupVersion.WithKind("PersistentVolume"),
		Resource:         "persistentvolumes",
		Judges:           "volumes",
	}, func(s *State) *[]*corev1.PersistentVolume { return &s.PersistentVolumes }),
	row(Kind{
		GroupVersionKind: corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"),
		Resource:         "persistentvolumeclaims",
		Namespaced:       true,
		Judges:           "volumes",
	}, func(s *State) *[]*corev1.PersistentVolumeClaim { return &s.PersistentVolumeClaims }),
	row(Kind{
		GroupVersionKind: storagev1.SchemeGroupVersion.WithKind("StorageClass"),
		Resource:         "storageclasses",
		Judges:           "unbound volumes",
	}, func(s *State) *[]*storagev1.StorageClass { return &s.StorageClasses }),
	row(Kind{
		GroupVersionKind: storagev1.SchemeGroupVersion.WithKind("CSINode"),
		Resource:         "csinodes",
		Judges:           "limits of attached volumes",
	}, func(s *State) *[]*storagev1.CSINode { return &s.CSINodes }),
	row(Kind{
		GroupVersionKind: storagev1.SchemeGroupVersion.WithKind("CSIDriver"),
		Resource:         "csidrivers",
		Judges:           "the storage capacity of drivers",
	}, func(s *State) *[]*storagev1.CSIDriver { return &s.CSIDrivers }),
	row(Kind{
		GroupVersionKind: storagev1.SchemeGroupVersion.WithKind("CSIStorageCapacity"),
		Resource:         "csistoragecapacities",
		Namespaced:       true,
		Judges:           "the storage capacity of drivers",
	}, func(s *State) *[]*storagev1.CSIStorageCapacity { return &s.CSIStorageCapacities }),
	row(Kind{
		GroupVersionKind: storagev1.SchemeGroupVersion.WithKind("VolumeAttachment"),
		Resource:         "volumeattachments",
		Judges:           "limits of attached volumes",
	}, func(s *State) *[]*storagev1.VolumeAttachment { return &s.VolumeAttachments }),
	row(Kind{
		GroupVersionKind: corev1.SchemeGroupVersion.WithKind("Service"),
		Resource:         "services",
		Namespaced:       true,
		Judges:           "default spreading",
	}, func(s *State) *[]*corev1.Service { return &s.Services }),
	row(Kind{
		GroupVersionKind: corev1.SchemeGroupVersion.WithKind("ReplicationController"),
		Resource:         "replicationcontrollers",
		Namespaced:       true,
		Judges:           "default spreading",
	}, func(s *State) *[]*corev1.ReplicationController { return &s.ReplicationControllers }),
	row(Kind{
		GroupVersionKind: appsv1.SchemeGroupVersion.WithKind("ReplicaSet"),
		Resource:         "replicasets",
		Namespaced:       true,
		Judges:           "default spreading",
	}, func(s *State) *[]*appsv1.ReplicaSet { return &s.ReplicaSets }),
	row(Kind{
		GroupVersionKind: appsv1.SchemeGroupVersion.WithKind("StatefulSet"),
		Resource:         "statefulsets",
		Namespaced:       true,
		Judges:           "default spreading",
	}, func(s *State) *[]*appsv1.StatefulSet { return &s.StatefulSets }),
	row(Kind{
		GroupVersionKind: policyv1.SchemeGroupVersion.WithKind("PodDisruptionBudget"),
		Resource:         "poddisruptionbudgets",
		Namespaced:       true,
		Judges:           "which preemption victims a budget protects",
	}, func(s *State) *[]*policyv1.PodDisruptionBudget { return &s.PodDisruptionBudgets }),
	row(Kind{
		GroupVersionKind: resourcev1.SchemeGroupVersion.WithKind("ResourceClaim"),
		Resource:         "resourceclaims",
		Namespaced:       true,
		Judges:           "device claims",
	}, func(s *State) *[]*resourcev1.ResourceClaim { return &s.ResourceClaims }),
	row(Kind{
		GroupVersionKind: resourcev1.SchemeGroupVersion.WithKind("ResourceSlice"),
		Resource:         "resourceslices",
		Judges:           "device claims",
	}, func(s *State) *[]*resourcev1.ResourceSlice { return &s.ResourceSlices }),
	row(Kind{
		GroupVersionKind: resourcev1.SchemeGroupVersion.WithKind("DeviceClass"),
		Resource:         "deviceclasses",
		Judges:           "device claims",
	}, func(s *State) *[]*resourcev1.DeviceClass { return &s.DeviceClasses }),
	row(Kind{
		GroupVersionKind: resourcev1.SchemeGroupVersion.WithKind("DeviceTaintRule"),
		Resource:         "devicetaintrules",
		Judges:           "device taints",
	}, func(s *State) *[]*resourcev1.DeviceTaintRule { return &s.DeviceTaintRules }),
	row(Kind{
		GroupVersionKind: resourcev1.SchemeGroupVersion.WithKind("ResourceClaimTemplate"),
		Resource:         "resourceclaimtemplates",
		Namespaced:       true,
		Use:              Admission,
		Judges:           "claims that a template makes",
	}, func(s *State) *[]*resourcev1.ResourceClaimTemplate { return &s.ResourceClaimTemplates }),
	row(Kind{
		GroupVersionKind: schedulingv1.SchemeGroupVersion.WithKind("PriorityClass"),
		Resource:         "priorityclasses",
		Use:              Admission,
		Judges:           "the priority of a manifest",
	}, func(s *State) *[]*schedulingv1.PriorityClass { return &s.PriorityClasses }),
	row(Kind{
		GroupVersionKind: nodev1.SchemeGroupVersion.WithKind("RuntimeClass"),
		Resource:         "runtimeclasses",
		Use:              Admission,
		Judges:           "overhead and node selector of a runtime class",
	}, func(s *State) *[]*nodev1.RuntimeClass { return &s.RuntimeClasses }),
	row(Kind{
		GroupVersionKind: corev1.SchemeGroupVersion.WithKind("LimitRange"),
		Resource:         "limitranges",
		Namespaced:       true,
		Use:              Admission,
		Judges:           "default requests of a namespace",
	}, func(s *State) *[]*corev1.LimitRange { return &s.LimitRanges }),
	row(Kind{
		GroupVersionKind: schedulingv1beta1.SchemeGroupVersion.WithKind("PodGroup"),
		Resource:         "podgroups",
		Namespaced:       true,
		Use:              Gated,
		Judges:           "Pod groups",
	}, func(s *State) *[]*schedulingv1beta1.PodGroup { return &s.PodGroups }),
	row(Kind{
		GroupVersionKind: schedulingv1beta1.SchemeGroupVersion.WithKind("Workload"),
		Resource:         "workloads",
		Namespaced:       true,
		Use:              Gated,
		Judges:           "Pod groups",
	}, func(s *State) *[]*schedulingv1beta1.Workload { return &s.Workloads }),
	row(Kind{
		GroupVersionKind: schedulingv1alpha3.SchemeGroupVersion.WithKind("CompositePodGroup"),
		Resource:         "compositepodgroups",
		Namespaced:       true,
		Use:              Gated,
		Judges:           "Pod groups",
	}, func(s *State) *[]*schedulingv1alpha3.CompositePodGroup { return &s.CompositePodGroups }),

	row(Kind{
		GroupVersionKind: appsv1.SchemeGroupVersion.WithKind("Deployment"),
		Resource:         "deployments",
		Namespaced:       true,
		Use:              Asked,
		Judges:           "its Pods",
	}, func(s *State) *[]*appsv1.Deployment { return &s.Deployments }),
	row(Kind{
		GroupVersionKind: appsv1.SchemeGroupVersion.WithKind("DaemonSet"),
		Resource:         "daemonsets",
		Namespaced:       true,
		Use:              Asked,
		Judges:           "its Pods",
	}, func(s *State) *[]*appsv1.DaemonSet { return &s.DaemonSets }),
	row(Kind{
		GroupVersionKind: batchv1.SchemeGroupVersion.WithKind("Job"),
		Resource:         "jobs",
		Namespaced:       true,
		Use:              Asked,
		Judges:           "its Pods",
	}, func(s *State) *[]*batchv1.Job { return &s.Jobs }),
	row(Kind{
		GroupVersionKind: batchv1.SchemeGroupVersion.WithKind("CronJob"),
		Resource:         "cronjobs",
		Namespaced:       true,
		Use:              Asked,
		Judges:           "its Pods",
	}, func(s *State) *[]*batchv1.CronJob { return &s.CronJobs }),
	row(Kind{
		GroupVersionKind: corev1.SchemeGroupVersion.WithKind("PodTemplate"),
		Resource:         "podtemplates",
		Namespaced:       true,
		Use:              Asked,
		Judges:           "its Pods",
	}, func(s *State) *[]*corev1.PodTemplate { return &s.PodTemplates }),
}
