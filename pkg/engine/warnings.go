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

// relevance tells for which Pods a kind matters.
type relevance struct {
	matters func(*corev1.Pod) bool
	// score is true for a kind that can change scores but never whether a Pod fits.
	score bool
}

// relevant is the table of what a default scheduler reads which kind for. Kinds without a row matter to no single Pod.
var relevant = map[string]relevance{
	"Namespace":             {matters: hasNamespaceSelector},
	"PersistentVolume":      {matters: hasClaims},
	"PersistentVolumeClaim": {matters: hasClaims},
	"StorageClass":          {matters: hasClaims},
	"CSINode":               {matters: hasClaims},
	"CSIDriver":             {matters: hasClaims},
	"CSIStorageCapacity":    {matters: hasClaims},
	"VolumeAttachment":      {matters: hasClaims},
	"Service":               {matters: usesDefaultSpreading, score: true},
	"ReplicationController": {matters: usesDefaultSpreading, score: true},
	"ReplicaSet":            {matters: usesDefaultSpreading, score: true},
	"StatefulSet":           {matters: usesDefaultSpreading, score: true},
	"ResourceClaim":         {matters: hasDeviceClaims},
	"ResourceSlice":         {matters: hasDeviceClaims},
	"DeviceClass":           {matters: hasDeviceClaims},
	"DeviceTaintRule":       {matters: hasDeviceClaims},
	"ResourceClaimTemplate": {matters: hasDeviceClaims},
	"PodDisruptionBudget":   {matters: mayPreempt, score: true},
}

// relevantToAdmission is the same for the API server's admission of a manifest.
var relevantToAdmission = map[string]relevance{
	"PriorityClass": {matters: func(pod *corev1.Pod) bool { return pod.Spec.PriorityClassName != "" }},
	"RuntimeClass":  {matters: func(pod *corev1.Pod) bool { return pod.Spec.RuntimeClassName != nil }},
	"LimitRange":    {matters: lacksRequests},
}

// gapWarnings says which kinds could not be read that matter to the Pod. A kind that is merely absent from files may as
// well be empty in the cluster: it is told only where it can change whether the Pod fits.
func gapWarnings(gaps []cluster.Gap, pod *corev1.Pod, table map[string]relevance) []string {
	var warnings []string
	for _, gap := range gaps {
		row, ok := table[gap.Kind.Kind]
		if !ok || !row.matters(pod) || gap.Reason == cluster.Absent && row.score {
			continue
		}
		warnings = append(warnings, fmt.Sprintf("cannot judge %s: %s", gap.Kind.Judges, gapReason(gap)))
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

func hasClaims(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.Volumes, func(volume corev1.Volume) bool {
		return volume.PersistentVolumeClaim != nil || volume.Ephemeral != nil
	})
}

func hasDeviceClaims(pod *corev1.Pod) bool { return len(pod.Spec.ResourceClaims) > 0 }

func usesDefaultSpreading(pod *corev1.Pod) bool {
	return len(pod.Labels) > 0 && len(pod.Spec.TopologySpreadConstraints) == 0
}

func mayPreempt(pod *corev1.Pod) bool { return pod.Spec.Priority != nil && *pod.Spec.Priority > 0 }

func lacksRequests(pod *corev1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.Containers, func(container corev1.Container) bool {
		requests, limits := container.Resources.Requests, container.Resources.Limits
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			if _, ok := requests[name]; ok {
				continue
			}
			if _, ok := limits[name]; !ok {
				return true
			}
		}
		return false
	})
}

func hasNamespaceSelector(pod *corev1.Pod) bool {
	affinity := pod.Spec.Affinity
	if affinity == nil {
		return false
	}
	var terms []corev1.PodAffinityTerm
	if affinity.PodAffinity != nil {
		terms = append(terms, affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution...)
	}
	if affinity.PodAntiAffinity != nil {
		terms = append(terms, affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution...)
	}
	return slices.ContainsFunc(terms, func(term corev1.PodAffinityTerm) bool {
		return term.NamespaceSelector != nil && len(term.NamespaceSelector.MatchLabels)+
			len(term.NamespaceSelector.MatchExpressions) > 0
	})
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
