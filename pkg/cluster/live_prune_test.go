package cluster_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// runningPod is a Pod that has everything: what scheduling reads and what it never reads.
func runningPod() *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "shop", Name: "web-0", UID: "u-1", Labels: map[string]string{"app": "web"},
			Annotations:     map[string]string{corev1.LastAppliedConfigAnnotation: "{}", "team": "shop"},
			ManagedFields:   []metav1.ManagedFieldsEntry{{Manager: "kubelet"}},
			OwnerReferences: []metav1.OwnerReference{{Kind: "StatefulSet", Name: "web"}},
		},
		Spec: corev1.PodSpec{
			NodeName:       "n1",
			InitContainers: []corev1.Container{runningContainer("init")},
			Containers:     []corev1.Container{runningContainer("web")},
			EphemeralContainers: []corev1.EphemeralContainer{{
				EphemeralContainerCommon: corev1.EphemeralContainerCommon(runningContainer("debug")),
				TargetContainerName:      "web",
			}},
			Volumes: []corev1.Volume{
				{Name: "data", VolumeSource: corev1.VolumeSource{
					PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}},
				{Name: "token", VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{
					Sources: []corev1.VolumeProjection{{ConfigMap: &corev1.ConfigMapProjection{}}}}}},
			},
			HostNetwork: true,
			Overhead:    corev1.ResourceList{"cpu": resource.MustParse("10m")},
			Resources: &corev1.ResourceRequirements{
				Requests: corev1.ResourceList{"memory": resource.MustParse("3Gi")}},
			ResourceClaims: []corev1.PodResourceClaim{{Name: "gpu"}},
		},
		Status: corev1.PodStatus{
			Phase: corev1.PodRunning, NominatedNodeName: "n1", StartTime: &metav1.Time{Time: time.Unix(0, 0)},
			HostIP: "10.0.0.1", HostIPs: []corev1.HostIP{{IP: "10.0.0.1"}},
			PodIP: "10.1.0.1", PodIPs: []corev1.PodIP{{IP: "10.1.0.1"}},
			Conditions: []corev1.PodCondition{
				{Type: corev1.PodReady, Status: "True"},
				{Type: corev1.PodScheduled, Status: "True"},
				{Type: corev1.DisruptionTarget, Status: "True", Reason: corev1.PodReasonPreemptionByScheduler},
				{Type: corev1.PodResizePending, Status: "True", Reason: corev1.PodReasonInfeasible},
				{Type: corev1.ContainersReady, Status: "True"},
			},
			InitContainerStatuses: []corev1.ContainerStatus{{Name: "init", RestartCount: 1}},
			ContainerStatuses: []corev1.ContainerStatus{{
				Name: "web", Image: "web:1", ImageID: "sha256:1", ContainerID: "containerd://1", Ready: true,
				State:              corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
				Resources:          &corev1.ResourceRequirements{Requests: cpu("3")},
				AllocatedResources: cpu("4"),
			}},
			EphemeralContainerStatuses:           []corev1.ContainerStatus{{Name: "debug"}},
			ResourceClaimStatuses:                []corev1.PodResourceClaimStatus{{Name: "gpu"}},
			ExtendedResourceClaimStatus:          &corev1.PodExtendedResourceClaimStatus{ResourceClaimName: "web-0-extended"},
			NodeAllocatableResourceClaimStatuses: []corev1.NodeAllocatableResourceClaimStatus{{ResourceClaimName: "c"}},
			AllocatedResources:                   cpu("5"),
			Resources:                            &corev1.ResourceRequirements{Requests: cpu("6")},
		},
	}
}

func runningContainer(name string) corev1.Container {
	probe := &corev1.Probe{PeriodSeconds: 5}
	return corev1.Container{
		Name: name, Image: "web:1", Command: []string{"run"}, Args: []string{"-v"},
		Ports:     []corev1.ContainerPort{{HostPort: 80}},
		Env:       []corev1.EnvVar{{Name: "A", Value: "b"}},
		EnvFrom:   []corev1.EnvFromSource{{Prefix: "P"}},
		Resources: corev1.ResourceRequirements{Requests: cpu("2"), Claims: []corev1.ResourceClaim{{Name: "gpu"}}},
		RestartPolicyRules: []corev1.ContainerRestartRule{
			{Action: corev1.ContainerRestartRuleActionRestartAllContainers}},
		VolumeMounts: []corev1.VolumeMount{
			{Name: "token", MountPath: "/token"},
			{Name: "data", MountPath: "/data", BindMountOptions: []string{"noexec"}},
		},
		LivenessProbe: probe, ReadinessProbe: probe, StartupProbe: probe,
		Lifecycle:       &corev1.Lifecycle{},
		SecurityContext: &corev1.SecurityContext{},
	}
}

// prunedContainer is what stays of runningContainer.
func prunedContainer(name string) corev1.Container {
	return corev1.Container{
		Name: name, Image: "web:1",
		Ports:     []corev1.ContainerPort{{HostPort: 80}},
		Resources: corev1.ResourceRequirements{Requests: cpu("2"), Claims: []corev1.ResourceClaim{{Name: "gpu"}}},
		RestartPolicyRules: []corev1.ContainerRestartRule{
			{Action: corev1.ContainerRestartRuleActionRestartAllContainers}},
		VolumeMounts: []corev1.VolumeMount{
			{Name: "data", MountPath: "/data", BindMountOptions: []string{"noexec"}},
		},
	}
}

// prunedPod is what stays of runningPod.
func prunedPod() *corev1.Pod {
	pod := runningPod()
	pod.ManagedFields = nil
	pod.Annotations = map[string]string{"team": "shop"}
	pod.Spec.InitContainers = []corev1.Container{prunedContainer("init")}
	pod.Spec.Containers = []corev1.Container{prunedContainer("web")}
	pod.Spec.EphemeralContainers[0].EphemeralContainerCommon =
		corev1.EphemeralContainerCommon(prunedContainer("debug"))
	pod.Spec.Volumes[1].Projected = &corev1.ProjectedVolumeSource{}
	pod.Status.HostIP, pod.Status.HostIPs, pod.Status.PodIP, pod.Status.PodIPs = "", nil, "", nil
	pod.Status.Conditions = pod.Status.Conditions[1:4]
	pod.Status.InitContainerStatuses = nil
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name:               "web",
		Resources:          &corev1.ResourceRequirements{Requests: cpu("3")},
		AllocatedResources: cpu("4"),
	}}
	pod.Status.EphemeralContainerStatuses = nil
	return pod
}

func TestReadLiveDropsWhatSchedulingNeverReads(t *testing.T) {
	pending, running := runningPod(), runningPod()
	pending.Name, pending.Spec.NodeName = "web-1", ""
	node := liveNode("n1")
	node.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubelet"}}
	node.Status.Images = []corev1.ContainerImage{{Names: []string{"web:1"}, SizeBytes: 1}}
	state := readLive(t, cluster.LiveOptions{}, map[string][]runtime.Object{
		"/api/v1/pods":  {running, pending},
		"/api/v1/nodes": {node},
	})

	wantPending := pending.DeepCopy()
	wantPending.ManagedFields = nil
	wantPending.Annotations = map[string]string{"team": "shop"}
	wantNode := liveNode("n1")
	wantNode.Status.Images = node.Status.Images
	if diff := cmp.Diff([]*corev1.Pod{prunedPod(), wantPending}, state.Pods); diff != "" {
		t.Errorf("Pods (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]*corev1.Node{wantNode}, state.Nodes); diff != "" {
		t.Errorf("Nodes (-want +got):\n%s", diff)
	}
}

func TestReadLiveLeavesWhatAPodRequests(t *testing.T) {
	for name, edit := range map[string]func(*corev1.Pod){
		"whose resize is infeasible": func(*corev1.Pod) {},
		"whose resize is under way":  func(pod *corev1.Pod) { pod.Status.Conditions = nil },
		"of containers only":         func(pod *corev1.Pod) { pod.Spec.Resources = nil },
	} {
		t.Run("a Pod "+name, func(t *testing.T) {
			stored := runningPod()
			edit(stored)
			state := readLive(t, cluster.LiveOptions{}, map[string][]runtime.Object{"/api/v1/pods": {stored}})
			options := resourcehelper.PodResourcesOptions{
				UseStatusResources: true,
				InPlacePodLevelResourcesVerticalScalingEnabled: true,
				UseDRANodeAllocatableResourceClaimStatus:       true,
			}
			want := resourcehelper.PodRequests(stored, options)
			if diff := cmp.Diff(want, resourcehelper.PodRequests(state.Pods[0], options)); diff != "" {
				t.Errorf("requests (-as stored +as read):\n%s", diff)
			}
		})
	}
}

func TestReadLiveDropsPodTemplatesUnlessToldToKeepThem(t *testing.T) {
	labels := map[string]string{"app": "web"}
	selector := &metav1.LabelSelector{MatchLabels: labels}
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}}
	meta := metav1.ObjectMeta{Namespace: "shop", Name: "web"}
	claims := []corev1.PersistentVolumeClaim{{ObjectMeta: metav1.ObjectMeta{Name: "data"}}}
	set := &appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{
		Selector: selector, Template: template, VolumeClaimTemplates: claims}}
	rs := &appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Selector: selector, Template: template}}
	rc := &corev1.ReplicationController{ObjectMeta: meta,
		Spec: corev1.ReplicationControllerSpec{Selector: labels, Template: &template}}
	lists := map[string][]runtime.Object{
		"/apis/apps/v1/statefulsets":     {set},
		"/apis/apps/v1/replicasets":      {rs},
		"/api/v1/replicationcontrollers": {rc},
	}
	bareSet := &appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{Selector: selector}}
	bareRS := &appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Selector: selector}}
	bareRC := &corev1.ReplicationController{ObjectMeta: meta, Spec: corev1.ReplicationControllerSpec{Selector: labels}}

	for name, test := range map[string]struct {
		keep bool
		want []any
	}{
		"for scheduling": {keep: false, want: []any{bareSet, bareRS, bareRC}},
		"for a snapshot": {keep: true, want: []any{set, rs, rc}},
	} {
		t.Run(name, func(t *testing.T) {
			state := readLive(t, cluster.LiveOptions{KeepTemplates: test.keep}, lists)
			got := []any{state.StatefulSets[0], state.ReplicaSets[0], state.ReplicationControllers[0]}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("objects (-want +got):\n%s", diff)
			}
		})
	}
}

func readLive(t *testing.T, options cluster.LiveOptions, lists map[string][]runtime.Object) *cluster.State {
	t.Helper()
	state, err := cluster.ReadLive(t.Context(), serveAPI(t, &apiServer{lists: lists}), options)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func cpu(quantity string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(quantity)}
}
