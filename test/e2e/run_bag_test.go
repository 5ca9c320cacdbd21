//go:build e2e

package e2e

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// arena is a node for Pods that preempt: others have not its toleration. Its holder stays when it is evicted, because a
// finalizer holds it, and its equal cannot be evicted.
func arena() []object {
	holder := pod("holder", on("arena"), requests("cpu", "3"), toleratesAll)
	holder.Finalizers = []string{"example.com/hold"}
	return []object{
		node("arena", taint("arena", "true", corev1.TaintEffectNoSchedule)),
		holder, pod("equal", on("arena"), priorityClass("high"), requests("cpu", "1"), toleratesAll),
	}
}

// bag is Pods that fit nowhere in the shop and the arena, for as many reasons as there are; bagNeeds are the claims,
// volumes and devices they ask for.
func bag() []*corev1.Pod {
	bag := slices.Concat(bagOfResources(), bagOfNodes(), bagOfNeighbours(), bagOfVolumes(), bagOfDevices(), bagOfPreemptors())
	for _, pod := range bag {
		own(pod)
	}
	return bag
}

func bagOfResources() []*corev1.Pod {
	const gpu = "example.com/gpu"
	return []*corev1.Pod{
		pod("huge", requests("cpu", "64")),
		pod("wide", requests("cpu", "20", "memory", "60Gi")),
		pod("gpu-barred", requests(gpu, "1")),
		pod("gpu-many", requests(gpu, "5"), tolerates("gpu", "true", corev1.TaintEffectNoSchedule)),
		pod("fpga", requests("example.com/fpga", "1")),
		pod("scratch", requests("ephemeral-storage", "200Gi")),
		pod("triple", requests("cpu", "64", "memory", "1Ti", "ephemeral-storage", "1Ti")),
		pod("sixty", manyResources(60)),
		pod("limits", limits("cpu", "40")),
		pod("init", requests("cpu", "1"), initContainer("40", false)),
		pod("sidecar", requests("cpu", "20"), initContainer("20", true)),
		pod("whole", podLevelRequests("cpu", "33")),
		pod("slotless", pinned("n19")),
		pod("small", requests("cpu", "500m"), nodeSelector("pool", "small")),
	}
}

func bagOfNodes() []*corev1.Pod {
	return []*corev1.Pod{
		pod("gold", nodeSelector("pool", "gold")),
		pod("gold-high", nodeSelector("pool", "gold"), priorityClass("high")),
		pod("db", nodeSelector("pool", "db")),
		pod("db-other", nodeSelector("pool", "db"), tolerates("dedicated", "web", corev1.TaintEffectNoSchedule)),
		pod("batch", nodeSelector("pool", "batch"), tolerates("dedicated", "batch", corev1.TaintEffectNoSchedule)),
		pod("cordoned", pinned("n07")),
		pod("cordoned-now", pinned("n08")),
		pod("unready", pinned("n16")),
		pod("nowhere", pinned("gone")),
		pod("apart", nodeTerms(term(expr("disk", corev1.NodeSelectorOpIn, "ssd"), expr("generation", corev1.NodeSelectorOpGt, "7")))),
		pod("arm", nodeSelector(corev1.LabelArchStable, "arm64"), requests("cpu", "10")),
		pod("port", hostPort(8080, "TCP"), pinned("n01")),
	}
}

func bagOfNeighbours() []*corev1.Pod {
	web := selector("app", "web")
	return []*corev1.Pod{
		pod("near-db", affinity(host, "app", "db")),
		pod("near-ghost", affinity(host, "app", "ghost")),
		pod("near-two", affinity(host, "app", "web"), affinity(host, "app", "quiet")),
		pod("shy", antiAffinity(zones, "app", "web"), nodeSelector(zones, "a")),
		pod("noisy", podLabels("app", "noisy"), nodeSelector(zones, "c")),
		pod("spread-full", podLabels("app", "web"), spread(zones, web), requests("cpu", "10")),
		pod("spread-nowhere", podLabels("app", "web"), spread(zones, web), pinned("n20")),
		pod("spread-more", podLabels("app", "web"), spread(zones, web, minDomains(4)), nodeSelector(zones, "a")),
	}
}

func bagOfVolumes() []*corev1.Pod {
	return []*corev1.Pod{
		pod("claim-ghost", claims("ghost")),
		pod("claim-immediate", claims("immediate")),
		pod("claim-classless", claims("classless")),
		pod("claim-elsewhere", claims("disk-a"), nodeSelector(zones, "b")),
		pod("local-none", claims("local-1"), nodeSelector(zones, "b")),
		pod("local-two", claims("local-1", "local-2")),
		pod("bound-elsewhere", claims("bound"), nodeSelector(zones, "a")),
		pod("bound-roomless", claims("bound"), requests("cpu", "10")),
		pod("bound-lost", claims("lost")),
		pod("rival", claims("single")),
		pod("attached", claims("bound-too"), pinned("n18")),
	}
}

func bagOfDevices() []*corev1.Pod {
	return []*corev1.Pod{
		pod("cards", deviceClaims("cards")),
		pod("card-elsewhere", deviceClaims("card"), nodeSelector("disk", "ssd")),
		pod("card-roomless", deviceClaims("card"), requests("cpu", "5")),
		pod("card-classless", deviceClaims("card-classless")),
	}
}

func bagOfPreemptors() []*corev1.Pod {
	contender := func(name, cpu string, more ...podEdit) *corev1.Pod {
		return pod(name, append(more, pinned("arena"), toleratesAll, requests("cpu", cpu))...)
	}
	return []*corev1.Pod{
		contender("noble", "3", priorityClass("high")),    // evicts the holder, and waits for it
		contender("peer", "4", priorityClass("high")),     // the holder's room is not enough
		contender("polite", "3", priorityClass("polite")), // never preempts
		contender("humble", "3"),
	}
}

func bagNeeds() []object {
	zoneB := expr(corev1.LabelTopologyZone, corev1.NodeSelectorOpIn, "b")
	return slices.Concat(
		[]object{
			claim("immediate", "immediate"), claim("classless", "nosuch"), claim("disk-a", "disk-a"),
			volume("local-n03", "local", expr(host, corev1.NodeSelectorOpIn, "n03")),
			claim("local-1", "local"), claim("local-2", "local"), lostClaim("lost", "disk", "gone"),
		},
		boundTo(claim("bound", "disk"), volume("disk-b", "disk", zoneB)),
		boundTo(onePodClaim("single", "disk"), onePodVolume("disk-single", "disk", zoneB)),
		[]object{pod("owner", on("n05"), claims("single"))},
		boundTo(claim("bound-too", "disk"), labeledVolume("disk-1")),
		boundTo(claim("there", "disk"), labeledVolume("disk-2")),
		[]object{attachLimit("n18", 1), pod("keeper", on("n18"), claims("there"))},
		deviceDriver(),
		[]object{
			deviceClaim("cards", "card", 3), deviceClaim("card", "card", 1), deviceClaim("card-classless", "nosuch", 1),
		},
	)
}
