package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

func TestDetailsOfVolumeBinding(t *testing.T) {
	both := func(detail report.Detail) map[string]report.Details {
		return map[string]report.Details{"n1": {detail}, "n2": {detail}}
	}
	place := func(key, wanted, actual string) [][]report.VolumeRequirement {
		return [][]report.VolumeRequirement{{{Key: key, Operator: "In", Values: []string{wanted}, Actual: &actual}}}
	}
	localClass := classText("local", local, onWait, "")
	csiClass := classText("wait", "disk.example.com", onWait, "")
	localClaim := claimText("data", "storageClassName: local")
	noVolume := report.NoMatchingVolume{Claim: "data", Class: "local", Requested: "10Gi",
		AccessModes: []string{"ReadWriteOnce"}, VolumeMode: "Filesystem"}
	for sentence, c := range map[string]volumeCase{
		"a volume in another zone": {
			state: []string{boundText("data", "pv-1"), csiVolumeText("pv-1", "d", affinityText(zoneLabel, "zone-n1"))},
			want: map[string]report.Details{"n2": {report.VolumeNodeAffinity{Claim: "data", Volume: "pv-1", Class: "wait",
				Terms: place(zoneLabel, "zone-n1", "zone-n2")}}},
		},
		"of a volume's alternatives what the node lacks": {
			state: []string{boundText("data", "pv-1"), csiVolumeText("pv-1", "d", "nodeAffinity: {required: {nodeSelectorTerms: ["+
				"{matchExpressions: [{key: kubernetes.io/hostname, operator: Exists}, {key: rack, operator: In, values: [r1, r2]}]}, "+
				"{matchExpressions: [{key: kubernetes.io/hostname, operator: NotIn, values: [n1, n2]}]}]}}")},
			want: map[string]report.Details{
				"n1": {report.VolumeNodeAffinity{Claim: "data", Volume: "pv-1", Class: "wait", Terms: racks("n1")}},
				"n2": {report.VolumeNodeAffinity{Claim: "data", Volume: "pv-1", Class: "wait", Terms: racks("n2")}},
			},
		},
		"a disk whose driver has taken over on one node only": {
			state: []string{boundText("data", "pv-1"), csiNodeText("n1", ""), volumeText("pv-1", "10Gi", "",
				"awsElasticBlockStore: {volumeID: aws://zone-n1/vol-1}, "+affinityText(zoneLabel, "zone-n1"))},
			want: map[string]report.Details{
				"n1": {report.VolumeNodeAffinity{Claim: "data", Volume: "pv-1", Class: "wait", Terms: [][]report.VolumeRequirement{
					{{Key: "topology.ebs.csi.aws.com/zone", Operator: "In", Values: []string{"zone-n1"}, Missing: true}}}}},
				"n2": {report.VolumeNodeAffinity{Claim: "data", Volume: "pv-1", Class: "wait",
					Terms: place(zoneLabel, "zone-n1", "zone-n2")}},
			},
		},
		"a volume that is gone": {
			state:  []string{boundText("data", "pv-1")},
			config: onlyPlugin(names.VolumeBinding),
			want:   both(report.MissingVolume{Claim: "data", Volume: "pv-1"}),
		},
		"a class that nobody makes volumes of and that has none": {
			state: []string{localClass, localClaim}, want: both(noVolume),
		},
		"what is wrong with the volumes of a class": {
			state: []string{localClass, localClaim,
				volumeText("small", "5Gi", "", "storageClassName: local, "+affinityText("kubernetes.io/hostname", "n1")),
				volumeText("smaller", "4Gi", "", "storageClassName: local, "+affinityText("kubernetes.io/hostname", "n1")),
				volumeText("block", "20Gi", "", "storageClassName: local, volumeMode: Block, "+affinityText("kubernetes.io/hostname", "n1")),
				volumeText("taken", "20Gi", "", "storageClassName: local, claimRef: {namespace: default, name: other}, "+
					affinityText("kubernetes.io/hostname", "'n1', n1")),
				strings.Replace(volumeText("released", "20Gi", "", "storageClassName: local"), "Available", "Released", 1),
				volumeText("other-class", "20Gi", "", "storageClassName: fast"),
			},
			want: map[string]report.Details{
				"n1": {with(noVolume, func(d *report.NoMatchingVolume) {
					d.Volumes, d.Unavailable, d.Unlike, d.TooSmall, d.Largest = 5, 2, 1, 2, "5Gi"
				})},
				"n2": {with(noVolume, func(d *report.NoMatchingVolume) { d.Volumes, d.Elsewhere, d.Unavailable = 5, 4, 1 })},
			},
		},
		"a selector that no volume matches": {
			state: []string{localClass, volumeText("pv-1", "20Gi", "labels: {tier: hot}", "storageClassName: local"),
				claimText("data", "storageClassName: local, selector: {matchLabels: {tier: cold}}")},
			want: both(with(noVolume, func(d *report.NoMatchingVolume) { d.Selector, d.Volumes, d.Unlike = "tier=cold", 1, 1 })),
		},
		"two claims for one volume": {
			state: []string{localClass, localClaim, claimText("logs", "storageClassName: local"),
				volumeText("pv-1", "20Gi", "", "storageClassName: local")},
			volume: usesText("logs", "data"),
			want:   both(with(noVolume, func(d *report.NoMatchingVolume) { d.Volumes, d.Unavailable = 1, 1 })),
		},
		"a volume that is kept for the claim, in another zone": {
			state: []string{localClass, localClaim, volumeText("free", "20Gi", "", "storageClassName: local"),
				volumeText("kept", "20Gi", "", "storageClassName: local, claimRef: {namespace: default, name: data}, "+
					affinityText(zoneLabel, "zone-n1"))},
			want: map[string]report.Details{"n2": {report.VolumeNodeAffinity{Claim: "data", Volume: "kept", Class: "local",
				Terms: place(zoneLabel, "zone-n1", "zone-n2")}}},
		},
		"a class that makes volumes in another zone": {
			state: []string{claimText("data", "storageClassName: wait"), classText("wait", "disk.example.com", onWait,
				"allowedTopologies: [{matchLabelExpressions: [{key: "+zoneLabel+", values: [zone-n1]}]}]")},
			want: map[string]report.Details{"n2": {report.AllowedTopologies{Claim: "data", Class: "wait",
				Terms: place(zoneLabel, "zone-n1", "zone-n2")}}},
		},
		"a driver with too little left here, and none that it tells of there": {
			state: []string{claimText("data", "storageClassName: wait"), csiClass,
				csiDriverText("disk.example.com", "storageCapacity: true"),
				capacityText("n1-a", "zone-n1", "capacity: 4Gi"), capacityText("n1-b", "zone-n1", "capacity: 50Gi, maximumVolumeSize: 6Gi"),
				capacityText("n1-c", "zone-n1", ""), capacityText("n3", "zone-n3", "capacity: 50Gi")},
			want: map[string]report.Details{
				"n1": {report.StorageCapacity{Claim: "data", Class: "wait", Driver: "disk.example.com", Requested: "10Gi", Available: "6Gi"}},
				"n2": {report.StorageCapacity{Claim: "data", Class: "wait", Driver: "disk.example.com", Requested: "10Gi"}},
			},
		},
		"a volume that is being made for another node": {
			state: []string{csiClass, selectedText("data", "n1")},
			want:  map[string]report.Details{"n2": {report.SelectedNode{Claim: "data", Node: "n1"}}},
		},
		"in the order of upstream's reasons: out of reach, nothing to bind, too little storage": {
			state: []string{csiClass, localClass, localClaim, boundText("far", "pv-1"), claimText("large", "storageClassName: wait"),
				csiVolumeText("pv-1", "d", affinityText(zoneLabel, "zone-n1")),
				csiDriverText("disk.example.com", "storageCapacity: true")},
			volume: usesText("large", "data", "far"),
			want: map[string]report.Details{
				"n1": {noVolume, report.StorageCapacity{Claim: "large", Class: "wait", Driver: "disk.example.com", Requested: "10Gi"}},
				"n2": {report.VolumeNodeAffinity{Claim: "far", Volume: "pv-1", Class: "wait", Terms: place(zoneLabel, "zone-n1", "zone-n2")},
					noVolume, report.StorageCapacity{Claim: "large", Class: "wait", Driver: "disk.example.com", Requested: "10Gi"}},
			},
		},
	} {
		c.plugin = names.VolumeBinding
		if c.volume == "" {
			c.volume = usesText("data")
		}
		t.Run(sentence, c.check)
	}
}

func racks(node string) [][]report.VolumeRequirement {
	return [][]report.VolumeRequirement{
		{{Key: "rack", Operator: "In", Values: []string{"r1", "r2"}, Missing: true}},
		{{Key: "kubernetes.io/hostname", Operator: "NotIn", Values: []string{"n1", "n2"}, Actual: &node}},
	}
}

func with(detail report.NoMatchingVolume, edit func(*report.NoMatchingVolume)) report.NoMatchingVolume {
	edit(&detail)
	return detail
}

func capacityText(name, zone, more string) string {
	return fmt.Sprintf("apiVersion: storage.k8s.io/v1\nkind: CSIStorageCapacity\nmetadata: {name: %s, namespace: kube-system}\n"+
		"storageClassName: wait\nnodeTopology: {matchLabels: {%s: %s}}\n%s", name, zoneLabel, zone,
		strings.ReplaceAll(more, ", ", "\n"))
}
