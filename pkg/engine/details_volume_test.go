package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// claimText is a claim of 10Gi; more is added to its spec, flow style.
func claimText(name, more string) string {
	return fmt.Sprintf(`
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: %[1]s, namespace: default, uid: uid-%[1]s}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 10Gi}}, %[2]s}
status: {phase: Pending}`, name, more)
}

// boundText is a claim that is bound to a volume.
func boundText(name, volume string) string {
	text := strings.Replace(claimText(name, "storageClassName: wait, volumeName: "+volume), "metadata: {",
		`metadata: {annotations: {pv.kubernetes.io/bind-completed: "yes"}, `, 1)
	return strings.Replace(text, "phase: Pending", "phase: Bound", 1)
}

// selectedText is a claim whose volume is being made for a node.
func selectedText(name, node string) string {
	return strings.Replace(claimText(name, "storageClassName: wait"), "metadata: {",
		"metadata: {annotations: {volume.kubernetes.io/selected-node: "+node+"}, ", 1)
}

// volumeText is an available PersistentVolume; more is added to its metadata and spec, flow style.
func volumeText(name, size, metadata, spec string) string {
	return fmt.Sprintf(`
apiVersion: v1
kind: PersistentVolume
metadata: {name: %[1]s, %[3]s}
spec: {capacity: {storage: %[2]s}, accessModes: [ReadWriteOnce], %[4]s}
status: {phase: Available}`, name, size, metadata, spec)
}

func csiVolumeText(name, driver, spec string) string {
	return volumeText(name, "10Gi", "", fmt.Sprintf("csi: {driver: %s, volumeHandle: %s}, %s", driver, name, spec))
}

func classText(name, provisioner, mode, more string) string {
	return fmt.Sprintf("apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: %s}\nprovisioner: %s\n"+
		"volumeBindingMode: %s\n%s", name, provisioner, mode, more)
}

func csiNodeText(name, drivers string) string {
	return fmt.Sprintf("apiVersion: storage.k8s.io/v1\nkind: CSINode\nmetadata: {name: %s, annotations: "+
		"{storage.alpha.kubernetes.io/migrated-plugins: kubernetes.io/aws-ebs}}\nspec: {drivers: [%s]}", name, drivers)
}

func csiDriverText(name, spec string) string {
	return fmt.Sprintf("apiVersion: storage.k8s.io/v1\nkind: CSIDriver\nmetadata: {name: %s}\nspec: {%s}", name, spec)
}

// affinityText is a PersistentVolume's, to one value of a label.
func affinityText(key, values string) string {
	return fmt.Sprintf("nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: "+
		"[{key: %s, operator: In, values: [%s]}]}]}}", key, values)
}

// usesText are the volumes of a Pod that are claims, a field of its spec.
func usesText(claims ...string) string {
	var volumes []string
	for i, claim := range claims {
		volumes = append(volumes, fmt.Sprintf("{name: v%d, persistentVolumeClaim: {claimName: %s}}", i, claim))
	}
	return "volumes: [" + strings.Join(volumes, ", ") + "]"
}

// volumeCase is a Pod and what stands in its way.
type volumeCase struct {
	state  []string // beside the Pod and the nodes n1 and n2
	volume string   // the volumes field of the Pod
	plugin string
	config string
	want   map[string]report.Details // by node; those of PreFilter under ""
}

func (c volumeCase) check(t *testing.T) {
	t.Helper()
	pod := podText("asked", "1", c.volume)
	state := stateOf(t, append([]string{nodeText("n1", ""), nodeText("n2", ""), pod}, c.state...)...)
	options := engine.Options{}
	if c.config != "" {
		options.Config = configOf(t, c.config)
	}
	explanation := explain(t, engineOf(t, state, options), podNamed(t, state, "asked"))
	if diff := cmp.Diff(c.want, detailsBy(c.plugin, explanation)); diff != "" {
		t.Errorf("details of %s (-want +got)\n%s\n%v\n%s", c.plugin, diff, brief(explanation), explanation.Message)
	}
}

const (
	zoneLabel = "topology.kubernetes.io/zone"
	local     = "kubernetes.io/no-provisioner"
	onWait    = "WaitForFirstConsumer"
)

// onlyPlugin configures a profile that has one plugin beside those that every profile needs.
func onlyPlugin(plugin string) string {
	var enabled []string
	for _, name := range []string{names.PrioritySort, names.DefaultBinder, plugin} {
		enabled = append(enabled, "{name: "+name+"}")
	}
	return "profiles: [{schedulerName: default-scheduler, plugins: {multiPoint: {disabled: [{name: '*'}], enabled: [" +
		strings.Join(enabled, ", ") + "]}}}]"
}

func TestDetailsOfClaimsThatRuleThePodOut(t *testing.T) {
	whole := func(details ...report.Detail) map[string]report.Details {
		return map[string]report.Details{"": details}
	}
	lost := strings.Replace(claimText("data", "volumeName: pv-1"), "Pending", "Lost", 1)
	ephemeral := "volumes: [{name: scratch, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], " +
		"resources: {requests: {storage: 1Gi}}}}}}]"
	for sentence, c := range map[string]volumeCase{
		"a claim that does not exist, and where one of its name does": {
			state:  []string{strings.Replace(claimText("data", ""), "namespace: default", "namespace: prod", 1)},
			volume: usesText("data"), plugin: names.VolumeRestrictions,
			want: whole(report.MissingClaim{Namespace: "default", Claim: "data", Elsewhere: []string{"prod"}}),
		},
		"every claim that does not exist": {
			volume: usesText("b", "a", "b"), plugin: names.VolumeRestrictions,
			want: whole(report.MissingClaim{Namespace: "default", Claim: "b"},
				report.MissingClaim{Namespace: "default", Claim: "a"}),
		},
		"a claim that does not exist, when only NodeVolumeLimits looks": {
			state:  []string{csiNodeText("n1", "")},
			volume: usesText("data"), plugin: names.NodeVolumeLimits, config: onlyPlugin(names.NodeVolumeLimits),
			want: map[string]report.Details{
				"n1": {report.MissingClaim{Namespace: "default", Claim: "data"}},
				"n2": {report.MissingClaim{Namespace: "default", Claim: "data"}},
			},
		},
		"an ephemeral volume's claim that is not made yet": {
			volume: ephemeral, plugin: names.VolumeBinding,
			want: whole(report.MissingClaim{Namespace: "default", Claim: "asked-scratch", Ephemeral: true}),
		},
		"an ephemeral volume's claim that is another Pod's": {
			state: []string{strings.Replace(claimText("asked-scratch", ""), "metadata: {", "metadata: {ownerReferences: "+
				"[{apiVersion: v1, kind: Pod, name: other, uid: uid-other, controller: true}], ", 1)},
			volume: ephemeral, plugin: names.VolumeBinding,
			want: whole(report.ForeignClaim{Claim: "asked-scratch", Owner: "pod/other"}),
		},
		"a claim that is being deleted": {
			state:  []string{strings.Replace(claimText("data", ""), "metadata: {", "metadata: {deletionTimestamp: 2026-01-01T00:00:00Z, ", 1)},
			volume: usesText("data"), plugin: names.VolumeBinding,
			want: whole(report.DeletedClaim{Claim: "data"}),
		},
		"a claim that has lost its volume": {
			state: []string{lost}, volume: usesText("data"), plugin: names.VolumeBinding,
			want: whole(report.MissingVolume{Claim: "data", Volume: "pv-1"}),
		},
		"a claim whose volume another claim has": {
			state:  []string{lost, csiVolumeText("pv-1", "d", "claimRef: {namespace: prod, name: db, uid: x}")},
			volume: usesText("data"), plugin: names.VolumeBinding,
			want: whole(report.ForeignVolume{Namespace: "default", Claim: "data", Volume: "pv-1", HolderNamespace: "prod", Holder: "db"}),
		},
		"a claim that is lost although its volume is there": {
			state: []string{lost, csiVolumeText("pv-1", "d", "")}, volume: usesText("data"), plugin: names.VolumeBinding,
			want: whole(report.LostClaim{Claim: "data", Volume: "pv-1"}),
		},
		"claims that are not bound: without class, of a class that is missing, that has a provisioner, that has none": {
			state: []string{
				claimText("none", ""), claimText("ghostly", "storageClassName: ghost"), claimText("made", "storageClassName: now"),
				claimText("by-hand", "storageClassName: by-hand"), claimText("later", "storageClassName: wait"),
				claimText("named", "storageClassName: wait, volumeName: pv-1"), csiVolumeText("pv-1", "d", ""),
				classText("now", "disk.example.com", "Immediate", ""), classText("by-hand", local, "Immediate", ""),
				classText("wait", "disk.example.com", onWait, ""),
			},
			volume: usesText("none", "ghostly", "made", "later", "by-hand", "named"), plugin: names.VolumeBinding,
			want: whole(
				report.UnboundClaim{Claim: "none"},
				report.MissingStorageClass{Claim: "ghostly", Class: "ghost"},
				report.UnboundClaim{Claim: "made", Class: "now", Provisioner: "disk.example.com"},
				report.UnboundClaim{Claim: "by-hand", Class: "by-hand"},
				report.UnboundClaim{Claim: "named", Class: "wait", Volume: "pv-1"},
			),
		},
		"a claim that is not bound, when only VolumeZone looks": {
			state:  []string{claimText("data", "storageClassName: ghost")},
			volume: usesText("data"), plugin: names.VolumeZone, config: onlyPlugin(names.VolumeZone),
			want: whole(report.MissingStorageClass{Claim: "data", Class: "ghost"}),
		},
		"a bound claim whose volume is gone": {
			state: []string{boundText("data", "pv-1")}, volume: usesText("data"), plugin: names.VolumeZone,
			want: whole(report.MissingVolume{Claim: "data", Volume: "pv-1"}),
		},
	} {
		t.Run(sentence, c.check)
	}
}
