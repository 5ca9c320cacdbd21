package printers

import (
	"fmt"
	"strings"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// placedVolume begins a sentence that says where a claim's volume is. Names of volumes are long, and the claim tells
// them: only the wide table has both.
func placedVolume(claim, class, volume string, s style) string {
	if s != withPlugins {
		return "the volume of claim " + claim + " is "
	}
	if class != "" {
		claim += " of class " + class
	}
	return "claim " + claim + " is in volume " + volume + ", which is "
}

// volumeFact has words for facts about volumes.
func volumeFact(detail report.Detail, s style) string {
	if text := volumeClaimFact(detail); text != "" {
		return text
	}
	switch d := detail.(type) {
	case report.VolumeNodeAffinity:
		return placedVolume(d.Claim, d.Class, d.Volume, s) + placeFact(d.Terms, s)
	case report.VolumeZone:
		wanted := report.VolumeRequirement{
			Key: d.Key, Operator: placedIn, Values: d.Values, Actual: d.Actual, Missing: d.Missing}
		return placedVolume(d.Claim, "", d.Volume, s) + placeFact([][]report.VolumeRequirement{{wanted}}, s)
	case report.AllowedTopologies:
		return fmt.Sprintf("claim %s is of class %s, whose volumes are %s", d.Claim, d.Class, placeFact(d.Terms, s))
	case report.NoMatchingVolume:
		return noVolumeFact(d, s)
	case report.StorageCapacity:
		return storageCapacityFact(d, s)
	case report.SelectedNode:
		return fmt.Sprintf("the volume of claim %s is being made for node %s", d.Claim, d.Node)
	case report.ClaimInUse:
		return fmt.Sprintf("claim %s is in use by %s/%s on %s (ReadWriteOncePod)", d.Claim, d.Namespace, d.Pod, d.Node)
	case report.DiskInUse:
		if s == withoutNumbers {
			return fmt.Sprintf("%s %s is in use", d.Kind, d.Disk)
		}
		return fmt.Sprintf("%s %s is in use by %s/%s", d.Kind, d.Disk, d.Namespace, d.Pod)
	case report.VolumeLimit:
		return volumeLimitFact(d, s)
	case report.MissingDriver:
		return missingDriverFact(d)
	}
	return ""
}

// volumeClaimFact has words for what is wrong with a claim wherever the Pod goes.
func volumeClaimFact(detail report.Detail) string {
	switch d := detail.(type) {
	case report.MissingClaim:
		return missingClaimFact(d)
	case report.DeletedClaim:
		return fmt.Sprintf("claim %s is being deleted", d.Claim)
	case report.LostClaim:
		return fmt.Sprintf("claim %s has lost its volume %s", d.Claim, d.Volume)
	case report.ForeignClaim:
		if d.Owner == "" {
			return fmt.Sprintf("claim %s was not made for the Pod", d.Claim)
		}
		return fmt.Sprintf("claim %s was made for %s", d.Claim, d.Owner)
	case report.UnboundClaim:
		return unboundClaimFact(d)
	case report.MissingStorageClass:
		return fmt.Sprintf("claim %s is of class %s, which does not exist", d.Claim, d.Class)
	case report.MissingVolume:
		return fmt.Sprintf("claim %s names volume %s, which does not exist", d.Claim, d.Volume)
	case report.ForeignVolume:
		return foreignVolumeFact(d)
	case report.PodClaims:
		if len(d.Claims) == 0 {
			return ""
		}
		return fmt.Sprintf("the Pod uses %s %s", plural(len(d.Claims), "claim", "claims"), strings.Join(d.Claims, ", "))
	}
	return ""
}

func missingClaimFact(d report.MissingClaim) string {
	name := d.Namespace + "/" + d.Claim
	switch {
	case d.Ephemeral:
		return fmt.Sprintf("claim %s is not there yet: it is made for the Pod's ephemeral volume", name)
	case len(d.Elsewhere) > 0:
		return fmt.Sprintf("claim %s does not exist; there is one of that name in %s %s", name,
			plural(len(d.Elsewhere), "namespace", "namespaces"), listNames(d.Elsewhere))
	}
	return fmt.Sprintf("claim %s does not exist", name)
}

func unboundClaimFact(d report.UnboundClaim) string {
	switch {
	case d.Volume != "":
		return fmt.Sprintf("claim %s is not bound to volume %s yet", d.Claim, d.Volume)
	case d.Class == "":
		return fmt.Sprintf("claim %s is not bound: it names no class and waits for a PersistentVolume without one", d.Claim)
	case d.Provisioner == "":
		return fmt.Sprintf("claim %s is not bound: it waits for a PersistentVolume of class %s", d.Claim, d.Class)
	}
	return fmt.Sprintf("claim %s of class %s is not bound: it waits for %s to make its volume", d.Claim, d.Class,
		d.Provisioner)
}

func foreignVolumeFact(d report.ForeignVolume) string {
	if d.HolderNamespace == d.Namespace && d.Holder == d.Claim {
		return fmt.Sprintf("claim %s names volume %s, which belongs to an earlier claim of that name", d.Claim, d.Volume)
	}
	return fmt.Sprintf("claim %s names volume %s, which belongs to claim %s/%s", d.Claim, d.Volume, d.HolderNamespace,
		d.Holder)
}

// noVolumeFact says "claim data asks 10Gi of class local; 40 volumes elsewhere, 1 too small (5Gi at most), 2 taken".
func noVolumeFact(d report.NoMatchingVolume, s style) string {
	text := fmt.Sprintf("claim %s asks %s of class %s", d.Claim, readable(d.Requested), d.Class)
	switch {
	case d.Volumes == 0:
		return text + "; there is no volume of that class"
	case s == withoutNumbers:
		return text + "; no volume suits"
	case d.Volumes == d.Elsewhere:
		return text + fmt.Sprintf("; %s of that class, none here", volumesCounted(d.Volumes))
	}
	var here []string
	for _, part := range []struct {
		count int
		what  string
	}{
		{d.TooSmall, "too small (" + readable(d.Largest) + " at most)"},
		{d.Unlike, "of another kind"},
		{d.Unavailable, "not free"},
	} {
		if part.count > 0 {
			here = append(here, fmt.Sprintf("%d %s", part.count, part.what))
		}
	}
	return text + fmt.Sprintf("; of %s here %s", volumesCounted(d.Volumes-d.Elsewhere), strings.Join(here, ", "))
}

// volumesCounted writes "1 volume", "2 volumes".
func volumesCounted(n int) string { return fmt.Sprintf("%d %s", n, plural(n, "volume", "volumes")) }

func storageCapacityFact(d report.StorageCapacity, s style) string {
	text := fmt.Sprintf("claim %s asks %s of class %s", d.Claim, readable(d.Requested), d.Class)
	switch {
	case s == withoutNumbers:
		return text
	case d.Available == "":
		return text + fmt.Sprintf("; %s tells of no capacity here", d.Driver)
	}
	return text + fmt.Sprintf("; %s available here", readable(d.Available))
}

func volumeLimitFact(d report.VolumeLimit, s style) string {
	if s == withoutNumbers {
		return "driver " + d.Driver
	}
	return fmt.Sprintf("driver %s: %d attached + %d new > limit %d", d.Driver, d.Attached, d.New, d.Limit)
}

func missingDriverFact(d report.MissingDriver) string {
	text := fmt.Sprintf("driver %s is not installed here", d.Driver)
	if len(d.Claims) == 0 {
		return text
	}
	return text + fmt.Sprintf("; %s %s %s it", plural(len(d.Claims), "claim", "claims"), listNames(d.Claims),
		plural(len(d.Claims), "needs", "need"))
}
