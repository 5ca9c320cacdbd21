package engine_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
)

func kindNamed(name string) *cluster.Kind {
	i := slices.IndexFunc(cluster.Kinds, func(kind *cluster.Kind) bool { return kind.Kind == name })
	return cluster.Kinds[i]
}

func TestWarnings(t *testing.T) {
	const withClaim = "volumes: [{name: data, persistentVolumeClaim: {claimName: c}}]"
	gap := func(kind string, reason cluster.GapReason) []cluster.Gap {
		return []cluster.Gap{{Kind: kindNamed(kind), Reason: reason, Err: errors.New("connection lost")}}
	}
	for sentence, test := range map[string]struct {
		documents []string
		gaps      []cluster.Gap
		server    string
		want      []string
	}{
		"nothing to warn of": {documents: []string{nodeText("a", ""), podText("x", "1")}, server: "v1.37.9"},
		"a server of another minor version": {documents: []string{nodeText("a", ""), podText("x", "1")}, server: "v1.35.1",
			want: []string{"the API server is v1.35.1, this answer is kube-scheduler v1.37.2's: a scheduler of another version may decide otherwise"}},
		"no nodes": {documents: []string{podText("x", "1")},
			want: []string{"the cluster state holds no Node: no Pod can fit"}},
		"Pods of nodes that are not there": {
			documents: []string{nodeText("a", ""), podText("p", "1", "nodeName: gone"), podText("x", "1")},
			want:      []string{"left out 1 Pod of nodes that the cluster state does not hold: default/p"}},
		"many of them": {
			documents: []string{nodeText("a", ""), podText("p", "1", "nodeName: gone"), podText("q", "1", "nodeName: gone"),
				podText("r", "1", "nodeName: gone"), podText("s", "1", "nodeName: gone"), podText("x", "1")},
			want: []string{"left out 4 Pods of nodes that the cluster state does not hold: default/p, default/q, default/r and 1 more"}},
		"a kind that matters to the Pod is forbidden": {
			documents: []string{nodeText("a", ""), podText("x", "1", withClaim)}, gaps: gap("PersistentVolumeClaim", cluster.Forbidden),
			want: []string{"cannot judge volumes: listing persistentvolumeclaims is forbidden; ask for the permission to list them"}},
		"a kind that matters to the Pod is not served": {
			documents: []string{nodeText("a", ""), podText("x", "1", withClaim)}, gaps: gap("StorageClass", cluster.NotServed),
			want: []string{"cannot judge unbound volumes: the API server does not serve storage.k8s.io/v1, Resource=storageclasses"}},
		"a kind that matters to the Pod could not be listed": {
			documents: []string{nodeText("a", ""), podText("x", "1", withClaim)}, gaps: gap("CSINode", cluster.Failed),
			want: []string{"cannot judge limits of attached volumes: listing csinodes failed: connection lost"}},
		"a kind that does not matter to the Pod": {
			documents: []string{nodeText("a", ""), podText("x", "1")}, gaps: gap("PersistentVolumeClaim", cluster.Forbidden)},
		"namespaces, when a neighbor keeps Pods away by their labels": {
			documents: []string{nodeText("a", ""), podText("x", "1"), podText("neighbor", "1", "nodeName: a",
				"affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, "+
					"namespaceSelector: {matchLabels: {team: a}}}]}}")},
			gaps: gap("Namespace", cluster.Absent),
			want: []string{"cannot judge inter-Pod affinity terms with a namespaceSelector: the input holds no Namespace"}},
		"device classes, which may stand behind an extended resource, when they are refused": {
			documents: []string{nodeText("a", ""), strings.Replace(podText("x", "1"), "cpu:", "example.com/gpu: 1, cpu:", 1)},
			gaps:      gap("DeviceClass", cluster.Forbidden),
			want:      []string{"cannot judge device claims: listing deviceclasses is forbidden; ask for the permission to list them"}},
		"device classes, when they are merely absent": {
			documents: []string{nodeText("a", ""), strings.Replace(podText("x", "1"), "cpu:", "example.com/gpu: 1, cpu:", 1)},
			gaps:      gap("DeviceClass", cluster.Absent)},
		"Pods": {documents: []string{nodeText("a", ""), podText("x", "1")}, gaps: gap("Pod", cluster.Absent),
			want: []string{"the input holds no Pod: every node counts as empty"}},
		"a kind that is absent and only changes scores": {
			documents: []string{nodeText("a", ""), strings.Replace(podText("x", "1"), "{name: x,", "{name: x, labels: {app: x},", 1)},
			gaps:      gap("Service", cluster.Absent)},
	} {
		t.Run(sentence, func(t *testing.T) {
			state := stateOf(t, test.documents...)
			state.Gaps, state.Warnings, state.ServerVersion = test.gaps, nil, test.server
			explanation := explain(t, engineOf(t, state, engine.Options{}), podNamed(t, state, "x"))
			if diff := cmp.Diff(test.want, explanation.Warnings, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("warnings (-want +got)\n%s", diff)
			}
		})
	}
}
