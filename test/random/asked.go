package random

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// asked makes a Pod to ask about: each of its wishes is rare, so that about half of the Pods fit somewhere.
func (b *builder) asked(i int) *corev1.Pod {
	pod := b.pod(fmt.Sprintf("asked-%03d", i))
	for _, wish := range []struct {
		percent int
		add     func(*corev1.Pod)
	}{
		{15, b.moreContainers},
		{12, b.extendedResources},
		{10, b.large},
		{12, func(pod *corev1.Pod) { pod.Spec.NodeSelector = map[string]string{"disk": one(b.source, "ssd", "hdd")} }},
		{20, b.nodeAffinity},
		{5, b.pin},
		{25, func(pod *corev1.Pod) { b.podAffinity(pod, 60) }},
		{40, b.tolerations},
		{25, b.spread},
		{12, b.hostPort},
		{22, b.volumes},
		{5, b.disk},
		{4, asksForFeature},
		{20, b.priority},
		{4, b.gate},
		{8, b.ownNomination},
		{2, b.terminate},
	} {
		if b.chance(wish.percent) {
			wish.add(pod)
		}
	}
	if b.withDevices && b.chance(35) {
		b.wantDevices(pod)
	}
	return pod
}

// pin leaves the Pod a few nodes, by name.
func (b *builder) pin(pod *corev1.Pod) {
	affinityOf(pod).NodeAffinity = &corev1.NodeAffinity{}
	selector := &corev1.NodeSelector{}
	pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = selector
	for range b.between(1, 3) {
		selector.NodeSelectorTerms = append(selector.NodeSelectorTerms, corev1.NodeSelectorTerm{
			MatchFields: []corev1.NodeSelectorRequirement{{
				Key:      metav1.ObjectNameField,
				Operator: corev1.NodeSelectorOpIn,
				Values:   []string{one(b.source, b.state.Nodes...).Name},
			}},
		})
	}
}

// moreContainers adds init containers and sidecars, now and then an overhead.
func (b *builder) moreContainers(pod *corev1.Pod) {
	for i := range b.between(1, 2) {
		container := b.container(fmt.Sprintf("init-%d", i), "web")
		if b.chance(50) {
			always := corev1.ContainerRestartPolicyAlways
			container.RestartPolicy = &always
		}
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, container)
	}
	if b.chance(30) {
		pod.Spec.Resources = &corev1.ResourceRequirements{Requests: corev1.ResourceList{
			corev1.ResourceCPU: *resource.NewQuantity(int64(b.between(9, 12)), resource.DecimalSI)}}
	}
	if b.chance(30) {
		pod.Spec.Overhead = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("250m")}
	}
}

func (b *builder) extendedResources(pod *corev1.Pod) {
	name := one(b.source, gpu, gpu, nic, corev1.ResourceHugePagesPrefix+"2Mi")
	quantity := resource.MustParse(one(b.source, "1", "2"))
	if name != gpu && name != nic {
		quantity = resource.MustParse("32Mi")
	}
	pod.Spec.Containers[0].Resources.Requests[name] = quantity
	pod.Spec.Containers[0].Resources.Limits = corev1.ResourceList{name: quantity}
}

func (b *builder) large(pod *corev1.Pod) {
	pod.Spec.Resources = nil // they would have to be as large
	requests := pod.Spec.Containers[0].Resources.Requests
	requests[corev1.ResourceCPU] = resource.MustParse(one(b.source, "8", "12", "20"))
}

func (b *builder) tolerations(pod *corev1.Pod) {
	pod.Spec.Tolerations = some(b.source, 2,
		corev1.Toleration{Operator: corev1.TolerationOpExists},
		corev1.Toleration{Key: "dedicated", Operator: corev1.TolerationOpExists},
		corev1.Toleration{
			Key: "dedicated", Operator: corev1.TolerationOpEqual, Value: "gpu", Effect: corev1.TaintEffectNoSchedule},
		corev1.Toleration{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists},
		corev1.Toleration{Key: corev1.TaintNodeUnschedulable, Operator: corev1.TolerationOpExists},
		corev1.Toleration{
			Key: "spot", Operator: corev1.TolerationOpEqual, Value: "true", Effect: corev1.TaintEffectPreferNoSchedule},
	)
}

func (b *builder) spread(pod *corev1.Pod) {
	for range b.between(1, 2) {
		constraint := corev1.TopologySpreadConstraint{
			MaxSkew:           int32(b.between(1, 2)),
			TopologyKey:       b.topologyKey(),
			WhenUnsatisfiable: one(b.source, corev1.DoNotSchedule, corev1.DoNotSchedule, corev1.ScheduleAnyway),
			LabelSelector:     b.selector(),
		}
		if constraint.WhenUnsatisfiable == corev1.DoNotSchedule && b.chance(25) {
			domains := int32(b.between(1, 4))
			constraint.MinDomains = &domains
		}
		if b.chance(30) {
			policy := one(b.source, corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore)
			constraint.NodeAffinityPolicy = &policy
		}
		if b.chance(30) {
			policy := one(b.source, corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore)
			constraint.NodeTaintsPolicy = &policy
		}
		if b.chance(25) {
			constraint.MatchLabelKeys = []string{"tier"}
		}
		if !repeats(pod.Spec.TopologySpreadConstraints, constraint) {
			pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, constraint)
		}
	}
}

// repeats tells whether the API server would refuse the constraint beside the others.
func repeats(constraints []corev1.TopologySpreadConstraint, added corev1.TopologySpreadConstraint) bool {
	for _, constraint := range constraints {
		if constraint.TopologyKey == added.TopologyKey && constraint.WhenUnsatisfiable == added.WhenUnsatisfiable {
			return true
		}
	}
	return false
}

func (b *builder) volumes(pod *corev1.Pod) {
	for range b.between(1, 2) {
		switch lot := b.IntN(100); {
		case lot < 60:
			mount(pod, one(b.source, boundClaims...))
		case lot < 62:
			mount(pod, "claim-gone")
		case lot < 64:
			pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: "scratch", VolumeSource: corev1.VolumeSource{
				Ephemeral: &corev1.EphemeralVolumeSource{VolumeClaimTemplate: &corev1.PersistentVolumeClaimTemplate{}}}})
		default:
			mount(pod, one(b.source, "wait-0", "wait-0", "wait-0", "local-0", one(b.source, unboundClaims...)))
		}
	}
}

func asksForFeature(pod *corev1.Pod) {
	never := corev1.ContainerRestartPolicyNever
	container := &pod.Spec.Containers[0]
	container.RestartPolicy = &never
	container.RestartPolicyRules = []corev1.ContainerRestartRule{{
		Action: corev1.ContainerRestartRuleActionRestartAllContainers,
		ExitCodes: &corev1.ContainerRestartRuleOnExitCodes{
			Operator: corev1.ContainerRestartRuleOnExitCodesOpIn, Values: []int32{42}},
	}}
}

func (b *builder) priority(pod *corev1.Pod) {
	priority := one(b.source, int32(100), 1000, 5000)
	pod.Spec.Priority = &priority
	if b.chance(20) {
		never := corev1.PreemptNever
		pod.Spec.PreemptionPolicy = &never
	}
}

func (b *builder) gate(pod *corev1.Pod) {
	pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/quota"}}
}

func (b *builder) ownNomination(pod *corev1.Pod) {
	pod.Status.NominatedNodeName = one(b.source, b.state.Nodes...).Name
	if b.chance(5) {
		pod.Status.NominatedNodeName = "node-gone"
	}
}
