package reason

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// Accounts returns the resources that the node has or the Pod wants, as the scheduler counts them.
func (e *Explainer) Accounts(node fwk.NodeInfo) []report.ResourceAccount {
	wanted := map[corev1.ResourceName]int64{}
	for _, request := range requestsOf(e.question.Pod) {
		wanted[request.ResourceName] = request.Requested
	}
	allocatable, requested := counted(node.GetAllocatable()), counted(node.GetRequested())
	allocatable[corev1.ResourcePods] = int64(node.GetAllocatable().GetAllowedPodNumber())
	requested[corev1.ResourcePods] = int64(len(node.GetPods()))
	accounts := []report.ResourceAccount{}
	for _, name := range resourcesOf(allocatable, requested, wanted) {
		free := allocatable[name] - requested[name]
		account := report.ResourceAccount{
			Resource:    string(name),
			Allocatable: amount(name, allocatable[name]),
			Requested:   amount(name, requested[name]),
			Free:        amount(name, free),
			Wanted:      amount(name, wanted[name]),
		}
		if wanted[name] > 0 && wanted[name] > free {
			account.Missing = amount(name, wanted[name]-free)
		}
		accounts = append(accounts, account)
	}
	return accounts
}

// Usage returns what each Pod of the node requests, those that request most of a resource first.
func Usage(node fwk.NodeInfo, by corev1.ResourceName) []report.PodUsage {
	type user struct {
		report.PodUsage
		amount int64
	}
	users := make([]user, 0, len(node.GetPods()))
	for _, info := range node.GetPods() {
		requests := counted(info.CalculateResource().Resource)
		usage := report.PodUsage{
			Namespace: info.GetPod().Namespace,
			Name:      info.GetPod().Name,
			Priority:  corev1helpers.PodPriority(info.GetPod()),
			Requests:  map[string]string{},
			Nominated: info.GetPod().Spec.NodeName == "",
		}
		for name, value := range requests {
			if value > 0 || name == corev1.ResourceCPU || name == corev1.ResourceMemory {
				usage.Requests[string(name)] = amount(name, value)
			}
		}
		users = append(users, user{usage, requests[by]})
	}
	slices.SortFunc(users, func(a, b user) int {
		return cmp.Or(cmp.Compare(b.amount, a.amount), strings.Compare(a.Namespace, b.Namespace),
			strings.Compare(a.Name, b.Name))
	})
	pods := make([]report.PodUsage, 0, len(users))
	for _, user := range users {
		pods = append(pods, user.PodUsage)
	}
	return pods
}

// counted lists amounts in the unit in which the scheduler counts each resource: milli-CPUs, bytes, pieces.
func counted(resources fwk.Resource) map[corev1.ResourceName]int64 {
	amounts := map[corev1.ResourceName]int64{
		corev1.ResourceCPU:              resources.GetMilliCPU(),
		corev1.ResourceMemory:           resources.GetMemory(),
		corev1.ResourceEphemeralStorage: resources.GetEphemeralStorage(),
	}
	maps.Copy(amounts, resources.GetScalarResources())
	return amounts
}

// resourcesOf lists the resources of which some amount is not zero, in the order in which NodeResourcesFit looks at
// them, the rest by name.
func resourcesOf(amounts ...map[corev1.ResourceName]int64) []corev1.ResourceName {
	some := map[corev1.ResourceName]bool{}
	for _, each := range amounts {
		for name, value := range each {
			if value != 0 {
				some[name] = true
			}
		}
	}
	return slices.SortedFunc(maps.Keys(some), func(a, b corev1.ResourceName) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
}
