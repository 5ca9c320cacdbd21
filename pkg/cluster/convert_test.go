package cluster_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

func TestReadFilesConvertsOlderVersions(t *testing.T) {
	named := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name} }
	inNamespace := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name, Namespace: "default"} }
	labeled := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"a": "b"}}}
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}
	for name, test := range map[string]struct {
		text, version string
		want          cluster.State
	}{
		"a budget that selects": {
			text:    `{"apiVersion":"policy/v1beta1","kind":"PodDisruptionBudget","metadata":{"name":"b"},"spec":{"selector":{"matchLabels":{"a":"b"}}}}`,
			version: "policy/v1beta1 PodDisruptionBudget",
			want: cluster.State{PodDisruptionBudgets: []*policyv1.PodDisruptionBudget{
				{ObjectMeta: inNamespace("b"), Spec: policyv1.PodDisruptionBudgetSpec{Selector: selector}}}},
		},
		"a budget whose empty selector meant nothing": {
			text:    `{"apiVersion":"policy/v1beta1","kind":"PodDisruptionBudget","metadata":{"name":"b"},"spec":{"selector":{}}}`,
			version: "policy/v1beta1 PodDisruptionBudget",
			want:    cluster.State{PodDisruptionBudgets: []*policyv1.PodDisruptionBudget{{ObjectMeta: inNamespace("b")}}},
		},
		"a Deployment without a selector": {
			text:    `{"apiVersion":"extensions/v1beta1","kind":"Deployment","metadata":{"name":"d"},"spec":{"template":{"metadata":{"labels":{"a":"b"}}}}}`,
			version: "extensions/v1beta1 Deployment",
			want: cluster.State{Deployments: []*appsv1.Deployment{
				{ObjectMeta: inNamespace("d"), Spec: appsv1.DeploymentSpec{Selector: selector, Template: labeled}}}},
		},
		"a StatefulSet in a typed list": {
			text:    `{"apiVersion":"apps/v1beta1","kind":"StatefulSetList","items":[{"metadata":{"name":"s"},"spec":{"template":{"metadata":{"labels":{"a":"b"}}}}}]}`,
			version: "apps/v1beta1 StatefulSet",
			want: cluster.State{StatefulSets: []*appsv1.StatefulSet{
				{ObjectMeta: inNamespace("s"), Spec: appsv1.StatefulSetSpec{Selector: selector, Template: labeled}}}},
		},
		"a storage capacity": {
			text:    `{"apiVersion":"storage.k8s.io/v1alpha1","kind":"CSIStorageCapacity","metadata":{"name":"c"},"storageClassName":"fast","capacity":"1Gi"}`,
			version: "storage.k8s.io/v1alpha1 CSIStorageCapacity",
			want: cluster.State{CSIStorageCapacities: []*storagev1.CSIStorageCapacity{
				{ObjectMeta: inNamespace("c"), StorageClassName: "fast", Capacity: ptr.To(resource.MustParse("1Gi"))}}},
		},
		"a storage class": {
			text:    `{"apiVersion":"storage.k8s.io/v1beta1","kind":"StorageClass","metadata":{"name":"c"},"provisioner":"p"}`,
			version: "storage.k8s.io/v1beta1 StorageClass",
			want:    cluster.State{StorageClasses: []*storagev1.StorageClass{{ObjectMeta: named("c"), Provisioner: "p"}}},
		},
		"a priority class": {
			text:    `{"apiVersion":"scheduling.k8s.io/v1beta1","kind":"PriorityClass","metadata":{"name":"c"},"value":7}`,
			version: "scheduling.k8s.io/v1beta1 PriorityClass",
			want:    cluster.State{PriorityClasses: []*schedulingv1.PriorityClass{{ObjectMeta: named("c"), Value: 7}}},
		},
		"a runtime class with a spec": {
			text:    `{"apiVersion":"node.k8s.io/v1alpha1","kind":"RuntimeClass","metadata":{"name":"c"},"spec":{"runtimeHandler":"h","overhead":{"podFixed":{"cpu":"1"}},"scheduling":{"nodeSelector":{"a":"b"}}}}`,
			version: "node.k8s.io/v1alpha1 RuntimeClass",
			want: cluster.State{RuntimeClasses: []*nodev1.RuntimeClass{{
				ObjectMeta: named("c"), Handler: "h",
				Overhead:   &nodev1.Overhead{PodFixed: corev1.ResourceList{"cpu": resource.MustParse("1")}},
				Scheduling: &nodev1.Scheduling{NodeSelector: map[string]string{"a": "b"}},
			}}},
		},
		"a claim of v1beta1": {
			text:    `{"apiVersion":"resource.k8s.io/v1beta1","kind":"ResourceClaim","metadata":{"name":"c","uid":"u"},"spec":{"devices":{"requests":[{"name":"r","deviceClassName":"gpu","count":2}]}}}`,
			version: "resource.k8s.io/v1beta1 ResourceClaim",
			want: cluster.State{ResourceClaims: []*resourcev1.ResourceClaim{{
				ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: "default", UID: "u"},
				Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{
					{Name: "r", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu", Count: 2}}}}},
			}}},
		},
		"a slice of v1beta1": {
			text:    `{"apiVersion":"resource.k8s.io/v1beta1","kind":"ResourceSlice","metadata":{"name":"s"},"spec":{"driver":"d","nodeName":"n","pool":{"name":"p","generation":1,"resourceSliceCount":1},"devices":[{"name":"g","basic":{"attributes":{"model":{"string":"x"}}}}]}}`,
			version: "resource.k8s.io/v1beta1 ResourceSlice",
			want: cluster.State{ResourceSlices: []*resourcev1.ResourceSlice{{
				ObjectMeta: named("s"),
				Spec: resourcev1.ResourceSliceSpec{
					Driver: "d", NodeName: ptr.To("n"), Pool: resourcev1.ResourcePool{Name: "p", Generation: 1, ResourceSliceCount: 1},
					Devices: []resourcev1.Device{{Name: "g", Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
						"model": {StringValue: ptr.To("x")}}}},
				},
			}}},
		},
		"a claim of v1beta2": {
			text:    `{"apiVersion":"resource.k8s.io/v1beta2","kind":"ResourceClaim","metadata":{"name":"c","uid":"u"},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"gpu"}}]}}}`,
			version: "resource.k8s.io/v1beta2 ResourceClaim",
			want: cluster.State{ResourceClaims: []*resourcev1.ResourceClaim{{
				ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: "default", UID: "u"},
				Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{
					{Name: "r", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu"}}}}},
			}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := cluster.ReadFiles(t.Context(), []cluster.File{file("f", test.text)})
			if err != nil {
				t.Fatal(err)
			}
			test.want.Warnings = []string{"read 1 object of older API versions as today's: " + test.version + " 1"}
			got.Gaps = nil
			if diff := cmp.Diff(&test.want, got); diff != "" {
				t.Errorf("State (-want +got):\n%s", diff)
			}
		})
	}
}
