package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

func TestDetailsOfVolumeZone(t *testing.T) {
	zone := func(key string) volumeCase {
		return volumeCase{
			state:  []string{boundText("data", "pv-1"), volumeText("pv-1", "10Gi", "labels: {"+key+": z2__zone-n1}", "")},
			volume: usesText("data"), plugin: names.VolumeZone,
		}
	}
	actual := "zone-n2"
	current, old := zone(zoneLabel), zone("failure-domain.beta.kubernetes.io/zone")
	current.want = map[string]report.Details{"n2": {report.VolumeZone{Claim: "data", Volume: "pv-1", Key: zoneLabel,
		Values: []string{"z2", "zone-n1"}, Actual: &actual}}}
	old.want = map[string]report.Details{"n2": {report.VolumeZone{Claim: "data", Volume: "pv-1",
		Key: "failure-domain.beta.kubernetes.io/zone", Values: []string{"z2", "zone-n1"}, Actual: &actual}}}
	region := zone("topology.kubernetes.io/region")
	missing := report.VolumeZone{Claim: "data", Volume: "pv-1", Key: "topology.kubernetes.io/region",
		Values: []string{"z2", "zone-n1"}, Missing: true}
	region.want = map[string]report.Details{"n1": {missing}, "n2": {missing}}
	for sentence, c := range map[string]volumeCase{
		"one of several zones":                             current,
		"an old label, for which the node has the new one": old,
		"a label that no node with a zone can do without":  region,
	} {
		t.Run(sentence, c.check)
	}
}

func TestDetailsOfVolumeRestrictions(t *testing.T) {
	onNode := func(name, node, volume string, more ...string) string {
		return podText(name, "1", append(more, "nodeName: "+node, volume)...)
	}
	exclusive := strings.Replace(boundText("data", "pv-1"), "ReadWriteOnce", "ReadWriteOncePod", 1)
	held := report.ClaimInUse{Namespace: "default", Claim: "data", Pod: "holder", Node: "n1"}
	rbd := func(image, more string) string {
		return "volumes: [{name: d, rbd: {monitors: [m1, m2], pool: rbd, image: " + image + more + "}}]"
	}
	for sentence, c := range map[string]volumeCase{
		"a claim for one Pod at a time, on every node": {
			state:  []string{exclusive, csiVolumeText("pv-1", "d", ""), onNode("holder", "n1", usesText("data"))},
			volume: usesText("data"),
			want:   map[string]report.Details{"n1": {held}, "n2": {held}},
		},
		"a Pod that is nominated and has the claim": {
			state: []string{exclusive, csiVolumeText("pv-1", "d", ""), podText("holder", "1", "priority: 10", usesText("data", "data")) +
				"\nstatus: {nominatedNodeName: n1}",
			},
			// Without a disk, the plugin looks at claims of nominated Pods only while some claim is in use.
			volume: "volumes: [{name: v0, persistentVolumeClaim: {claimName: data}}, " +
				"{name: d, rbd: {monitors: [m9], image: none}}]",
			want: map[string]report.Details{"n1": {held}},
		},
		"a disk that a Pod on the node has": {
			state:  []string{onNode("b", "n1", rbd("i1", "")), onNode("a", "n1", rbd("i1", ", readOnly: true")), onNode("c", "n2", rbd("i2", ""))},
			volume: rbd("i1", ""),
			want: map[string]report.Details{"n1": {
				report.DiskInUse{Kind: "rbd", Disk: "rbd/i1", Namespace: "default", Pod: "a"},
				report.DiskInUse{Kind: "rbd", Disk: "rbd/i1", Namespace: "default", Pod: "b"},
			}},
		},
		"disks that all read and disks that one writes": {
			state: []string{onNode("reader", "n1", "volumes: [{name: g, gcePersistentDisk: {pdName: g1, readOnly: true}}, "+
				"{name: r, rbd: {monitors: [m1], image: i1, readOnly: true}}, "+
				"{name: i, iscsi: {targetPortal: t, iqn: iqn-1, lun: 0, readOnly: true}}, {name: e, awsElasticBlockStore: {volumeID: vol-1, readOnly: true}}]")},
			volume: "volumes: [{name: g, gcePersistentDisk: {pdName: g1, readOnly: true}}, " +
				"{name: r, rbd: {monitors: [m2, m1], image: i1, readOnly: true}}, " +
				"{name: i, iscsi: {targetPortal: t, iqn: iqn-1, lun: 0}}, {name: e, awsElasticBlockStore: {volumeID: vol-1, readOnly: true}}]",
			want: map[string]report.Details{"n1": {
				report.DiskInUse{Kind: "awsElasticBlockStore", Disk: "vol-1", Namespace: "default", Pod: "reader"},
				report.DiskInUse{Kind: "iscsi", Disk: "iqn-1", Namespace: "default", Pod: "reader"},
			}},
		},
	} {
		c.plugin = names.VolumeRestrictions
		t.Run(sentence, c.check)
	}
}

func TestDetailsOfNodeVolumeLimits(t *testing.T) {
	const driver = "disk.example.com"
	limited := csiNodeText("n1", "{name: "+driver+", nodeID: n1, allocatable: {count: 2}}")
	attachment := func(name, volume string) string {
		return fmt.Sprintf("apiVersion: storage.k8s.io/v1\nkind: VolumeAttachment\nmetadata: {name: %s}\n"+
			"spec: {attacher: %s, nodeName: n1, source: {persistentVolumeName: %s}}\nstatus: {attached: true}", name, driver, volume)
	}
	var state []string
	for _, name := range []string{"a", "b", "c", "d"} {
		state = append(state, boundText(name, "pv-"+name), csiVolumeText("pv-"+name, driver, ""))
	}
	state = append(state, classText("wait", driver, onWait, ""), claimText("new", "storageClassName: wait"))
	onN1 := func(name string, claims ...string) string {
		return podText(name, "1", "nodeName: n1", usesText(claims...))
	}
	limit := func(attached, added int, claims ...string) map[string]report.Details {
		return map[string]report.Details{"n1": {report.VolumeLimit{Driver: driver, Attached: attached, New: added, Limit: 2, Claims: claims}}}
	}
	for sentence, c := range map[string]volumeCase{
		"volumes of Pods, each once, and the new ones": {
			state:  []string{limited, onN1("p", "a", "b"), onN1("q", "b")},
			volume: usesText("b", "new", "c"), want: limit(2, 2, "c", "new"),
		},
		"volumes that are attached without a Pod": {
			state:  []string{limited, onN1("p", "a"), attachment("va-a", "pv-a"), attachment("va-d", "pv-d")},
			volume: usesText("c"), want: limit(2, 1, "c"),
		},
		"a volume of the Pod that is attached already counts twice, as upstream has it": {
			state:  []string{limited, attachment("va-a", "pv-a"), attachment("va-b", "pv-b")},
			volume: usesText("a"), want: limit(2, 1, "a"),
		},
		"such a volume that a nominated Pod uses, when only the count without that Pod is too high": {
			state: []string{limited, attachment("va-a", "pv-a"), attachment("va-b", "pv-b"),
				podText("nominee", "1", "priority: 10", usesText("a")) + "\nstatus: {nominatedNodeName: n1}"},
			volume: usesText("a"), want: limit(2, 1, "a"),
		},
		"a disk that the Pod names itself, whose plugin has become a driver": {
			state:  []string{csiNodeText("n1", "{name: ebs.csi.aws.com, nodeID: n1, allocatable: {count: 0}}")},
			volume: "volumes: [{name: e, awsElasticBlockStore: {volumeID: vol-1}}]",
			want:   map[string]report.Details{"n1": {report.VolumeLimit{Driver: "ebs.csi.aws.com", New: 1}}},
		},
		"a driver that is not installed": {
			state:  []string{csiNodeText("n1", ""), csiDriverText(driver, "preventPodSchedulingIfMissing: true")},
			volume: usesText("a", "new"),
			want: map[string]report.Details{
				"n1": {report.MissingDriver{Driver: driver, Claims: []string{"a", "new"}}},
				"n2": {report.MissingDriver{Driver: driver, Claims: []string{"a", "new"}, NoCSINode: true}},
			},
		},
	} {
		c.plugin, c.state = names.NodeVolumeLimits, slices.Concat(state, c.state)
		t.Run(sentence, c.check)
	}
}
