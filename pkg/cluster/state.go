package cluster

import (
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
)

// State is what a scheduler reads of a cluster at one moment, and what of it could not be read.
//
// Every list is sorted by namespace and name and holds an object once. Objects are shared, never changed: whoever
// edits a State copies the lists and the objects it changes.
type State struct {
	Nodes                  []*corev1.Node
	Pods                   []*corev1.Pod
	Namespaces             []*corev1.Namespace
	PersistentVolumes      []*corev1.PersistentVolume
	PersistentVolumeClaims []*corev1.PersistentVolumeClaim
	Services               []*corev1.Service
	ReplicationControllers []*corev1.ReplicationController
	LimitRanges            []*corev1.LimitRange
	ReplicaSets            []*appsv1.ReplicaSet
	StatefulSets           []*appsv1.StatefulSet
	PodDisruptionBudgets   []*policyv1.PodDisruptionBudget
	PriorityClasses        []*schedulingv1.PriorityClass
	StorageClasses         []*storagev1.StorageClass
	CSINodes               []*storagev1.CSINode
	CSIDrivers             []*storagev1.CSIDriver
	CSIStorageCapacities   []*storagev1.CSIStorageCapacity
	VolumeAttachments      []*storagev1.VolumeAttachment
	ResourceClaims         []*resourcev1.ResourceClaim
	ResourceClaimTemplates []*resourcev1.ResourceClaimTemplate
	ResourceSlices         []*resourcev1.ResourceSlice
	DeviceClasses          []*resourcev1.DeviceClass
	DeviceTaintRules       []*resourcev1.DeviceTaintRule
	RuntimeClasses         []*nodev1.RuntimeClass
	PodGroups              []*schedulingv1beta1.PodGroup
	Workloads              []*schedulingv1beta1.Workload
	CompositePodGroups     []*schedulingv1alpha3.CompositePodGroup

	// Workload kinds that no scheduler reads; they are here because a user may ask about their Pods.
	Deployments  []*appsv1.Deployment
	DaemonSets   []*appsv1.DaemonSet
	Jobs         []*batchv1.Job
	CronJobs     []*batchv1.CronJob
	PodTemplates []*corev1.PodTemplate

	// Gaps are the kinds that could not be read, in the order of the table of kinds.
	Gaps []Gap
	// Warnings are what reading met and went on from: objects skipped, duplicates, converted versions.
	Warnings []string
	// Source tells where the State came from.
	Source Source
	// ServerVersion is the API server's gitVersion ("v1.37.2"); empty for files and when it could not be read.
	ServerVersion string
}

// Source tells where a State came from.
type Source int

// The sources of a State.
const (
	// FromFiles: the objects are as somebody wrote or saved them; API defaults may be missing.
	FromFiles Source = iota
	// FromServer: the objects are as the API server stores them.
	FromServer
)

// GapReason tells why a kind could not be read.
type GapReason string

// The reasons for a gap.
const (
	// Absent: no file holds an object of the kind, so that it cannot be told from an empty cluster's.
	Absent GapReason = "absent"
	// Forbidden: RBAC does not allow to list the kind.
	Forbidden GapReason = "forbidden"
	// NotServed: the API server does not know the kind.
	NotServed GapReason = "not served"
	// Failed: listing failed otherwise; Gap.Err says how.
	Failed GapReason = "failed"
)

// Gap is one kind that could not be read.
type Gap struct {
	Kind   *Kind
	Reason GapReason
	Err    error
}
