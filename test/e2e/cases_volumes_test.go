//go:build e2e

package e2e

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	storagehelpers "k8s.io/component-helpers/storage/volume"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

func volumeCases() map[string]explainCase {
	zoneB := expr(corev1.LabelTopologyZone, corev1.NodeSelectorOpIn, "b")
	hostN03 := expr(corev1.LabelHostname, corev1.NodeSelectorOpIn, "n03")
	return map[string]explainCase{
		"a claim that does not exist": {
			pod: pod("x", claims("ghost")), want: report.Unschedulable,
		},
		"a claim that should have been bound at once": {
			setup: []object{claim("data", "immediate")},
			pod:   pod("x", claims("data")), want: report.Unschedulable,
		},
		"a claim of a class that does not exist": {
			setup: []object{claim("data", "nosuch")},
			pod:   pod("x", claims("data")), want: report.Unschedulable,
		},
		"a claim that waits for its Pod": {
			setup: []object{claim("data", "disk")},
			pod:   pod("x", claims("data"), requests("cpu", "1")), want: report.Schedulable,
		},
		"a claim that waits for its Pod, of a class for one zone": {
			setup: []object{claim("data", "disk-a")},
			pod:   pod("x", claims("data")), want: report.Schedulable,
		},
		"a claim of a class for another zone": {
			setup: []object{claim("data", "disk-a")},
			pod:   pod("x", claims("data"), nodeSelector(corev1.LabelTopologyZone, "b")), want: report.Unschedulable,
		},
		"a local volume that is free": {
			setup: []object{volume("local-n03", "local", hostN03), claim("data", "local")},
			pod:   pod("x", claims("data")), want: report.Schedulable,
		},
		"no local volume left": {
			setup: []object{claim("data", "local")},
			pod:   pod("x", claims("data")), want: report.Unschedulable,
		},
		"one local volume for two claims": {
			setup: []object{volume("local-n03", "local", hostN03), claim("data", "local"), claim("logs", "local")},
			pod:   pod("x", claims("data", "logs")), want: report.Unschedulable,
		},
		"a bound volume of a zone": {
			setup: boundTo(claim("data", "disk"), volume("disk-b", "disk", zoneB)),
			pod:   pod("x", claims("data"), requests("cpu", "1")), want: report.Schedulable,
		},
		"a bound volume of another zone": {
			setup: boundTo(claim("data", "disk"), volume("disk-b", "disk", zoneB)),
			pod:   pod("x", claims("data"), nodeSelector(corev1.LabelTopologyZone, "a")), want: report.Unschedulable,
		},
		"a bound volume that has no node with room": {
			setup: boundTo(claim("data", "disk"), volume("disk-b", "disk", zoneB)),
			pod:   pod("x", claims("data"), requests("cpu", "10")), want: report.Unschedulable,
		},
		"a bound volume labeled with another zone": {
			setup: boundTo(claim("data", "disk"), labeledVolume("disk-b", corev1.LabelTopologyZone, "b")),
			pod:   pod("x", claims("data"), nodeSelector(corev1.LabelTopologyZone, "a")), want: report.Unschedulable,
		},
		"a bound volume that is gone": {
			setup: []object{lostClaim("data", "disk", "gone")},
			pod:   pod("x", claims("data")), want: report.Unschedulable,
		},
		"a volume for one Pod at a time that another Pod has": {
			setup: append(boundTo(onePodClaim("data", "disk"), onePodVolume("disk-b", "disk", zoneB)),
				pod("owner", on("n05"), claims("data"))),
			pod: pod("x", claims("data")), want: report.Unschedulable,
		},
		"more volumes than a node can attach": {
			setup: append(boundTo(claim("data", "disk"), labeledVolume("disk-1")),
				append(boundTo(claim("logs", "disk"), labeledVolume("disk-2")),
					attachLimit("n18", 1), pod("owner", on("n18"), claims("logs")))...),
			pod: pod("x", claims("data"), pinned("n18")), want: report.Unschedulable,
		},
		"a driver with no capacity left": {
			setup: []object{
				&storagev1.CSIDriver{
					ObjectMeta: metav1.ObjectMeta{Name: "disk.example.com"},
					Spec:       storagev1.CSIDriverSpec{StorageCapacity: new(true)},
				},
				claim("data", "disk"),
			},
			pod: pod("x", claims("data")), want: report.Unschedulable,
		},
	}
}

// attachLimit says how many volumes the driver can attach to the node.
func attachLimit(nodeName string, count int32) *storagev1.CSINode {
	return &storagev1.CSINode{
		ObjectMeta: metav1.ObjectMeta{Name: nodeName},
		Spec: storagev1.CSINodeSpec{Drivers: []storagev1.CSINodeDriver{{
			Name:        "disk.example.com",
			NodeID:      nodeName,
			Allocatable: &storagev1.VolumeNodeResources{Count: &count},
		}}},
	}
}

func claim(name, class string) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: corev1.PersistentVolumeClaimSpec{
			StorageClassName: &class,
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:        corev1.VolumeResourceRequirements{Requests: quantities("storage", "1Gi")},
		},
	}
}

func onePodClaim(name, class string) *corev1.PersistentVolumeClaim {
	c := claim(name, class)
	c.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOncePod}
	return c
}

// lostClaim is bound to a volume that does not exist.
func lostClaim(name, class, volumeName string) *corev1.PersistentVolumeClaim {
	c := claim(name, class)
	c.Annotations = pairsOf(storagehelpers.AnnBindCompleted, "yes")
	c.Spec.VolumeName = volumeName
	return c
}

// volume is a volume that can be used where the expression holds.
func volume(name, class string, where corev1.NodeSelectorRequirement) *corev1.PersistentVolume {
	v := labeledVolume(name)
	v.Spec.StorageClassName = class
	v.Spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: nodeSelectorOf(term(where))}
	return v
}

func onePodVolume(name, class string, where corev1.NodeSelectorRequirement) *corev1.PersistentVolume {
	v := volume(name, class, where)
	v.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOncePod}
	return v
}

// labeledVolume is a volume of class disk that tells by labels alone where it is.
func labeledVolume(name string, labels ...string) *corev1.PersistentVolume {
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: pairsOf(labels...)},
		Spec: corev1.PersistentVolumeSpec{
			StorageClassName: "disk",
			Capacity:         quantities("storage", "1Gi"),
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				CSI: &corev1.CSIPersistentVolumeSource{Driver: "disk.example.com", VolumeHandle: name},
			},
		},
	}
}

// boundTo returns a claim and a volume that name each other; waitVolumes waits until they are bound.
func boundTo(c *corev1.PersistentVolumeClaim, v *corev1.PersistentVolume) []object {
	c.Spec.VolumeName = v.Name
	v.Spec.ClaimRef = &corev1.ObjectReference{
		APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: c.Namespace, Name: c.Name,
	}
	return []object{c, v}
}

// waitVolumes waits until the volumes among the objects can be used, or are bound when they name a claim.
func waitVolumes(ctx context.Context, t *testing.T, objects []object) {
	t.Helper()
	for _, o := range objects {
		v, isVolume := o.(*corev1.PersistentVolume)
		if !isVolume {
			continue
		}
		want := corev1.VolumeAvailable
		if v.Spec.ClaimRef != nil {
			want = corev1.VolumeBound
		}
		ready := func(ctx context.Context) (bool, error) {
			current, err := env.Client.CoreV1().PersistentVolumes().Get(ctx, v.Name, metav1.GetOptions{})
			return err == nil && current.Status.Phase == want, err
		}
		if err := wait.PollUntilContextTimeout(ctx, pollInterval, decisionTimeout, true, ready); err != nil {
			t.Fatalf("waiting for volume %s to be %s: %v", v.Name, want, err)
		}
	}
}
