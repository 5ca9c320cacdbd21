package reason

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	corev1helpers "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	plfeature "k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// nodeResourcesFit gives the numbers behind each resource that does not suffice, by the plugin's own arithmetic
// (noderesources.Fits, v1.37.2). The profile may tell the plugin to ignore resources; those are not among its reasons.
func nodeResourcesFit(rejection Rejection) []report.Detail {
	gates := plfeature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
	options := noderesources.ResourceRequestsOptions{
		EnablePodLevelResources:                            gates.EnablePodLevelResources,
		EnableDRAExtendedResource:                          gates.EnableDRAExtendedResource,
		EnableDRANodeAllocatableResources:                  gates.EnableDRANodeAllocatableResources,
		EnableInPlacePodVerticalScalingSchedulerPreemption: gates.EnableInPlacePodVerticalScalingSchedulerPreemption,
	}
	details := []report.Detail{}
	for _, lack := range noderesources.Fits(rejection.Pod, rejection.Node, rejection.Handle.SharedDRAManager(), options) {
		if !slices.Contains(rejection.Status.Reasons(), lack.Reason) {
			continue
		}
		details = append(details, report.Detail{
			Type:        report.InsufficientResource,
			Resource:    string(lack.ResourceName),
			Requested:   amount(lack.ResourceName, lack.Requested),
			Used:        amount(lack.ResourceName, lack.Used),
			Allocatable: amount(lack.ResourceName, lack.Capacity),
			Missing:     amount(lack.ResourceName, lack.Requested-(lack.Capacity-lack.Used)),
		})
	}
	return details
}

// amount writes a quantity in the unit in which the scheduler counts the resource: milli-CPUs, bytes, pieces.
func amount(name corev1.ResourceName, value int64) string {
	switch {
	case name == corev1.ResourceCPU:
		return resource.NewMilliQuantity(value, resource.DecimalSI).String()
	case name == corev1.ResourceMemory, name == corev1.ResourceEphemeralStorage,
		corev1helpers.IsHugePageResourceName(name):
		return resource.NewQuantity(value, resource.BinarySI).String()
	}
	return resource.NewQuantity(value, resource.DecimalSI).String()
}
