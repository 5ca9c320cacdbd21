package printers

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

const zoneKey = "topology.kubernetes.io/zone"

// inZone is one requirement of a zone, and the node's.
func inZone(actual string, wanted ...string) [][]report.VolumeRequirement {
	return [][]report.VolumeRequirement{{{Key: zoneKey, Operator: "In", Values: wanted, Actual: &actual}}}
}

func TestVolumeFact(t *testing.T) {
	zone, gen, empty := "zb", "3", ""
	noVolume := report.NoMatchingVolume{Claim: "data", Class: "local", Requested: "10Gi"}
	for sentence, test := range map[string]struct {
		detail        report.Detail
		full, without string // without numbers; empty when it is the same
	}{
		"a missing claim": {report.MissingClaim{Namespace: "shop", Claim: "data"}, "claim shop/data does not exist", ""},
		"a claim that is elsewhere": {
			report.MissingClaim{Namespace: "shop", Claim: "data", Elsewhere: []string{"dev", "prod"}},
			"claim shop/data does not exist; there is one of that name in namespaces dev and prod", "",
		},
		"an ephemeral claim": {
			report.MissingClaim{Namespace: "shop", Claim: "web-tmp", Ephemeral: true},
			"claim shop/web-tmp is not there yet: it is made for the Pod's ephemeral volume", "",
		},
		"a deleted claim": {report.DeletedClaim{Claim: "data"}, "claim data is being deleted", ""},
		"a lost claim":    {report.LostClaim{Claim: "data", Volume: "pv-1"}, "claim data has lost its volume pv-1", ""},
		"another's claim": {report.ForeignClaim{Claim: "web-tmp", Owner: "pod/web"}, "claim web-tmp was made for pod/web", ""},
		"nobody's claim":  {report.ForeignClaim{Claim: "web-tmp"}, "claim web-tmp was not made for the Pod", ""},
		"a claim that waits for a provisioner": {
			report.UnboundClaim{Claim: "data", Class: "ssd", Provisioner: "csi.example.com"},
			"claim data of class ssd is not bound: it waits for csi.example.com to make its volume", "",
		},
		"a claim that waits for somebody": {
			report.UnboundClaim{Claim: "data", Class: "ssd"},
			"claim data is not bound: it waits for a PersistentVolume of class ssd", "",
		},
		"a claim without class": {
			report.UnboundClaim{Claim: "data"},
			"claim data is not bound: it names no class and waits for a PersistentVolume without one", "",
		},
		"a claim that names its volume": {
			report.UnboundClaim{Claim: "data", Class: "ssd", Volume: "pv-1"}, "claim data is not bound to volume pv-1 yet", "",
		},
		"a missing class": {
			report.MissingStorageClass{Claim: "data", Class: "ghost"}, "claim data is of class ghost, which does not exist", "",
		},
		"a missing volume": {
			report.MissingVolume{Claim: "data", Volume: "pv-1"}, "claim data names volume pv-1, which does not exist", "",
		},
		"another claim's volume": {
			report.ForeignVolume{Namespace: "shop", Claim: "data", Volume: "pv-1", HolderNamespace: "dev", Holder: "data"},
			"claim data names volume pv-1, which belongs to claim dev/data", "",
		},
		"an earlier claim's volume": {
			report.ForeignVolume{Namespace: "shop", Claim: "data", Volume: "pv-1", HolderNamespace: "shop", Holder: "data"},
			"claim data names volume pv-1, which belongs to an earlier claim of that name", "",
		},
		"a volume in another zone": {
			report.VolumeNodeAffinity{Claim: "data", Volume: "pv-1", Class: "ssd", Terms: inZone("zb", "za")},
			"the volume of claim data is in " + zoneKey + " za; the node is in zb",
			"the volume of claim data is in " + zoneKey + " za",
		},
		"a volume with alternatives": {
			report.VolumeNodeAffinity{Claim: "data", Volume: "pv-1", Terms: [][]report.VolumeRequirement{
				{{Key: zoneKey, Operator: "NotIn", Values: []string{"zb", "zc"}, Actual: &zone}, {Key: "disk", Operator: "Exists", Missing: true}},
				{{Key: "gen", Operator: "Gt", Values: []string{"5"}, Actual: &gen}, {Key: "old", Operator: "DoesNotExist", Actual: &empty}},
				{},
			}},
			"the volume of claim data is not in " + zoneKey + " zb or zc and where there is a disk, or where gen > 5 " +
				"and where there is no old; the node has an empty old, has no disk, is in gen 3, is in " + zoneKey + " zb",
			"the volume of claim data is not in " + zoneKey + " zb or zc and where there is a disk, or where gen > 5 " +
				"and where there is no old",
		},
		"a volume for no node": {
			report.VolumeNodeAffinity{Claim: "data", Volume: "pv-1", Terms: [][]report.VolumeRequirement{{}}},
			"the volume of claim data is on no node", "",
		},
		"a zone label that the node has not": {
			report.VolumeZone{Claim: "data", Volume: "pv-1", Key: zoneKey, Values: []string{"za", "zb"}, Missing: true},
			"the volume of claim data is in " + zoneKey + " za or zb; the node has no such label",
			"the volume of claim data is in " + zoneKey + " za or zb",
		},
		"a class for other zones": {
			report.AllowedTopologies{Claim: "data", Class: "ssd", Terms: inZone("zb", "za")},
			"claim data is of class ssd, whose volumes are in " + zoneKey + " za; the node is in zb",
			"claim data is of class ssd, whose volumes are in " + zoneKey + " za",
		},
		"no volume at all": {noVolume, "claim data asks 10Gi of class local; there is no volume of that class", ""},
		"no volume here": {
			func() report.Detail { d := noVolume; d.Volumes, d.Elsewhere = 2, 2; return d }(),
			"claim data asks 10Gi of class local; 2 volumes of that class, none here",
			"claim data asks 10Gi of class local; no volume suits",
		},
		"no volume that suits": {
			func() report.Detail {
				d := noVolume
				d.Volumes, d.Elsewhere, d.TooSmall, d.Largest, d.Unlike, d.Unavailable = 9, 3, 3, "5Gi", 2, 1
				return d
			}(),
			"claim data asks 10Gi of class local; of 6 volumes here 3 too small (5Gi at most), 2 of another kind, 1 not free",
			"claim data asks 10Gi of class local; no volume suits",
		},
		"too little storage": {
			report.StorageCapacity{Claim: "data", Class: "ssd", Driver: "csi.example.com", Requested: "100Gi", Available: "40Gi"},
			"claim data asks 100Gi of class ssd; 40Gi available here", "claim data asks 100Gi of class ssd",
		},
		"storage that is not told of": {
			report.StorageCapacity{Claim: "data", Class: "ssd", Driver: "csi.example.com", Requested: "100Gi"},
			"claim data asks 100Gi of class ssd; csi.example.com tells of no capacity here", "claim data asks 100Gi of class ssd",
		},
		"a volume on its way": {
			report.SelectedNode{Claim: "data", Node: "n3"}, "the volume of claim data is being made for node n3", "",
		},
		"a claim in use": {
			report.ClaimInUse{Namespace: "shop", Claim: "excl", Pod: "holder", Node: "n1"},
			"claim excl is in use by shop/holder on n1 (ReadWriteOncePod)", "",
		},
		"a disk in use": {
			report.DiskInUse{Kind: "rbd", Disk: "rbd/image-1", Namespace: "shop", Pod: "db"},
			"rbd rbd/image-1 is in use by shop/db", "rbd rbd/image-1 is in use",
		},
		"a limit": {
			report.VolumeLimit{Driver: "ebs.csi.aws.com", Attached: 25, New: 1, Limit: 25, Claims: []string{"data"}},
			"driver ebs.csi.aws.com: 25 attached + 1 new > limit 25", "driver ebs.csi.aws.com",
		},
		"a missing driver": {
			report.MissingDriver{Driver: "csi.example.com", Claims: []string{"data", "logs"}, NoCSINode: true},
			"driver csi.example.com is not installed here; claims data and logs need it", "",
		},
		"claims of which it is not known which": {
			report.PodClaims{Namespace: "shop", Claims: []string{"data", "logs"}}, "the Pod uses claims data, logs", "",
		},
	} {
		if test.without == "" {
			test.without = test.full
		}
		if diff := cmp.Diff(test.full, volumeFact(test.detail, withNumbers)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", sentence, diff)
		}
		if diff := cmp.Diff(test.without, volumeFact(test.detail, withoutNumbers)); diff != "" {
			t.Errorf("%s, without numbers (-want +got)\n%s", sentence, diff)
		}
	}
}

func TestVolumeSays(t *testing.T) {
	for sentence, test := range map[string]struct {
		details report.Details
		want    predicate
	}{
		"nothing of other facts": {report.Details{report.InsufficientResource{Resource: "cpu"}}, predicate{}},
		"one volume out of reach": {
			report.Details{report.VolumeNodeAffinity{Claim: "data", Volume: "pv-1", Terms: inZone("zb", "za")}},
			predicate{"cannot reach the volume of claim data", "cannot reach the volume of claim data"},
		},
		"two volumes out of reach, whatever else": {
			report.Details{
				report.VolumeNodeAffinity{Claim: "logs", Volume: "pv-2"}, report.VolumeNodeAffinity{Claim: "data", Volume: "pv-1"},
				report.StorageCapacity{Claim: "more", Class: "ssd"},
			},
			predicate{"cannot reach the volume of claim data and claim logs", "cannot reach the volume of claim data and claim logs"},
		},
		"another zone": {
			report.Details{report.VolumeZone{Claim: "data", Volume: "pv-1", Key: zoneKey}},
			predicate{"is outside the zone of volume pv-1 (claim data)", "are outside the zone of volume pv-1 (claim data)"},
		},
		"another region": {
			report.Details{report.VolumeZone{Claim: "data", Volume: "pv-1", Key: "failure-domain.beta.kubernetes.io/region"}},
			predicate{"is outside the region of volume pv-1 (claim data)", "are outside the region of volume pv-1 (claim data)"},
		},
		"no volume": {
			report.Details{report.NoMatchingVolume{Claim: "data", Class: "local", Volumes: 3, Elsewhere: 3}},
			predicate{"has no volume for claim data (class local)", "have no volume for claim data (class local)"},
		},
		"too little storage": {
			report.Details{report.StorageCapacity{Claim: "data", Class: "ssd", Requested: "5Gi", Available: "1Gi"}},
			predicate{"has too little storage for claim data (class ssd)", "have too little storage for claim data (class ssd)"},
		},
		"a class for other places": {
			report.Details{report.AllowedTopologies{Claim: "data", Class: "ssd"}},
			predicate{"is where no volume is made for claim data (class ssd)", "are where no volume is made for claim data (class ssd)"},
		},
		"a volume on its way": {
			report.Details{report.SelectedNode{Claim: "data", Node: "n3"}},
			predicate{"is not n3 (where the volume of claim data is being made)", "are not n3 (where the volume of claim data is being made)"},
		},
		"a claim in use": {
			report.Details{report.ClaimInUse{Namespace: "shop", Claim: "excl", Pod: "holder", Node: "n1"}},
			predicate{"cannot share claim excl (in use by shop/holder)", "cannot share claim excl (in use by shop/holder)"},
		},
		"a disk in use by two": {
			report.Details{report.DiskInUse{Kind: "rbd", Disk: "p/i", Pod: "a"}, report.DiskInUse{Kind: "rbd", Disk: "p/i", Pod: "b"}},
			predicate{"has in use rbd p/i", "have in use rbd p/i"},
		},
		"a limit": {
			report.Details{report.VolumeLimit{Driver: "d", Attached: 3, New: 1, Limit: 3}},
			predicate{"is at its limit of volumes of driver d", "are at their limit of volumes of driver d"},
		},
		"a missing driver": {report.Details{report.MissingDriver{Driver: "d"}}, predicate{"lacks driver d", "lack driver d"}},
		"a missing volume": {
			report.Details{report.MissingVolume{Claim: "data", Volume: "pv-1"}},
			predicate{"finds no volume pv-1 (claim data)", "find no volume pv-1 (claim data)"},
		},
		"a missing claim": {
			report.Details{report.MissingClaim{Namespace: "shop", Claim: "data"}},
			predicate{"finds no claim shop/data", "find no claim shop/data"},
		},
		"claims of which it is not known which": {report.Details{report.PodClaims{Claims: []string{"data"}}}, predicate{}},
	} {
		if diff := cmp.Diff(test.want, volumeSays(test.details), cmp.AllowUnexported(predicate{})); diff != "" {
			t.Errorf("%s (-want +got)\n%s", sentence, diff)
		}
	}
}
