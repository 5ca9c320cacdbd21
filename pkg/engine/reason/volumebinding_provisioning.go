package reason

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	storagehelpers "k8s.io/component-helpers/storage/volume"
	corev1helpers "k8s.io/kubernetes/pkg/apis/core/v1/helper"
	"k8s.io/utils/ptr"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// provisioning is a StorageClass that makes volumes for claims of Pods that have a node; it follows
// volumeBinder.checkVolumeProvisions (v1.37.2).
type provisioning struct {
	class *storagev1.StorageClass
	// topologies are where the class makes volumes.
	topologies [][]volumeRequirement
	// counted tells that the driver publishes how much it can make where, in capacities.
	counted    bool
	capacities topologyIndex[classCapacity]
}

// classCapacity is a CSIStorageCapacity with its topology.
type classCapacity struct {
	limit *resource.Quantity // nil when it tells none
	where labels.Selector
}

// newProvisioning returns the class's maker. The class exists: IsDelayBindingMode has read it.
func newProvisioning(q Question, s *storage, class string) *provisioning {
	found, err := s.classes.Get(class)
	if err != nil {
		found = &storagev1.StorageClass{}
	}
	out := &provisioning{class: found}
	for _, term := range found.AllowedTopologies {
		requirements := []volumeRequirement{}
		for _, expression := range term.MatchLabelExpressions {
			requirements = append(requirements, newVolumeRequirement(corev1.NodeSelectorRequirement{
				Key: expression.Key, Operator: corev1.NodeSelectorOpIn, Values: expression.Values,
			}))
		}
		out.topologies = append(out.topologies, requirements)
	}
	informers := q.Handle.SharedInformerFactory().Storage().V1()
	if driver, err := informers.CSIDrivers().Lister().Get(found.Provisioner); err == nil {
		out.counted = ptr.Deref(driver.Spec.StorageCapacity, false)
	}
	if !out.counted {
		return out
	}
	published, err := informers.CSIStorageCapacities().Lister().List(labels.Everything())
	if err == nil {
		out.count(published)
	}
	return out
}

// count files the class's capacities.
func (m *provisioning) count(published []*storagev1.CSIStorageCapacity) {
	published = slices.SortedFunc(slices.Values(published), func(a, b *storagev1.CSIStorageCapacity) int {
		return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
	})
	for _, one := range published {
		if one.StorageClassName != m.class.Name || one.NodeTopology == nil {
			continue
		}
		where, err := metav1.LabelSelectorAsSelector(one.NodeTopology)
		if err != nil {
			continue
		}
		filed := classCapacity{where: where, limit: one.MaximumVolumeSize}
		if filed.limit == nil {
			filed.limit = one.Capacity
		}
		key, values := "", []string(nil)
		for name, value := range one.NodeTopology.MatchLabels {
			if key == "" || name < key {
				key, values = name, []string{value}
			}
		}
		m.capacities.add(filed, key, values)
	}
}

// makes tells whether anybody makes volumes of the class.
func (m *provisioning) makes() bool {
	return m.class.Provisioner != "" && m.class.Provisioner != storagehelpers.NotSupportedProvisioner
}

// allows tells whether the class makes volumes for the node.
func (m *provisioning) allows(node *corev1.Node) bool {
	return corev1helpers.MatchTopologySelectorTerms(m.class.AllowedTopologies, labels.Set(node.Labels))
}

func (m *provisioning) elsewhere(claim *corev1.PersistentVolumeClaim, node *corev1.Node) report.AllowedTopologies {
	return report.AllowedTopologies{Claim: claim.Name, Class: m.class.Name, Terms: unmetTerms(m.topologies, node)}
}

// tooLarge tells that the claim asks more than can be made for the node: nothing when it does not
// (volumeBinder.hasEnoughCapacity, v1.37.2).
func (m *provisioning) tooLarge(claim *corev1.PersistentVolumeClaim, node *corev1.Node) report.Details {
	wanted, asks := claim.Spec.Resources.Requests[corev1.ResourceStorage]
	if !m.counted || !asks {
		return nil
	}
	largest := m.largest(node)
	if largest != nil && largest.Value() >= wanted.Value() {
		return nil
	}
	detail := report.StorageCapacity{
		Claim: claim.Name, Class: m.class.Name, Driver: m.class.Provisioner, Requested: wanted.String(),
	}
	if largest != nil {
		detail.Available = largest.String()
	}
	return report.Details{detail}
}

// largest is the largest volume that can be made for the node; nil when that is not known.
func (m *provisioning) largest(node *corev1.Node) *resource.Quantity {
	var out *resource.Quantity
	for _, one := range m.capacities.near(node) {
		if one.limit != nil && one.where.Matches(labels.Set(node.Labels)) && (out == nil || one.limit.Cmp(*out) > 0) {
			out = one.limit
		}
	}
	return out
}
