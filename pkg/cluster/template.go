package cluster

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// PodTemplate returns the Pod template of a workload, nil when it has none, and the path of the field; the path is
// empty for kinds without one.
func PodTemplate(object Object) (path string, template *corev1.PodTemplateSpec) {
	switch object := object.(type) {
	case *appsv1.Deployment:
		return "spec.template", &object.Spec.Template
	case *appsv1.ReplicaSet:
		return "spec.template", &object.Spec.Template
	case *appsv1.StatefulSet:
		return "spec.template", &object.Spec.Template
	case *appsv1.DaemonSet:
		return "spec.template", &object.Spec.Template
	case *batchv1.Job:
		return "spec.template", &object.Spec.Template
	case *batchv1.CronJob:
		return "spec.jobTemplate.spec.template", &object.Spec.JobTemplate.Spec.Template
	case *corev1.ReplicationController:
		return "spec.template", object.Spec.Template
	case *corev1.PodTemplate:
		return "template", &object.Template
	}
	return "", nil
}
