package run_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/run"
)

// devices are two cards on node n2, for claims and for the extended resource example.com/card.
const devices = `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: card}
spec: {extendedResourceName: example.com/card, selectors: [{cel: {expression: "device.driver == 'card.example.com'"}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n2}
spec:
  driver: card.example.com
  nodeName: n2
  pool: {name: n2, generation: 1, resourceSliceCount: 1}
  devices: [{name: card-0}, {name: card-1}]`

func claimText(name string) string {
	return `
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: ` + name + `, namespace: default, uid: uid-` + name + `}
spec: {devices: {requests: [{name: card, exactly: {deviceClassName: card, allocationMode: ExactCount, count: 1}}]}}`
}

func withClaim(claim string) string {
	return "resourceClaims: [{name: card, resourceClaimName: " + claim + "}]"
}

// Devices that one Pod is to get are not offered to the next one, and a claim may be shared.
func TestDevicesAreAssumed(t *testing.T) {
	const withCard = `nodeSelector: {kubernetes.io/hostname: n2}
  initContainers: [{name: card, image: app, resources: {requests: {example.com/card: "1"}, limits: {example.com/card: "1"}}}]`
	none := "Unschedulable: 0/2 nodes are available: 2 cannot allocate all claims."
	for what, c := range map[string]struct{ objects, want []string }{
		"a claim for each": {
			objects: []string{
				claimText("one"), claimText("two"), claimText("three"), podText("a", "1", withClaim("one")),
				podText("b", "1", withClaim("two")), podText("c", "1", withClaim("three")),
			},
			want: []string{"a Bound n2", "b Bound n2", "c " + none},
		},
		"one claim for all": {
			objects: []string{
				claimText("one"), podText("a", "1", withClaim("one")), podText("b", "1", withClaim("one")),
				podText("c", "1", withClaim("one")),
			},
			want: []string{"a Bound n2", "b Bound n2", "c Bound n2"},
		},
		"by the name of an extended resource": {
			objects: []string{podText("a", "1", withCard), podText("b", "1", withCard)},
			want:    []string{"a Bound n2", "b Bound n2"},
		},
	} {
		t.Run(what, func(t *testing.T) {
			state := stateOf(t, append(c.objects, nodeText("n1"), nodeText("n2"), devices)...)
			if diff := cmp.Diff(c.want, bindAll(t, state, run.Options{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
