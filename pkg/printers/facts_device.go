package printers

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// claimFact has words for facts about ResourceClaims.
func claimFact(detail report.Detail) string {
	switch d := detail.(type) {
	case report.MissingResourceClaim:
		if d.Name == "" {
			return claimName(d.PodClaim) + " names neither a ResourceClaim nor a template"
		}
		return claimName(d.PodClaim) + ": there is no ResourceClaim " + objectName(d.PodClaim)
	case report.ResourceClaimNotCreated:
		return fmt.Sprintf("%s: no ResourceClaim was made from template %s/%s yet", claimName(d.PodClaim), d.Namespace,
			d.Template)
	case report.ResourceClaimDeleting:
		return claimName(d.PodClaim) + ": ResourceClaim " + objectName(d.PodClaim) + " is being deleted"
	case report.ForeignResourceClaim:
		return fmt.Sprintf("%s: ResourceClaim %s belongs to %s", claimName(d.PodClaim), objectName(d.PodClaim),
			cmp.Or(d.Owner, "nobody"))
	case report.MissingDeviceClass:
		return claimName(d.PodClaim) + ": there is no DeviceClass " + d.Class
	case report.ResourceClaimElsewhere:
		return claimName(d.PodClaim) + ": ResourceClaim " + objectName(d.PodClaim) + " has " + listNames(d.Devices) +
			whereDevicesAre(d)
	case report.DeviceNotReady:
		return claimName(d.PodClaim) + ": device " + d.Device + " " + readinessFact(d)
	case report.StaleResourceClaim:
		return "ResourceClaim " + objectName(d.PodClaim) + " of an earlier attempt has to be deleted first"
	case report.ResourceClaimInUse:
		return claimUse(d)
	}
	return ""
}

// claimName is what the Pod calls a claim.
func claimName(c report.PodClaim) string {
	if c.Claim == "" {
		return "claim " + objectName(c)
	}
	return "claim " + c.Claim
}

func objectName(c report.PodClaim) string { return c.Namespace + "/" + c.Name }

// whereDevicesAre continues a sentence: " only on node-a", ", for which zone In [a] but the node has b".
func whereDevicesAre(d report.ResourceClaimElsewhere) string {
	where := ""
	if d.NodeCount > 0 {
		where = ", reached only from " + someNames(d.Nodes, d.NodeCount)
	}
	for _, label := range d.Labels {
		where += ", reached only with label " + unmetLabelFact(label)
	}
	return where
}

func unmetLabelFact(label report.UnmetLabel) string {
	has := "the node lacks it"
	if label.Value != nil {
		has = "here " + *label.Value
	}
	wanted := label.Key + " " + label.Operator
	if len(label.Values) > 0 {
		wanted += " [" + strings.Join(label.Values, " ") + "]"
	}
	return inParentheses(wanted, has)
}

func readinessFact(d report.DeviceNotReady) string {
	if d.Failed != "" {
		return withMessage(strings.TrimSpace("failed with "+d.Failed+" "+d.Reason), d.Message)
	}
	return "waits for " + listNames(d.WaitsFor)
}

func claimUse(d report.ResourceClaimInUse) string {
	text := claimName(d.PodClaim) + ": ResourceClaim " + objectName(d.PodClaim) + " has "
	text += plural(d.Devices, "1 device", fmt.Sprintf("%d devices", d.Devices))
	if d.Users > 0 {
		text += ", reserved for " + someNames(d.ReservedFor, d.Users)
	}
	return text
}

// deviceFact has words for facts about devices.
func deviceFact(detail report.Detail, s style) string {
	switch d := detail.(type) {
	case report.InsufficientDevices:
		wants := requesterOf(d.DeviceRequest) + ": " + wantsFact(d.DeviceRequest, s)
		if s == withoutNumbers {
			return wants
		}
		return wants + ", " + strings.Join(suppliesOf(d), ", ")
	case report.DevicesNotTogether:
		return notTogetherFact(d, s)
	case report.DevicesRequested:
		return requestsFact(d.Requests, s)
	case report.DeviceSelectorError:
		text := requesterOf(requestOf(d)) +
			": selector " + d.Selector + " fails"
		if s == withoutNumbers {
			return text
		}
		return text + " on " + d.Device + ": " + d.Error
	}
	return ""
}

func requestOf(d report.DeviceSelectorError) report.DeviceRequest {
	return report.DeviceRequest{PodClaim: d.PodClaim, Request: d.Request, Resource: d.Resource}
}

// requesterOf names what asks for devices. The request of a claim is named when it does not bear the claim's name.
func requesterOf(d report.DeviceRequest) string {
	switch {
	case d.Resource != "":
		return d.Resource
	case d.Request == "" || d.Request == d.Claim:
		return claimName(d.PodClaim)
	}
	return "request " + d.Request + " of " + claimName(d.PodClaim)
}

// wantsFact says "wants 2 of class gpu". How many all are differs between nodes.
func wantsFact(d report.DeviceRequest, s style) string {
	switch {
	case d.All && s == withoutNumbers:
		return "wants all of class " + d.Class
	case d.All:
		return fmt.Sprintf("wants all (%d) of class %s", d.Wanted, d.Class)
	}
	return fmt.Sprintf("wants %d of class %s", d.Wanted, d.Class)
}

// suppliesOf says what the node has for a request, and what has become of the rest.
func suppliesOf(d report.InsufficientDevices) []string {
	var parts []string
	switch {
	case d.Offered == 0 && len(d.IncompletePools) == 0:
		parts = append(parts, "the node offers no device")
	case d.Offered == 0:
	case d.Matching == 0:
		parts = append(parts, fmt.Sprintf("none of %d matches", d.Offered)+onlyOf(" ", d.FailedSelectors))
	default:
		free := fmt.Sprintf("%d free of %d", d.Free, d.Matching)
		if d.Users > 0 {
			free += " (used by " + someNames(d.UsedBy, d.Users) + ")"
		}
		parts = append(parts, free)
	}
	if d.Tainted > 0 {
		parts = append(parts, fmt.Sprintf("%d tainted %s", d.Tainted, listNames(d.Taints)))
	}
	if d.LackCapacity > 0 {
		parts = append(parts, fmt.Sprintf("%d with too little capacity", d.LackCapacity))
	}
	if d.LackCounters > 0 {
		parts = append(parts, fmt.Sprintf("%d without enough shared counters", d.LackCounters))
	}
	if len(d.IncompletePools) > 0 {
		parts = append(parts, plural(len(d.IncompletePools), "pool ", "pools ")+listNames(d.IncompletePools)+
			plural(len(d.IncompletePools), " is incomplete", " are incomplete"))
	}
	return parts
}

// onlyOf returns the only one of texts, behind the prefix.
func onlyOf(prefix string, texts []string) string {
	if len(texts) != 1 {
		return ""
	}
	return prefix + texts[0]
}

func notTogetherFact(d report.DevicesNotTogether, s style) string {
	text := requestsFact(d.Requests, s) + ", but not all together"
	if len(d.MatchAttributes) > 0 {
		text += " with equal " + listNames(d.MatchAttributes)
	}
	if len(d.DistinctAttributes) > 0 {
		text += " with different " + listNames(d.DistinctAttributes)
	}
	if len(d.SharedCounters) > 0 && s != withoutNumbers {
		text += " from shared " + listNames(d.SharedCounters)
	}
	return text
}

func requestsFact(requests []report.DeviceRequest, s style) string {
	texts := make([]string, 0, len(requests))
	for _, r := range requests {
		text := requesterOf(r) + ": " + wantsFact(r, s)
		if s != withoutNumbers {
			text += fmt.Sprintf(", %d free", r.Free)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// deviceSays makes a predicate of what stands between a node and the devices that the Pod wants.
func deviceSays(detail report.Detail) predicate {
	switch d := detail.(type) {
	case report.InsufficientDevices:
		what := " device for " + requesterOf(d.DeviceRequest)
		if d.Matching == 0 {
			return predicate{"has no" + what, "have no" + what}
		}
		what = " free devices for " + requesterOf(d.DeviceRequest)
		return predicate{"has too few" + what, "have too few" + what}
	case report.DevicesNotTogether:
		return predicate{"cannot give it all its devices together", "cannot give it all its devices together"}
	case report.DeviceSelectorError:
		what := " a device on which a selector of " + requesterOf(requestOf(d)) + " fails"
		return predicate{"has" + what, "have" + what}
	case report.ResourceClaimElsewhere:
		what := " out of reach of the devices of " + claimName(d.PodClaim)
		return predicate{"is" + what, "are" + what}
	case report.DeviceNotReady:
		what := " for a device of " + claimName(d.PodClaim)
		return predicate{"waits" + what, "wait" + what}
	case report.StaleResourceClaim:
		what := " until ResourceClaim " + objectName(d.PodClaim) + " is deleted"
		return predicate{"waits" + what, "wait" + what}
	}
	return predicate{}
}
