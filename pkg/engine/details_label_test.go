package engine_test

import (
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
	"github.com/kubectl-sched/kubectl-sched/test/random"
)

// detailsBy returns the details of a plugin's rejections by node; those of PreFilter are under "".
func detailsBy(plugin string, explanation *report.Explanation) map[string]report.Details {
	out := map[string]report.Details{}
	for _, rejection := range explanation.PreFilter {
		if rejection.Plugin == plugin {
			out[""] = rejection.Details
		}
	}
	for _, node := range explanation.Nodes {
		for _, filter := range node.Filters {
			if filter.Plugin == plugin {
				out[node.Name] = filter.Details
			}
		}
	}
	return out
}

// nodeAffinityText is required node affinity with these terms, a field of a Pod's spec.
func nodeAffinityText(terms string) string {
	return "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [" + terms +
		"]}}}"
}

func nodeLabeled(name, labels string) string {
	return "apiVersion: v1\nkind: Node\nmetadata: {name: " + name + ", labels: {" + labels + "}}\n" +
		`status: {allocatable: {cpu: "4", memory: 8Gi, pods: "10"}}`
}

func TestDetailsOfNodeAffinity(t *testing.T) {
	one, two, three := 0, 1, 2
	hdd, empty, nine, a := "hdd", "", "nine", "a"
	for sentence, test := range map[string]struct {
		nodes  []string
		fields []string
		config string
		want   map[string]report.Details
	}{
		"every label of a nodeSelector that differs or is missing": {
			nodes: []string{nodeLabeled("a", "disk: hdd, empty: ''"),
				nodeLabeled("b", "disk: ssd, gpu: yes-please, empty: full")},
			fields: []string{"nodeSelector: {gpu: yes-please, disk: ssd, empty: full}"},
			want: map[string]report.Details{"a": {
				report.UnmatchedNodeSelector{Source: "NodeSelector", Key: "disk", Operator: "In", Values: []string{"ssd"},
					Actual: &hdd},
				report.UnmatchedNodeSelector{Source: "NodeSelector", Key: "empty", Operator: "In", Values: []string{"full"},
					Actual: &empty},
				report.UnmatchedNodeSelector{Source: "NodeSelector", Key: "gpu", Operator: "In",
					Values: []string{"yes-please"}, Missing: true},
			}},
		},
		"each term's failing requirements, an empty term and a field among them": {
			nodes: []string{nodeLabeled("a", "disk: hdd, gen: nine"), nodeLabeled("b", "disk: ssd, gen: '9'")},
			fields: []string{nodeAffinityText(`{matchExpressions: [{key: disk, operator: In, values: [ssd]}, ` +
				`{key: gen, operator: Gt, values: ['5']}, {key: retired, operator: NotIn, values: ['yes']}]}, {}, ` +
				`{matchFields: [{key: metadata.name, operator: NotIn, values: [a]}]}`)},
			want: map[string]report.Details{"a": {
				report.UnmatchedNodeSelector{Source: "NodeAffinity", Term: &one, Terms: 3, Key: "disk", Operator: "In",
					Values: []string{"ssd"}, Actual: &hdd},
				report.UnmatchedNodeSelector{Source: "NodeAffinity", Term: &one, Terms: 3, Key: "gen", Operator: "Gt",
					Values: []string{"5"}, Actual: &nine},
				report.UnmatchedNodeSelector{Source: "NodeAffinity", Term: &two, Terms: 3, Empty: true},
				report.UnmatchedNodeSelector{Source: "NodeAffinity", Term: &three, Terms: 3, Key: "metadata.name",
					Operator: "NotIn", Values: []string{"a"}, Field: true, Actual: &a},
			}},
		},
		"a term that cannot be read does not match, whatever the node": {
			nodes: []string{nodeLabeled("a", "gen: nine")},
			fields: []string{nodeAffinityText(`{matchExpressions: [{key: gen, operator: Like, values: [nin]}, ` +
				`{key: gen, operator: Exists}]}`)},
			want: map[string]report.Details{"a": {report.UnmatchedNodeSelector{Source: "NodeAffinity", Term: &one, Terms: 1,
				Key: "gen", Operator: "Like", Values: []string{"nin"}, Actual: &nine, Invalid: true}}},
		},
		"node affinity without terms matches nothing": {
			nodes:  []string{nodeLabeled("a", "")},
			fields: []string{nodeAffinityText("")},
			want:   map[string]report.Details{"a": {report.UnmatchedNodeSelector{Source: "NodeAffinity", Empty: true}}},
		},
		"affinity that holds is not spoken of when the nodeSelector fails, and the other way round": {
			nodes: []string{nodeLabeled("a", "disk: hdd"), nodeLabeled("b", "gpu: a100")},
			fields: []string{"nodeSelector: {gpu: a100}", nodeAffinityText(
				`{matchExpressions: [{key: disk, operator: In, values: [ssd]}]}, ` +
					`{matchExpressions: [{key: disk, operator: Exists}]}`)},
			want: map[string]report.Details{
				"a": {report.UnmatchedNodeSelector{Source: "NodeSelector", Key: "gpu", Operator: "In",
					Values: []string{"a100"}, Missing: true}},
				"b": {
					report.UnmatchedNodeSelector{Source: "NodeAffinity", Term: &one, Terms: 2, Key: "disk", Operator: "In",
						Values: []string{"ssd"}, Missing: true},
					report.UnmatchedNodeSelector{Source: "NodeAffinity", Term: &two, Terms: 2, Key: "disk",
						Operator: "Exists", Missing: true},
				},
			},
		},
		"the affinity that the profile adds is told apart": {
			nodes:  []string{nodeLabeled("a", "disk: hdd"), nodeLabeled("b", "disk: hdd, pool: edge")},
			fields: []string{"nodeSelector: {disk: ssd}"},
			config: `profiles: [{pluginConfig: [{name: NodeAffinity, args: {addedAffinity: {` +
				`requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [` +
				`{matchExpressions: [{key: pool, operator: In, values: [edge]}]}]}}}}]}]`,
			want: map[string]report.Details{
				"a": {
					report.UnmatchedNodeSelector{Source: "AddedAffinity", Term: &one, Terms: 1, Key: "pool", Operator: "In",
						Values: []string{"edge"}, Missing: true},
					report.UnmatchedNodeSelector{Source: "NodeSelector", Key: "disk", Operator: "In",
						Values: []string{"ssd"}, Actual: &hdd},
				},
				"b": {report.UnmatchedNodeSelector{Source: "NodeSelector", Key: "disk", Operator: "In",
					Values: []string{"ssd"}, Actual: &hdd}},
			},
		},
		"PreFilter keeps the nodes that are asked for by name, some of which do not exist": {
			nodes: []string{nodeLabeled("a", ""), nodeLabeled("b", "")},
			fields: []string{nodeAffinityText(
				`{matchFields: [{key: metadata.name, operator: In, values: [a]}]}, ` +
					`{matchFields: [{key: metadata.name, operator: In, values: [gone]}]}`)},
			want: map[string]report.Details{"": {report.NodesByName{
				Names: []string{"a", "gone"}, Count: 2, Absent: []string{"gone"}, AbsentCount: 1}}},
		},
		"names that exclude each other leave no node": {
			nodes: []string{nodeLabeled("a", ""), nodeLabeled("b", "")},
			fields: []string{nodeAffinityText(`{matchFields: [{key: metadata.name, operator: In, values: [b]}, ` +
				`{key: metadata.name, operator: In, values: [a]}]}`)},
			want: map[string]report.Details{"": {report.NodesByName{
				Names: []string{"a", "b"}, Count: 2, Conflict: true}}},
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			options := engine.Options{}
			if test.config != "" {
				options.Config = configOf(t, test.config)
			}
			state := stateOf(t, append(test.nodes, podText("x", "1", test.fields...))...)
			got := detailsBy(names.NodeAffinity, explain(t, engineOf(t, state, options), podNamed(t, state, "x")))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("details by node (-want +got)\n%s", diff)
			}
		})
	}
}

// NodeAffinity rejects a node if, and only if, requirements fail there that are read from the Pod anew, and they are
// those of the details.
func TestDetailsOfNodeAffinityAreTrue(t *testing.T) {
	seen := 0
	eachCluster(t, 16, func(t *testing.T, made *random.Cluster) {
		e := engineOf(t, made.State, engine.Options{})
		for _, pod := range made.Pods {
			explanation := explain(t, e, pod)
			got := detailsBy(names.NodeAffinity, explanation)
			for _, judged := range explanation.Nodes {
				details, rejected := got[judged.Name]
				if judged.Verdict == report.NotEvaluated {
					continue
				}
				want := unmetRequirements(pod, nodeNamed(t, made.State, judged.Name))
				if rejected != (len(want) > 0) || len(details) != len(want) {
					t.Errorf("pod %s/%s, node %s: rejected %v with %d details, want those of %v", pod.Namespace, pod.Name,
						judged.Name, rejected, len(details), want)
					continue
				}
				for i, detail := range details {
					seen++
					checkRequirement(t, made.State, judged.Name, want[i], detail.(report.UnmatchedNodeSelector))
				}
			}
			if details, narrowed := got[""]; narrowed {
				checkNames(t, made.State, explanation, details)
			}
		}
	})
	if seen == 0 {
		t.Error("no cluster showed a rejection")
	}
}

func checkRequirement(t *testing.T, state *cluster.State, node string, want corev1.NodeSelectorRequirement,
	got report.UnmatchedNodeSelector,
) {
	t.Helper()
	asked := corev1.NodeSelectorRequirement{Key: got.Key, Operator: corev1.NodeSelectorOperator(got.Operator),
		Values: got.Values}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("node %s: requirement (-want +got)\n%s", node, diff)
	}
	value, ok := valueOf(nodeNamed(t, state, node), want.Key)
	if got.Missing == ok || ok && *got.Actual != value {
		t.Errorf("node %s has %s %q (%v), the detail tells %+v", node, want.Key, value, ok, got)
	}
}

// checkNames wants one detail, whose names are those of the nodes that may be judged.
func checkNames(t *testing.T, state *cluster.State, explanation *report.Explanation, details report.Details) {
	t.Helper()
	if len(details) != 1 {
		t.Fatalf("pod %s: PreFilter has %d details, want 1", explanation.Metadata.Name, len(details))
	}
	detail := details[0].(report.NodesByName)
	exists := func(name string) bool {
		return slices.ContainsFunc(state.Nodes, func(node *corev1.Node) bool { return node.Name == name })
	}
	for _, name := range detail.Names {
		if exists(name) == slices.Contains(detail.Absent, name) {
			t.Errorf("pod %s: node %s exists: %v, absent are %v", explanation.Metadata.Name, name, exists(name), detail.Absent)
		}
	}
	for _, node := range explanation.Nodes {
		if node.Verdict != report.NotEvaluated && node.Name != explanation.NominatedNodeName &&
			!slices.Contains(detail.Names, node.Name) {
			t.Errorf("pod %s: node %s is judged but not among %v", explanation.Metadata.Name, node.Name, detail.Names)
		}
	}
}

func valueOf(node *corev1.Node, key string) (string, bool) {
	if key == "metadata.name" {
		return node.Name, true
	}
	value, ok := node.Labels[key]
	return value, ok
}

// unmetRequirements lists what keeps the Pod off the node, in the order of the Pod's fields.
func unmetRequirements(pod *corev1.Pod, node *corev1.Node) []corev1.NodeSelectorRequirement {
	var unmet []corev1.NodeSelectorRequirement
	for _, key := range slices.Sorted(maps.Keys(pod.Spec.NodeSelector)) {
		wanted := corev1.NodeSelectorRequirement{Key: key, Operator: "In", Values: []string{pod.Spec.NodeSelector[key]}}
		if !meets(node, wanted) {
			unmet = append(unmet, wanted)
		}
	}
	affinity := pod.Spec.Affinity
	if affinity == nil || affinity.NodeAffinity == nil ||
		affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return unmet
	}
	var ofTerms []corev1.NodeSelectorRequirement
	for _, term := range affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		before := len(ofTerms)
		for _, wanted := range slices.Concat(term.MatchExpressions, term.MatchFields) {
			if !meets(node, wanted) {
				ofTerms = append(ofTerms, wanted)
			}
		}
		if len(ofTerms) == before {
			return unmet
		}
	}
	return append(unmet, ofTerms...)
}

func meets(node *corev1.Node, wanted corev1.NodeSelectorRequirement) bool {
	value, ok := valueOf(node, wanted.Key)
	switch wanted.Operator {
	case corev1.NodeSelectorOpIn:
		return ok && slices.Contains(wanted.Values, value)
	case corev1.NodeSelectorOpNotIn:
		return !slices.Contains(wanted.Values, value)
	case corev1.NodeSelectorOpExists:
		return ok
	case corev1.NodeSelectorOpDoesNotExist:
		return !ok
	}
	has, err := strconv.Atoi(value)
	limit, _ := strconv.Atoi(wanted.Values[0])
	return err == nil && (wanted.Operator == corev1.NodeSelectorOpGt && has > limit ||
		wanted.Operator == corev1.NodeSelectorOpLt && has < limit)
}
