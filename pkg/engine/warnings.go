package engine

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
)

// stateWarnings says what of the State may change every verdict.
func stateWarnings(state *cluster.State, orphans []string) []string {
	warnings := slices.Clone(state.Warnings)
	if slices.ContainsFunc(state.Gaps, func(gap cluster.Gap) bool { return gap.Kind.Kind == "Pod" }) {
		warnings = append(warnings, "the input holds no Pod: every node counts as empty")
	}
	if len(state.Nodes) == 0 {
		warnings = append(warnings, "the cluster state holds no Node: no Pod can fit")
	}
	if n := len(orphans); n > 0 {
		warnings = append(warnings, fmt.Sprintf("left out %s of nodes that the cluster state does not hold: %s",
			count(n, "Pod", "Pods"), shortened(orphans)))
	}
	if skew := VersionSkew(state.ServerVersion); skew != "" {
		warnings = append(warnings, skew)
	}
	return warnings
}

// VersionSkew compares the server's gitVersion with the version of the scheduler code that is linked in. It returns a
// warning, or nothing when their minor versions agree or the server's is not known.
func VersionSkew(server string) string {
	theirs, err := version.ParseGeneric(server)
	if server == "" || err != nil {
		return ""
	}
	ours := version.MustParseGeneric(upstream.Version)
	if theirs.Major() == ours.Major() && theirs.Minor() == ours.Minor() {
		return ""
	}
	return fmt.Sprintf("the API server is %s, this answer is kube-scheduler %s's: a scheduler of another version may "+
		"decide otherwise", server, upstream.Version)
}

// asked is what the relevance of a kind depends on.
type asked struct {
	pod *corev1.Pod
	// neighborsSelectNamespaces: a Pod of the cluster keeps others away by the labels of their namespace.
	neighborsSelectNamespaces bool
}

// relevance tells for which Pods a kind matters.
type relevance struct {
	matters func(asked) bool
	// ifRefused tells that only a server's refusal is worth a warning: the kind changes scores only, or it is seldom used,
	// so that its absence from files says little.
	ifRefused bool
}

// relevant is the table of what a default scheduler reads which kind for. Kinds without a row matter to no single Pod.
var relevant = map[string][]relevance{
	"Namespace":             {{matters: selectsNamespaces}},
	"PersistentVolume":      {{matters: hasClaims}},
	"PersistentVolumeClaim": {{matters: hasClaims}},
	"StorageClass":          {{matters: hasClaims}},
	"CSINode":               {{matters: hasClaims}},
	"CSIDriver":             {{matters: hasClaims}},
	"CSIStorageCapacity":    {{matters: hasClaims}},
	"VolumeAttachment":      {{matters: hasClaims}},
	"Service":               {{matters: usesDefaultSpreading, ifRefused: true}},
	"ReplicationController": {{matters: usesDefaultSpreading, ifRefused: true}},
	"ReplicaSet":            {{matters: usesDefaultSpreading, ifRefused: true}},
	"StatefulSet":           {{matters: usesDefaultSpreading, ifRefused: true}},
	"ResourceClaim":         {{matters: hasDeviceClaims}, {matters: hasExtendedResources, ifRefused: true}},
	"ResourceSlice":         {{matters: hasDeviceClaims}, {matters: hasExtendedResources, ifRefused: true}},
	"DeviceClass":           {{matters: hasDeviceClaims}, {matters: hasExtendedResources, ifRefused: true}},
	"DeviceTaintRule":       {{matters: hasDeviceClaims}, {matters: hasExtendedResources, ifRefused: true}},
	"ResourceClaimTemplate": {{matters: hasDeviceClaims}},
	"PodDisruptionBudget":   {{matters: mayPreempt, ifRefused: true}},
}

// relevantToAdmission is the same for the API server's admission of a manifest.
var relevantToAdmission = map[string][]relevance{
	"PriorityClass": {{matters: func(a asked) bool { return a.pod.Spec.PriorityClassName != "" }}},
	"RuntimeClass":  {{matters: func(a asked) bool { return a.pod.Spec.RuntimeClassName != nil }}},
	"LimitRange":    {{matters: lacksRequests}},
}

// Warner says what could not be known of a State and may change what is decided about its Pods.
type Warner struct {
	state                     *cluster.State
	neighborsSelectNamespaces bool
}

// NewWarner returns the Warner of a State.
func NewWarner(state *cluster.State) *Warner {
	return &Warner{state: state, neighborsSelectNamespaces: anySelectsNamespaces(state.Pods)}
}

// AboutAll returns what may change every decision.
func (w *Warner) AboutAll() []string { return stateWarnings(w.state, nil) }

// AboutPod returns what may change the decisions about a Pod of the cluster.
func (w *Warner) AboutPod(pod *corev1.Pod) []string { return w.gaps(pod, relevant) }

// gaps says which kinds could not be read that matter to the Pod.
func (w *Warner) gaps(pod *corev1.Pod, table map[string][]relevance) []string {
	a := asked{pod: pod, neighborsSelectNamespaces: w.neighborsSelectNamespaces}
	var warnings []string
	for _, gap := range w.state.Gaps {
		if slices.ContainsFunc(table[gap.Kind.Kind], func(r relevance) bool {
			return r.matters(a) && (!r.ifRefused || gap.Reason != cluster.Absent)
		}) {
			warnings = append(warnings, fmt.Sprintf("cannot judge %s: %s", gap.Kind.Judges, gapReason(gap)))
		}
	}
	return warnings
}

func gapReason(gap cluster.Gap) string {
	switch gap.Reason {
	case cluster.Absent:
		return fmt.Sprintf("the input holds no %s", gap.Kind.Kind)
	case cluster.Forbidden:
		return fmt.Sprintf("listing %s is forbidden; ask for the permission to list them", gap.Kind.Resource)
	case cluster.NotServed:
		return fmt.Sprintf("the API server does not serve %s", gap.Kind.GroupVersion().WithResource(gap.Kind.Resource))
	case cluster.Failed:
	}
	return fmt.Sprintf("listing %s failed: %v", gap.Kind.Resource, gap.Err)
}

func hasClaims(a asked) bool {
	return slices.ContainsFunc(a.pod.Spec.Volumes, func(volume corev1.Volume) bool {
		return volume.PersistentVolumeClaim != nil || volume.Ephemeral != nil
	})
}

func hasDeviceClaims(a asked) bool { return len(a.pod.Spec.ResourceClaims) > 0 }

// hasExtendedResources: a DeviceClass may stand behind an extended resource.
func hasExtendedResources(a asked) bool {
	return slices.ContainsFunc(a.pod.Spec.Containers, func(container corev1.Container) bool {
		for name := range container.Resources.Requests {
			if strings.Contains(string(name), "/") {
				return true
			}
		}
		return false
	})
}

func usesDefaultSpreading(a asked) bool {
	return len(a.pod.Labels) > 0 && len(a.pod.Spec.TopologySpreadConstraints) == 0
}

func mayPreempt(a asked) bool { return a.pod.Spec.Priority != nil && *a.pod.Spec.Priority > 0 }

func lacksRequests(a asked) bool {
	return slices.ContainsFunc(a.pod.Spec.Containers, func(container corev1.Container) bool {
		return !given(container.Resources, corev1.ResourceCPU) || !given(container.Resources, corev1.ResourceMemory)
	})
}

// given tells whether the container says what it requests; a limit is a request too.
func given(resources corev1.ResourceRequirements, name corev1.ResourceName) bool {
	_, requested := resources.Requests[name]
	_, limited := resources.Limits[name]
	return requested || limited
}

func selectsNamespaces(a asked) bool {
	return a.neighborsSelectNamespaces || slices.ContainsFunc(requiredTerms(a.pod), hasNamespaceSelector)
}

// anySelectsNamespaces tells whether a Pod that has a node keeps others away by the labels of their namespace.
func anySelectsNamespaces(pods []*corev1.Pod) bool {
	return slices.ContainsFunc(pods, func(pod *corev1.Pod) bool {
		return pod.Spec.NodeName != "" && slices.ContainsFunc(antiAffinityTerms(pod), hasNamespaceSelector)
	})
}

func requiredTerms(pod *corev1.Pod) []corev1.PodAffinityTerm {
	terms := antiAffinityTerms(pod)
	if pod.Spec.Affinity == nil || pod.Spec.Affinity.PodAffinity == nil {
		return terms
	}
	return slices.Concat(terms, pod.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
}

func antiAffinityTerms(pod *corev1.Pod) []corev1.PodAffinityTerm {
	if pod.Spec.Affinity == nil || pod.Spec.Affinity.PodAntiAffinity == nil {
		return nil
	}
	return pod.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
}

// hasNamespaceSelector leaves out the empty selector, which selects all namespaces whatever their labels.
func hasNamespaceSelector(term corev1.PodAffinityTerm) bool {
	selector := term.NamespaceSelector
	return selector != nil && len(selector.MatchLabels)+len(selector.MatchExpressions) > 0
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// shortened names the first few of a list.
func shortened(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
