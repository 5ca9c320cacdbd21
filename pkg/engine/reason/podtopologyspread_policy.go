package reason

import (
	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"
)

// policies tell which nodes a constraint does not count.
type policies int

const (
	// honorAffinity passes over nodes that the Pod's node affinity or selector does not match.
	honorAffinity policies = 1 << iota
	// honorTaints passes over nodes with a taint that the Pod does not tolerate.
	honorTaints
	// allPolicies is the number of combinations.
	allPolicies
)

// policiesOf reads a constraint's policies, with upstream's defaults.
func policiesOf(constraint corev1.TopologySpreadConstraint) policies {
	var p policies
	if policy := constraint.NodeAffinityPolicy; policy == nil || *policy == corev1.NodeInclusionPolicyHonor {
		p |= honorAffinity
	}
	if policy := constraint.NodeTaintsPolicy; policy != nil && *policy == corev1.NodeInclusionPolicyHonor {
		p |= honorTaints
	}
	return p
}

// names are the fields of a constraint.
func (p policies) names() []string {
	var names []string
	if p&honorTaints != 0 {
		names = append(names, "nodeTaintsPolicy")
	}
	if p&honorAffinity != 0 {
		names = append(names, "nodeAffinityPolicy")
	}
	return names
}

// reach tells which nodes can take a Pod, as far as affinity, taints and cordons go.
type reach struct {
	pod        *corev1.Pod
	affinity   nodeaffinity.RequiredNodeAffinity
	comparison bool
}

func newReach(pod *corev1.Pod) reach {
	return reach{
		pod:        pod,
		affinity:   nodeaffinity.GetRequiredNodeAffinity(pod),
		comparison: utilfeature.DefaultFeatureGate.Enabled(features.TaintTolerationComparisonOperators),
	}
}

// reached is what is known of one node.
type reached struct{ matches, tolerates, cordoned bool }

// of looks at a node as podtopologyspread's matchNodeInclusionPolicies and nodeunschedulable.NodeUnschedulable.Filter
// do (v1.37.2).
func (r reach) of(node *corev1.Node) reached {
	matches, _ := r.affinity.Match(node) // upstream ignores errors too
	tolerations := r.pod.Spec.Tolerations
	_, untolerated := corev1helpers.FindMatchingUntoleratedTaint(logr.Discard(), node.Spec.Taints, tolerations,
		helper.DoNotScheduleTaintsFilterFunc(), r.comparison)
	cordon := corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}
	return reached{
		matches:   matches,
		tolerates: !untolerated,
		cordoned: node.Spec.Unschedulable &&
			!corev1helpers.TolerationsTolerateTaint(logr.Discard(), tolerations, &cordon, r.comparison),
	}
}

// counts tells whether a constraint with these policies counts the node.
func (r reached) counts(p policies) bool {
	return (p&honorAffinity == 0 || r.matches) && (p&honorTaints == 0 || r.tolerates)
}

// open tells whether the node can take the Pod.
func (r reached) open() bool { return r.matches && r.tolerates && !r.cordoned }
