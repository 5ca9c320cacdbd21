package printers

import (
	"slices"
	"strings"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// volumeSays makes a predicate of the facts of the kind that comes first: "is out of reach of volume pv-1 (claim
// data)".
func volumeSays(details report.Details) predicate {
	var said predicate
	var about []string
	for _, detail := range details {
		verb, object := volumeClause(detail)
		if said == (predicate{}) {
			said = verb
		}
		if object != "" && verb == said {
			about = append(about, object)
		}
	}
	if len(about) == 0 {
		return predicate{}
	}
	slices.Sort(about)
	objects := listNames(slices.Compact(about))
	return predicate{said.one + " " + objects, said.many + " " + objects}
}

// volumeClause splits what is said of nodes for one fact into a verb and what it is about, without what differs between
// nodes that fail alike; both are empty when the fact makes no headline.
func volumeClause(detail report.Detail) (verb predicate, object string) {
	switch d := detail.(type) {
	case report.VolumeNodeAffinity:
		return predicate{"cannot reach the volume of", "cannot reach the volume of"}, "claim " + d.Claim
	case report.VolumeZone:
		place := "zone"
		if strings.HasSuffix(d.Key, "/region") {
			place = "region"
		}
		return predicate{"is outside the " + place + " of", "are outside the " + place + " of"}, volumeOf(d.Volume, d.Claim)
	case report.MissingVolume:
		return predicate{"finds no", "find no"}, volumeOf(d.Volume, d.Claim)
	case report.MissingClaim:
		return predicate{"finds no", "find no"}, "claim " + d.Namespace + "/" + d.Claim
	case report.NoMatchingVolume:
		return predicate{"has no volume for", "have no volume for"}, volumeClaimOf(d.Claim, d.Class)
	case report.StorageCapacity:
		return predicate{"has too little storage for", "have too little storage for"}, volumeClaimOf(d.Claim, d.Class)
	case report.AllowedTopologies:
		return predicate{"is where no volume is made for", "are where no volume is made for"}, volumeClaimOf(d.Claim, d.Class)
	case report.SelectedNode:
		return predicate{"is not", "are not"}, d.Node + " (where the volume of claim " + d.Claim + " is being made)"
	}
	return holdClause(detail)
}

// holdClause is volumeClause for what others hold already, and for drivers.
func holdClause(detail report.Detail) (verb predicate, object string) {
	switch d := detail.(type) {
	case report.ClaimInUse:
		holder := " (in use by " + d.Namespace + "/" + d.Pod + ")"
		return predicate{"cannot share", "cannot share"}, "claim " + d.Claim + holder
	case report.DiskInUse:
		return predicate{"has in use", "have in use"}, d.Kind + " " + d.Disk
	case report.VolumeLimit:
		return predicate{"is at its limit of volumes of", "are at their limit of volumes of"}, "driver " + d.Driver
	case report.MissingDriver:
		return predicate{"lacks", "lack"}, "driver " + d.Driver
	}
	return predicate{}, ""
}

func volumeOf(volume, claim string) string { return "volume " + volume + " (claim " + claim + ")" }

func volumeClaimOf(claim, class string) string { return "claim " + claim + " (class " + class + ")" }
