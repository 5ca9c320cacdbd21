package reason

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

func ownerOf(claim *resourcev1.ResourceClaim) string {
	if owner := metav1.GetControllerOfNoCopy(claim); owner != nil {
		return owner.Kind + "/" + owner.Name
	}
	return ""
}

// elsewhereThan tells from where the devices of an allocated claim can be reached; nil when this node reaches them.
func elsewhereThan(node *corev1.Node, held heldClaim) *report.ResourceClaimElsewhere {
	allocation := held.claim.Status.Allocation
	if allocation.NodeSelector == nil {
		return nil
	}
	selector, err := nodeaffinity.NewNodeSelector(allocation.NodeSelector)
	if err != nil || selector.Match(node) {
		return nil
	}
	out := &report.ResourceClaimElsewhere{PodClaim: held.id, Devices: allocatedTo(held.claim)}
	out.Devices = out.Devices[:min(maxNames, len(out.Devices))]
	var names []string
	for _, term := range allocation.NodeSelector.NodeSelectorTerms {
		for _, field := range term.MatchFields {
			if field.Key == metav1.ObjectNameField && field.Operator == corev1.NodeSelectorOpIn {
				names = append(names, field.Values...)
			}
		}
		for _, wanted := range term.MatchExpressions {
			if !matchesLabel(node, wanted) {
				out.Labels = append(out.Labels, unmetLabel(node, wanted))
			}
		}
	}
	out.Nodes, out.NodeCount = firstNames(names)
	return out
}

func matchesLabel(node *corev1.Node, wanted corev1.NodeSelectorRequirement) bool {
	selector, err := nodeaffinity.NewNodeSelector(&corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{
		{MatchExpressions: []corev1.NodeSelectorRequirement{wanted}}}})
	return err == nil && selector.Match(node)
}

func unmetLabel(node *corev1.Node, wanted corev1.NodeSelectorRequirement) report.UnmetLabel {
	out := report.UnmetLabel{Key: wanted.Key, Operator: string(wanted.Operator), Values: slices.Clone(wanted.Values)}
	if value, ok := node.Labels[wanted.Key]; ok {
		out.Value = &value
	}
	return out
}

// allocatedTo names the devices of an allocated claim.
func allocatedTo(claim *resourcev1.ResourceClaim) []string {
	var devices []string
	for _, result := range claim.Status.Allocation.Devices.Results {
		devices = append(devices, result.Driver+"/"+result.Pool+"/"+result.Device)
	}
	return devices
}

// notReady tells of devices whose binding conditions are not met, or that failed to be bound. The plugin gives a claim
// up when one failed, or when the others take too long (DynamicResources.isClaimReadyForBinding and isClaimTimeout,
// v1.37.2).
func notReady(held heldClaim) report.Details {
	var details report.Details
	for _, result := range held.claim.Status.Allocation.Devices.Results {
		if len(result.BindingConditions) == 0 {
			continue
		}
		conditions := conditionsOf(held.claim, result)
		out := report.DeviceNotReady{PodClaim: held.id, Device: result.Driver + "/" + result.Pool + "/" + result.Device}
		for _, name := range result.BindingFailureConditions {
			if failed := apimeta.FindStatusCondition(conditions, name); failed != nil &&
				failed.Status == metav1.ConditionTrue && out.Failed == "" {
				out.Failed, out.Reason, out.Message = name, failed.Reason, failed.Message
			}
		}
		for _, name := range result.BindingConditions {
			if !apimeta.IsStatusConditionTrue(conditions, name) {
				out.WaitsFor = append(out.WaitsFor, name)
			}
		}
		if out.Failed != "" || len(out.WaitsFor) > 0 {
			details = append(details, out)
		}
	}
	return details
}

// conditionsOf are what the driver says about an allocated device.
func conditionsOf(claim *resourcev1.ResourceClaim, result resourcev1.DeviceRequestAllocationResult) []metav1.Condition {
	for _, status := range claim.Status.Devices {
		if status.Driver == result.Driver && status.Pool == result.Pool && status.Device == result.Device {
			return status.Conditions
		}
	}
	return nil
}
