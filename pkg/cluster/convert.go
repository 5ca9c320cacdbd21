package cluster

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	nodev1 "k8s.io/api/node/v1"
	nodev1alpha1 "k8s.io/api/node/v1alpha1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dra "k8s.io/dynamic-resource-allocation/api/v1beta1"
)

// version is one API version in which a kind can be read.
type version struct {
	// newObject makes the object that the version is decoded into: of the kind's own type where the layout is the same.
	newObject func() Object
	// convert makes the kind's own object of it; nil where nothing is to be done.
	convert func(Object) (Object, error)
}

// groupKind is a kind in the group it has today.
func groupKind(gvk schema.GroupVersionKind) schema.GroupKind {
	if gvk.Group == "extensions" { // where the workloads were before apps
		gvk.Group = appsv1.GroupName
	}
	return gvk.GroupKind()
}

// kindFor returns the row of the table of kinds for the kind in any version, or nil.
func kindFor(gvk schema.GroupVersionKind) *Kind {
	for _, kind := range Kinds {
		if kind.GroupKind() == groupKind(gvk) {
			return kind
		}
	}
	return nil
}

// versionOf returns how the version of the kind is read, or nil when it is not.
func versionOf(kind *Kind, gvk schema.GroupVersionKind) *version {
	if gvk == kind.GroupVersionKind {
		return &version{newObject: kind.newObject}
	}
	v, ok := olderVersions[gvk]
	if ok && v.newObject == nil {
		v.newObject = kind.newObject
	}
	if !ok {
		return nil
	}
	return &v
}

func gvk(group, v, kind string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: group, Version: v, Kind: kind}
}

// olderVersions is the table of the versions that are converted. An empty row is a version with today's layout.
var olderVersions = map[schema.GroupVersionKind]version{
	gvk("apps", "v1beta1", "Deployment"):       {convert: selectTemplate},
	gvk("apps", "v1beta1", "StatefulSet"):      {convert: selectTemplate},
	gvk("apps", "v1beta2", "DaemonSet"):        {convert: selectTemplate},
	gvk("apps", "v1beta2", "Deployment"):       {convert: selectTemplate},
	gvk("apps", "v1beta2", "ReplicaSet"):       {convert: selectTemplate},
	gvk("apps", "v1beta2", "StatefulSet"):      {convert: selectTemplate},
	gvk("extensions", "v1beta1", "DaemonSet"):  {convert: selectTemplate},
	gvk("extensions", "v1beta1", "Deployment"): {convert: selectTemplate},
	gvk("extensions", "v1beta1", "ReplicaSet"): {convert: selectTemplate},

	gvk("batch", "v1beta1", "CronJob"): {},

	gvk("node.k8s.io", "v1alpha1", "RuntimeClass"): converting(convertRuntimeClass),
	gvk("node.k8s.io", "v1beta1", "RuntimeClass"):  {},

	gvk("policy", "v1beta1", "PodDisruptionBudget"): {convert: selectNothing},

	gvk("resource.k8s.io", "v1alpha3", "DeviceTaintRule"): {},
	gvk("resource.k8s.io", "v1beta1", "DeviceClass"): converting(convertTo(
		dra.Convert_v1beta1_DeviceClass_To_v1_DeviceClass)),
	gvk("resource.k8s.io", "v1beta1", "ResourceClaim"): converting(convertTo(
		dra.Convert_v1beta1_ResourceClaim_To_v1_ResourceClaim)),
	gvk("resource.k8s.io", "v1beta1", "ResourceClaimTemplate"): converting(convertTo(
		dra.Convert_v1beta1_ResourceClaimTemplate_To_v1_ResourceClaimTemplate)),
	gvk("resource.k8s.io", "v1beta1", "ResourceSlice"): converting(convertTo(
		dra.Convert_v1beta1_ResourceSlice_To_v1_ResourceSlice)),
	gvk("resource.k8s.io", "v1beta2", "DeviceClass"):           {},
	gvk("resource.k8s.io", "v1beta2", "DeviceTaintRule"):       {},
	gvk("resource.k8s.io", "v1beta2", "ResourceClaim"):         {},
	gvk("resource.k8s.io", "v1beta2", "ResourceClaimTemplate"): {},
	gvk("resource.k8s.io", "v1beta2", "ResourceSlice"):         {},

	gvk("scheduling.k8s.io", "v1alpha1", "PriorityClass"): {},
	gvk("scheduling.k8s.io", "v1beta1", "PriorityClass"):  {},
	gvk("scheduling.k8s.io", "v1alpha3", "PodGroup"):      {},
	gvk("scheduling.k8s.io", "v1alpha3", "Workload"):      {},

	gvk("storage.k8s.io", "v1alpha1", "CSIStorageCapacity"): {},
	gvk("storage.k8s.io", "v1alpha1", "VolumeAttachment"):   {},
	gvk("storage.k8s.io", "v1beta1", "CSIDriver"):           {},
	gvk("storage.k8s.io", "v1beta1", "CSINode"):             {},
	gvk("storage.k8s.io", "v1beta1", "CSIStorageCapacity"):  {},
	gvk("storage.k8s.io", "v1beta1", "StorageClass"):        {},
	gvk("storage.k8s.io", "v1beta1", "VolumeAttachment"):    {},
}

// converting makes a version of a conversion from one type to another.
func converting[T any, P interface {
	*T
	Object
}](convert func(P) (Object, error)) version {
	return version{
		newObject: func() Object { return P(new(T)) },
		convert:   func(object Object) (Object, error) { return convert(object.(P)) },
	}
}

// convertTo makes a conversion of one that the API's own packages generate; those of the resource group need no scope.
func convertTo[In, Out any, P interface {
	*Out
	Object
}](convert func(*In, P, conversion.Scope) error) func(*In) (Object, error) {
	return func(in *In) (Object, error) {
		out := P(new(Out))
		return out, convert(in, out, nil)
	}
}

// convertRuntimeClass moves the handler out of the spec.
func convertRuntimeClass(in *nodev1alpha1.RuntimeClass) (Object, error) {
	out := &nodev1.RuntimeClass{ObjectMeta: in.ObjectMeta, Handler: in.Spec.RuntimeHandler}
	if in.Spec.Overhead != nil {
		out.Overhead = &nodev1.Overhead{PodFixed: in.Spec.Overhead.PodFixed}
	}
	if in.Spec.Scheduling != nil {
		out.Scheduling = &nodev1.Scheduling{
			NodeSelector: in.Spec.Scheduling.NodeSelector,
			Tolerations:  in.Spec.Scheduling.Tolerations,
		}
	}
	return out, nil
}

// selectNothing keeps what an empty selector meant to a PodDisruptionBudget before v1: no Pod. In v1 it means all.
func selectNothing(object Object) (Object, error) {
	budget := object.(*policyv1.PodDisruptionBudget)
	if s := budget.Spec.Selector; s != nil && len(s.MatchLabels) == 0 && len(s.MatchExpressions) == 0 {
		budget.Spec.Selector = nil
	}
	return budget, nil
}

// selectTemplate gives a workload the selector that the API server gave it when none was written: the labels of its
// template.
func selectTemplate(object Object) (Object, error) {
	var selector **metav1.LabelSelector
	var labels map[string]string
	switch workload := object.(type) {
	case *appsv1.Deployment:
		selector, labels = &workload.Spec.Selector, workload.Spec.Template.Labels
	case *appsv1.DaemonSet:
		selector, labels = &workload.Spec.Selector, workload.Spec.Template.Labels
	case *appsv1.ReplicaSet:
		selector, labels = &workload.Spec.Selector, workload.Spec.Template.Labels
	case *appsv1.StatefulSet:
		selector, labels = &workload.Spec.Selector, workload.Spec.Template.Labels
	default:
		return nil, fmt.Errorf("%T has no selector of Pods", object)
	}
	if *selector == nil && len(labels) > 0 {
		*selector = &metav1.LabelSelector{MatchLabels: labels}
	}
	return object, nil
}
