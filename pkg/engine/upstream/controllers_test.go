package upstream_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
)

// A Pod that is not in the cluster gets the claims that controllers would make for it, and is judged with them.
func TestClaimsOfControllersAreJudged(t *testing.T) {
	state := &cluster.State{
		Nodes: []*corev1.Node{testNode("a", "zone-a"), testNode("b", "zone-b")},
		StorageClasses: []*storagev1.StorageClass{{
			ObjectMeta:  metav1.ObjectMeta{Name: "disk", Annotations: map[string]string{"storageclass.kubernetes.io/is-default-class": "true"}},
			Provisioner: "disk.example.com",
			AllowedTopologies: []corev1.TopologySelectorTerm{{
				MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{
					{Key: corev1.LabelTopologyZone, Values: []string{"zone-b"}},
				},
			}},
			VolumeBindingMode: onBinding(),
		}},
		DeviceClasses: []*resourcev1.DeviceClass{{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}}},
		ResourceClaimTemplates: []*resourcev1.ResourceClaimTemplate{{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "one-gpu"},
			Spec: resourcev1.ResourceClaimTemplateSpec{Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{
				Requests: []resourcev1.DeviceRequest{{
					Name:    "gpu",
					Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu"},
				}},
			}}},
		}},
		ResourceSlices: []*resourcev1.ResourceSlice{{
			ObjectMeta: metav1.ObjectMeta{Name: "a-gpus"},
			Spec: resourcev1.ResourceSliceSpec{
				Driver:   "gpu.example.com",
				NodeName: ptr.To("a"),
				Pool:     resourcev1.ResourcePool{Name: "a", ResourceSliceCount: 1},
				Devices:  []resourcev1.Device{{Name: "gpu-0"}},
			},
		}},
	}
	upstream.SetDefaults(state)
	for sentence, test := range map[string]struct {
		edit func(*corev1.PodSpec)
		want []string
	}{
		"without claims it fits everywhere": {func(*corev1.PodSpec) {}, []string{"a", "b"}},
		"an ephemeral volume of the default class goes where the class allows": {func(spec *corev1.PodSpec) {
			spec.Volumes = []corev1.Volume{{Name: "scratch", VolumeSource: corev1.VolumeSource{
				Ephemeral: &corev1.EphemeralVolumeSource{VolumeClaimTemplate: &corev1.PersistentVolumeClaimTemplate{
					Spec: corev1.PersistentVolumeClaimSpec{AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}},
				}},
			}}}
		}, []string{"b"}},
		"a claim of a template goes where the device is": {func(spec *corev1.PodSpec) {
			spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimTemplateName: ptr.To("one-gpu")}}
		}, []string{"a"}},
	} {
		t.Run(sentence, func(t *testing.T) {
			scheduler, err := upstream.New(t.Context(), state, upstream.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer scheduler.Close()
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "asks", UID: "asks"}}
			test.edit(&pod.Spec)
			for range 2 { // the second time nothing of the first must be left
				judgment := judge(t, scheduler, upstream.WithClaims(state, pod, nil))
				var got []string
				for _, node := range judgment.Nodes {
					if node.Feasible() {
						got = append(got, node.Info.Node().Name)
					}
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("feasible nodes, %q (-want +got):\n%s", judgment.Message, diff)
				}
			}
		})
	}
}

// judge asks the default profile about a subject.
func judge(t *testing.T, scheduler *upstream.Scheduler, subject upstream.Subject) (judgment *upstream.Judgment) {
	t.Helper()
	err := scheduler.With(subject, func() (err error) {
		judgment, err = scheduler.Judge(t.Context(), corev1.DefaultSchedulerName, subject.Pod)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return judgment
}

func testNode(name, zone string) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelTopologyZone: zone}},
		Status:     corev1.NodeStatus{Allocatable: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("10")}},
	}
}

func onBinding() *storagev1.VolumeBindingMode {
	return ptr.To(storagev1.VolumeBindingWaitForFirstConsumer)
}
