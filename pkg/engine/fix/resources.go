package fix

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// least is the share of a request that has to be left of it: a Pod that gets less is another Pod.
const least = 0.1

// resources makes the Pod smaller until it fits on the node, or the node emptier.
func (p *planner) resources(r report.Rejection, node *corev1.Node) []change {
	lacks := lacking(r)
	if node == nil || len(lacks) == 0 {
		return nil
	}
	var out []change
	if c, ok := p.lower(lacks); ok {
		out = append(out, c)
	}
	return append(out, p.moveForRoom(lacks, node)...)
}

func lacking(r report.Rejection) []report.InsufficientResource {
	var out []report.InsufficientResource
	for _, detail := range r.Details {
		if d, ok := detail.(report.InsufficientResource); ok {
			out = append(out, d)
		}
	}
	return out
}

// shortage says how much the node lacks, as the sum of the shares of the Pod's requests; 0 when it lacks nothing.
func shortage(node report.Node) float64 {
	sum := 0.0
	for _, filter := range node.Filters {
		for _, d := range lacking(filter) {
			sum += share(d.Missing, d.Requested)
		}
	}
	return sum
}

func share(part, whole string) float64 {
	p, errPart := resource.ParseQuantity(part)
	w, errWhole := resource.ParseQuantity(whole)
	if errPart != nil || errWhole != nil || w.IsZero() {
		return 0
	}
	return p.AsApproximateFloat64() / w.AsApproximateFloat64()
}

// lower makes the requests as small as what is free.
func (p *planner) lower(lacks []report.InsufficientResource) (change, bool) {
	lowered, texts, sum := p.Pod.DeepCopy(), []string{}, 0.0
	for _, d := range lacks {
		target, err := resource.ParseQuantity(d.Allocatable)
		used, errUsed := resource.ParseQuantity(d.Used)
		if err != nil || errUsed != nil {
			return change{}, false
		}
		target.Sub(used)
		if mebi := int64(1 << 20); inBytes(d.Resource) && target.Value() > mebi {
			target = *resource.NewQuantity(target.Value()/mebi*mebi, resource.BinarySI) // nobody writes single bytes
		}
		if part := share(target.String(), d.Requested); part < least || d.Resource == string(corev1.ResourcePods) {
			return change{}, false
		}
		sum += share(d.Missing, d.Requested)
		if !lowerTo(lowered, corev1.ResourceName(d.Resource), target) {
			return change{}, false
		}
	}
	edits := requestEdits(p.Pod, lowered)
	for _, edit := range edits {
		texts = append(texts, edit.text)
	}
	text := strings.Join(texts, " and ")
	return change{
		key: "lower " + text, text: text, effort: lowerRequest + effort(sum)/effort(len(lacks)+1),
		pod: func(pod *corev1.Pod) {
			for _, edit := range edits {
				edit.apply(pod)
			}
		},
	}, len(edits) > 0
}

// inBytes tells whether a resource is counted so.
func inBytes(name string) bool {
	return name == string(corev1.ResourceMemory) || name == string(corev1.ResourceEphemeralStorage)
}

// lowerTo lowers single requests until the Pod as a whole requests no more than the target; false when that cannot be
// done. It starts where the whole falls most.
func lowerTo(pod *corev1.Pod, name corev1.ResourceName, target resource.Quantity) bool {
	for range len(requestsOf(pod)) + 1 {
		excess := total(pod, name)
		excess.Sub(target)
		if excess.Sign() <= 0 {
			return true
		}
		var best *corev1.Pod
		for i := range requestsOf(pod) {
			tried := pod.DeepCopy()
			if !lowerBy(requestsOf(tried)[i].list, name, excess) {
				continue
			}
			was := total(pod, name)
			if best != nil {
				was = total(best, name)
			}
			if now := total(tried, name); now.Cmp(was) < 0 {
				best = tried
			}
		}
		if best == nil {
			return false
		}
		*pod = *best
	}
	return false
}

// total is what the Pod requests, as upstream sums it.
func total(pod *corev1.Pod, name corev1.ResourceName) resource.Quantity {
	return resourcehelper.PodRequests(pod, resourcehelper.PodResourcesOptions{})[name]
}

// lowerBy lowers one request by the excess, or by all but a tenth when the excess is more; false when there is nothing
// to lower.
func lowerBy(list corev1.ResourceList, name corev1.ResourceName, excess resource.Quantity) bool {
	value, ok := list[name]
	if !ok || value.Sign() <= 0 {
		return false
	}
	lowered := value.DeepCopy()
	lowered.Sub(excess)
	if lowered.AsApproximateFloat64() < least*value.AsApproximateFloat64() {
		return false
	}
	list[name] = lowered
	return true
}

// requester is one thing of a Pod that requests resources.
type requester struct {
	name   string // as a sentence calls it
	list   corev1.ResourceList
	limits corev1.ResourceList
}

// set sets a request, and the limit with it where the API wants both equal: a resource of which no more can be used
// than was asked for (validation.ValidateResourceRequirements, v1.37.2).
func (r requester) set(name corev1.ResourceName, value resource.Quantity) {
	r.list[name] = value
	overcommitted := name == corev1.ResourceCPU || name == corev1.ResourceMemory || name == corev1.ResourceEphemeralStorage
	if _, limited := r.limits[name]; limited && !overcommitted {
		r.limits[name] = value
	}
}

// requestsOf lists the containers and, when it has requests of its own, the Pod.
func requestsOf(pod *corev1.Pod) []requester {
	var out []requester
	if pod.Spec.Resources != nil && len(pod.Spec.Resources.Requests) > 0 {
		out = append(out, requester{"the Pod", pod.Spec.Resources.Requests, pod.Spec.Resources.Limits})
	}
	for _, c := range pod.Spec.Containers {
		out = append(out, requester{"container " + c.Name, c.Resources.Requests, c.Resources.Limits})
	}
	for _, c := range pod.Spec.InitContainers {
		out = append(out, requester{"init container " + c.Name, c.Resources.Requests, c.Resources.Limits})
	}
	return out
}

// requestEdit sets one request, where there is such a container.
type requestEdit struct {
	text  string
	apply func(*corev1.Pod)
}

// requestEdits tells how the requests of two Pods differ, in the order of requestsOf.
func requestEdits(before, after *corev1.Pod) []requestEdit {
	var out []requestEdit
	lowered := requestsOf(after)
	for i, was := range requestsOf(before) {
		for _, name := range sortedNames(was.list) {
			from, to := was.list[name], lowered[i].list[name]
			if from.Cmp(to) == 0 {
				continue
			}
			out = append(out, requestEdit{
				text: fmt.Sprintf("lower the %s request of %s from %s to %s", name, was.name, from.String(), to.String()),
				apply: func(pod *corev1.Pod) {
					for _, r := range requestsOf(pod) {
						if _, asks := r.list[name]; asks && r.name == was.name {
							r.set(name, to)
						}
					}
				},
			})
		}
	}
	return out
}

func sortedNames(list corev1.ResourceList) []corev1.ResourceName {
	names := make([]corev1.ResourceName, 0, len(list))
	for name := range list {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
