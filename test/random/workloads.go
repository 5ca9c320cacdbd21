package random

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// workloads makes what the default spreading looks at: Services and the owners of Pods.
func (b *builder) workloads() {
	for _, namespace := range namespaces {
		for _, app := range apps {
			meta := metav1.ObjectMeta{Namespace: namespace, Name: app, UID: b.uid()}
			labels := map[string]string{"app": app}
			if b.chance(40) {
				service := &corev1.Service{ObjectMeta: meta, Spec: corev1.ServiceSpec{Selector: labels}}
				b.state.Services = append(b.state.Services, service)
			}
			selector := &metav1.LabelSelector{MatchLabels: labels}
			if b.chance(40) {
				set := &appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Selector: selector}}
				b.state.ReplicaSets = append(b.state.ReplicaSets, set)
			}
			if b.chance(20) {
				set := &appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{Selector: selector}}
				b.state.StatefulSets = append(b.state.StatefulSets, set)
			}
			if b.chance(10) {
				controller := &corev1.ReplicationController{ObjectMeta: meta}
				controller.Spec.Selector = labels
				b.state.ReplicationControllers = append(b.state.ReplicationControllers, controller)
			}
		}
	}
}

// owner returns a reference to a ReplicaSet of the app; nil when there is none.
func (b *builder) owner(namespace, app string) []metav1.OwnerReference {
	for _, set := range b.state.ReplicaSets {
		if set.Namespace == namespace && set.Name == app {
			return []metav1.OwnerReference{replicaSet(set)}
		}
	}
	return nil
}

// replicaSet is what the Pods of a ReplicaSet say of their owner.
func replicaSet(set *appsv1.ReplicaSet) metav1.OwnerReference {
	return *metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"))
}

// budgets protects some apps from disruption, with a status as its controller writes it.
func (b *builder) budgets() {
	for _, namespace := range namespaces {
		for _, app := range apps {
			if !b.chance(35) {
				continue
			}
			budget := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: app, UID: b.uid()}}
			budget.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
			most := intstr.FromInt32(1)
			budget.Spec.MaxUnavailable = &most
			budget.Status.DisruptionsAllowed = int32(b.between(0, 1))
			b.state.PodDisruptionBudgets = append(b.state.PodDisruptionBudgets, budget)
		}
	}
}
