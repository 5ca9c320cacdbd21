package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
)

// devices is a claim whose selector fails on the device of node b: the device lacks the attribute.
const devices = `
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: of-a}
spec: {driver: gpu.example.com, nodeName: a, pool: {name: a, resourceSliceCount: 1},
  devices: [{name: g, attributes: {gpu.example.com/big: {bool: true}}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: of-b}
spec: {driver: gpu.example.com, nodeName: b, pool: {name: b, resourceSliceCount: 1}, devices: [{name: g}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: one, namespace: default, uid: uid-one}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu,
  selectors: [{cel: {expression: 'device.attributes["gpu.example.com"].big'}}]}}]}}`

const sliceOfC = `
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: of-c}
spec: {driver: gpu.example.com, nodeName: c, pool: {name: c, resourceSliceCount: 1}, devices: [{name: g}]}
`

// A filter that fails where kube-scheduler never asks it is told and changes nothing; where kube-scheduler asks it,
// there is no verdict.
func TestFilterThatFails(t *testing.T) {
	const claims = "resourceClaims: [{name: c, resourceClaimName: one}]"
	const taint = "spec: {taints: [{key: k, effect: NoSchedule}]}"
	t.Run("behind one that rejects", func(t *testing.T) {
		state := stateOf(t, devices, nodeText("a", ""), nodeText("b", taint), podText("x", "1", claims))
		got := explain(t, engineOf(t, state, engine.Options{}), podNamed(t, state, "x"))
		if diff := cmp.Diff([]string{"Schedulable a", "a Feasible", "b Rejected TaintToleration DynamicResources"},
			brief(got)); diff != "" {
			t.Fatalf("verdicts (-want +got)\n%s", diff)
		}
		if failed := got.Nodes[1].Filters[1]; failed.Code != "Error" || !strings.Contains(failed.Reasons[0], "no such key") {
			t.Errorf("the filter that fails says %+v", failed)
		}
	})
	t.Run("on several nodes, of which the first by name is told", func(t *testing.T) {
		state := stateOf(t, devices, sliceOfC, nodeText("b", ""), nodeText("c", ""), podText("x", "1", claims))
		e := engineOf(t, state, engine.Options{})
		for range 20 {
			_, err := e.Explain(t.Context(), podNamed(t, state, "x"))
			if err == nil || !strings.Contains(err.Error(), "gpu.example.com/b/g") {
				t.Fatalf("got error %v, want the one of node b", err)
			}
		}
	})
	t.Run("first of all", func(t *testing.T) {
		state := stateOf(t, devices, nodeText("a", ""), nodeText("b", ""), podText("x", "1", claims))
		_, err := engineOf(t, state, engine.Options{}).Explain(t.Context(), podNamed(t, state, "x"))
		if err == nil || !strings.Contains(err.Error(), "kube-scheduler fails on it") {
			t.Errorf("got error %v, want one that says that kube-scheduler fails", err)
		}
	})
}
