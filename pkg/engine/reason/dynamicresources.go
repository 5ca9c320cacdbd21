package reason

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	fwk "k8s.io/kube-scheduler/framework"
	plfeature "k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// dynamicResources tells which claim stands in the way of the whole Pod, or what a node has of the devices that would
// have to be allocated. Allocation is a search: where every request alone would find its devices, which of the things
// that bind them fails is not known.
func dynamicResources(_ context.Context, q Question) explain {
	d := &podDevices{
		pod:      q.Pod,
		manager:  q.Handle.SharedDRAManager(),
		handle:   q.Handle,
		features: plfeature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate),
	}
	d.claims, d.problems = d.lookUpClaims()
	d.wishes = d.claimWishes()
	return func(ctx context.Context, r rejection) report.Details {
		if r.node == nil {
			return d.ofPod()
		}
		return d.ofNode(ctx, r)
	}
}

// podDevices is what a Pod wants of devices.
type podDevices struct {
	pod      *corev1.Pod
	manager  fwk.SharedDRAManager
	handle   fwk.Handle
	features plfeature.Features
	// claims are those of the Pod's spec that exist and are the Pod's, in its order; problems are the others.
	claims   []heldClaim
	problems report.Details
	// wishes are what the claims want that are not allocated.
	wishes []deviceWish
	// extended is filled by the first node.
	extended *extendedWishes
	// supply is what there is; filled by the first node.
	supply *deviceSupply
}

// heldClaim is a claim of the Pod.
type heldClaim struct {
	id    report.PodClaim
	claim *resourcev1.ResourceClaim
}

// ofPod tells what is wrong with the Pod's claims themselves. PreEnqueue and PreFilter stop at the first of these
// (DynamicResources.foreachPodResourceClaim and validateDeviceClass, v1.37.2).
func (d *podDevices) ofPod() report.Details {
	if len(d.problems) > 0 {
		return d.problems
	}
	if missing := d.missingClasses(); len(missing) > 0 {
		return missing
	}
	if missing := d.missingPodGroup(); len(missing) > 0 {
		return missing
	}
	return d.inUse()
}

// missingClasses names every class that an unallocated claim requests and that does not exist.
func (d *podDevices) missingClasses() report.Details {
	var details report.Details
	for _, wish := range d.wishes {
		for _, request := range wish {
			if request.class == nil {
				details = append(details, report.MissingDeviceClass{
					PodClaim: request.id, Request: request.name, Class: request.className})
			}
		}
	}
	return details
}

// missingPodGroup is asked for when claims are shared by the Pods of a group (podResourceClaimBindings, v1.37.2).
func (d *podDevices) missingPodGroup() report.Details {
	name, ok := podGroupOf(d.pod)
	if !ok || !d.features.EnableDRAWorkloadResourceClaims {
		return nil
	}
	groups := podGroups{manager: d.handle.PodGroupManager(), namespace: d.pod.Namespace}
	if _, err := groups.manager.PodGroups().Get(groups.namespace, name); err != nil {
		return report.Details{groups.missing(fwk.PodGroupKeyType, name)}
	}
	return nil
}

// inUse names the claims and who else uses them, where no more is known.
func (d *podDevices) inUse() report.Details {
	var details report.Details
	for _, held := range d.claims {
		detail := report.ResourceClaimInUse{PodClaim: held.id}
		if allocation := held.claim.Status.Allocation; allocation != nil {
			detail.Devices = len(allocation.Devices.Results)
		}
		var others []string
		for _, consumer := range held.claim.Status.ReservedFor {
			if consumer.UID != d.pod.UID {
				others = append(others, consumer.Resource+"/"+consumer.Name)
			}
		}
		detail.ReservedFor, detail.Users = firstNames(others)
		details = append(details, detail)
	}
	return details
}

// ofNode follows DynamicResources.Filter (v1.37.2), which stops where it meets the first obstacle.
func (d *podDevices) ofNode(ctx context.Context, r rejection) report.Details {
	node := r.node
	if d.extended == nil {
		d.extended = d.extendedResources()
	}
	if stale := d.extended.stale; stale != nil {
		return report.Details{*stale}
	}
	if lacking := d.extended.lackedOn(node); len(lacking) > 0 {
		return lacking
	}
	details := d.unreachable(node.Node())
	wishes := slices.Concat(d.wishes, d.extended.on(node))
	if len(wishes) > 0 {
		if d.supply == nil {
			d.supply = newDeviceSupply(d.manager, d.features)
		}
		pools := d.supply.reachedBy(node.Node())
		details = append(details, pools.shortOf(ctx, wishes)...)
		if len(details) == 0 {
			details = append(details, d.allocation(ctx, r.code, pools, wishes))
		}
	}
	if len(details) == 0 {
		return d.inUse()
	}
	return details
}

// allocation is for a node that has enough devices for each request. A plugin that failed, or that counts what devices
// take of the node, may have met something else than a search without a result.
func (d *podDevices) allocation(ctx context.Context, code fwk.Code, pools *reachedPools, wishes []deviceWish,
) report.Detail {
	if code == fwk.Error || d.features.EnableDRANodeAllocatableResources {
		return report.DevicesRequested{Requests: pools.requests(ctx, wishes)}
	}
	return pools.notTogether(ctx, wishes, d.claims)
}

// unreachable tells of allocated claims whose devices the node does not reach, or that are not ready.
func (d *podDevices) unreachable(node *corev1.Node) report.Details {
	var details report.Details
	for _, held := range d.claims {
		if held.claim.Status.Allocation == nil {
			continue
		}
		if elsewhere := elsewhereThan(node, held); elsewhere != nil {
			details = append(details, *elsewhere)
			continue
		}
		if d.features.EnableDRADeviceBindingConditions && d.features.EnableDRAResourceClaimDeviceStatus {
			details = append(details, notReady(held)...)
		}
	}
	return details
}

// lookUpClaims finds the Pod's claims as DynamicResources.foreachPodResourceClaim does (v1.37.2), but goes on after the
// first problem.
func (d *podDevices) lookUpClaims() (claims []heldClaim, problems report.Details) {
	for i := range d.pod.Spec.ResourceClaims {
		held, problem := d.lookUpClaim(&d.pod.Spec.ResourceClaims[i])
		if problem != nil {
			problems = append(problems, problem)
		} else if held.claim != nil {
			claims = append(claims, held)
		}
	}
	return claims, problems
}

// lookUpClaim returns neither a claim nor a problem when the Pod needs none.
func (d *podDevices) lookUpClaim(podClaim *corev1.PodResourceClaim) (heldClaim, report.Detail) {
	id := report.PodClaim{Claim: podClaim.Name, Namespace: d.pod.Namespace}
	name, mustOwn, err := resourceclaim.Name(d.pod, podClaim)
	switch {
	case err != nil && podClaim.ResourceClaimTemplateName != nil:
		return heldClaim{}, report.ResourceClaimNotCreated{PodClaim: id, Template: *podClaim.ResourceClaimTemplateName}
	case err != nil:
		return heldClaim{}, report.MissingResourceClaim{PodClaim: id}
	case name == nil:
		return heldClaim{}, nil
	}
	id.Name = *name
	claim, err := d.manager.ResourceClaims().Get(d.pod.Namespace, *name)
	switch {
	case err != nil:
		return heldClaim{}, report.MissingResourceClaim{PodClaim: id}
	case claim.DeletionTimestamp != nil:
		return heldClaim{}, report.ResourceClaimDeleting{PodClaim: id}
	case mustOwn && resourceclaim.IsForPod(d.pod, claim, d.features.EnableDRAWorkloadResourceClaims) != nil:
		return heldClaim{}, report.ForeignResourceClaim{PodClaim: id, Owner: ownerOf(claim)}
	}
	return heldClaim{id: id, claim: claim}, nil
}
