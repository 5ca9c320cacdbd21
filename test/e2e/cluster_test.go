//go:build e2e

package e2e

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// createNamespaces creates the namespaces of all tests. They stay: without a namespace controller none can be deleted.
func createNamespaces(ctx context.Context) error {
	for _, name := range []string{namespace, "ops"} {
		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: pairsOf("team", name)}}
		if _, err := env.Client.CoreV1().Namespaces().Create(ctx, ns, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// shop is the cluster of the explain tests: 20 nodes of many kinds and the Pods that run on them. What a single case
// needs beside it belongs to the case.
func shop() []object {
	var objects []object
	for _, part := range [][]object{shopClasses(), shopNodes(), shopPods()} {
		objects = append(objects, part...)
	}
	return objects
}

func shopClasses() []object {
	never := corev1.PreemptNever
	onBinding := storagev1.VolumeBindingWaitForFirstConsumer
	return []object{
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 1000},
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "polite"}, Value: 1000, PreemptionPolicy: &never},
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "highest"}, Value: 2000},
		&storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "immediate"}, Provisioner: "disk.example.com"},
		&storagev1.StorageClass{
			ObjectMeta:        metav1.ObjectMeta{Name: "disk"},
			Provisioner:       "disk.example.com",
			VolumeBindingMode: &onBinding,
		},
		&storagev1.StorageClass{
			ObjectMeta:        metav1.ObjectMeta{Name: "disk-a"},
			Provisioner:       "disk.example.com",
			VolumeBindingMode: &onBinding,
			AllowedTopologies: []corev1.TopologySelectorTerm{{
				MatchLabelExpressions: []corev1.TopologySelectorLabelRequirement{
					{Key: corev1.LabelTopologyZone, Values: []string{"a"}},
				},
			}},
		},
		&storagev1.StorageClass{
			ObjectMeta:        metav1.ObjectMeta{Name: "local"},
			Provisioner:       "kubernetes.io/no-provisioner",
			VolumeBindingMode: &onBinding,
		},
	}
}

func shopNodes() []object {
	const db, gpu = "dedicated", "example.com/gpu"
	return []object{
		node("n01", zone("a"), nodeLabels("pool", "general")),
		node("n02", zone("b"), nodeLabels("pool", "general")),
		node("n03", zone("c"), nodeLabels("pool", "general")),
		node("n04", zone("a"), nodeLabels("pool", "general"), image("registry.example/big:v1", 900<<20)),
		node("n05", zone("b"), nodeLabels("pool", "general")),
		node("n06", zone("c"), nodeLabels("pool", "general")),
		node("n07", zone("a"), cordoned, taint(corev1.TaintNodeUnschedulable, "", corev1.TaintEffectNoSchedule)),
		node("n08", zone("b"), cordoned), // just now: the node controller has not yet added the taint
		node("n09", zone("c"), allocatable("cpu", "1"), nodeLabels("pool", "small")),
		node("n10", zone("a"), allocatable("cpu", "1"), nodeLabels("pool", "small")),
		node("n11", zone("a"), nodeLabels("pool", "db"), taint(db, "db", corev1.TaintEffectNoSchedule)),
		node("n12", zone("b"), nodeLabels("pool", "db"), taint(db, "db", corev1.TaintEffectNoSchedule)),
		node("n13", zone("c"), nodeLabels("pool", "batch"), taint(db, "batch", corev1.TaintEffectNoExecute)),
		node("n14", zone("a"), nodeLabels("pool", "gpu"), allocatable(gpu, "4", "cpu", "16", "memory", "64Gi"),
			taint("gpu", "true", corev1.TaintEffectNoSchedule)),
		node("n15", zone("b"), nodeLabels("pool", "gpu"), allocatable(gpu, "4", "cpu", "16", "memory", "64Gi"),
			taint("gpu", "true", corev1.TaintEffectNoSchedule)),
		node("n16", taint(corev1.TaintNodeNotReady, "", corev1.TaintEffectNoSchedule),
			taint(corev1.TaintNodeNotReady, "", corev1.TaintEffectNoExecute)),
		node("n17", zone("c"), taint("spot", "true", corev1.TaintEffectPreferNoSchedule), nodeLabels("pool", "spot")),
		node("n18", zone("a"), nodeLabels("disk", "ssd", "generation", "7", corev1.LabelArchStable, "arm64"),
			allocatable("memory", "64Gi")),
		node("n19", zone("b"), nodeLabels("disk", "hdd", "generation", "3"), allocatable("pods", "2")),
		node("n20", nodeLabels("disk", "hdd", "generation", "5"), allocatable("cpu", "32")), // in no zone
	}
}

func shopPods() []object {
	return []object{
		pod("web-1", on("n01"), podLabels("app", "web"), requests("cpu", "1", "memory", "1Gi"), hostPort(8080, "TCP")),
		pod("web-2", on("n02"), podLabels("app", "web"), requests("cpu", "1", "memory", "1Gi"), hostPort(8080, "TCP")),
		pod("web-3", on("n04"), podLabels("app", "web"), requests("cpu", "500m", "memory", "1Gi")),
		pod("db-1", on("n11"), podLabels("app", "db"), requests("cpu", "2", "memory", "4Gi"),
			tolerates("dedicated", "db", corev1.TaintEffectNoSchedule)),
		pod("quiet", on("n03"), podLabels("app", "quiet"), requests("cpu", "250m"),
			antiAffinity(corev1.LabelTopologyZone, "app", "noisy")),
		pod("filler-1", on("n09"), podLabels("app", "filler"), requests("cpu", "1")),
		pod("filler-2", on("n10"), podLabels("app", "filler"), requests("cpu", "1")),
		pod("done", on("n20"), podLabels("app", "batch"), requests("cpu", "30"), succeeded),
		pod("crowd-1", on("n19"), podLabels("app", "crowd")),
		pod("crowd-2", on("n19"), podLabels("app", "crowd")),
		pod("trainer", on("n14"), podLabels("app", "trainer"), requests("cpu", "2", "example.com/gpu", "3"), toleratesAll),
	}
}

func succeeded(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }
