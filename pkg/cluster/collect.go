package cluster

import (
	"fmt"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/types"
)

// collector makes a State of what files hold.
type collector struct {
	objects map[identity]*given
	seen    map[*Kind]bool
	aside   aside
	unknown unknownFields
}

// identity is what there is one object of in a cluster.
type identity struct {
	kind            *Kind
	namespace, name string
}

// given is an object and how often it was given.
type given struct {
	object Object
	times  int
}

func newCollector() *collector {
	return &collector{
		objects: map[identity]*given{},
		seen:    map[*Kind]bool{},
		aside:   newAside(),
		unknown: unknownFields{},
	}
}

func (c *collector) add(f *found) {
	c.aside.add(f)
	switch {
	case f.empty != nil:
		c.seen[f.empty] = true
	case f.object != nil:
		c.seen[f.kind] = true
		c.unknown.add(f)
		c.addObject(f)
	}
}

func (c *collector) addObject(f *found) {
	id := identity{f.kind, f.object.GetNamespace(), f.object.GetName()}
	old := c.objects[id]
	if old == nil {
		c.objects[id] = &given{f.object, 1}
		return
	}
	old.times++
	if resourceVersion(f.object) >= resourceVersion(old.object) {
		old.object = f.object
	}
}

// resourceVersion is the object's version as a number, or -1: hand-written objects have none.
func resourceVersion(object Object) int64 {
	version, err := strconv.ParseInt(object.GetResourceVersion(), 10, 64)
	if err != nil || version < 0 {
		return -1
	}
	return version
}

// state returns the State of everything that was added.
func (c *collector) state() *State {
	s := &State{Source: FromFiles}
	for id, given := range c.objects {
		id.kind.list(s).add(given.object)
	}
	for _, kind := range Kinds {
		kind.list(s).sort(byNamespaceAndName)
		if !c.seen[kind] && isGap(kind) {
			s.Gaps = append(s.Gaps, Gap{Kind: kind, Reason: Absent})
		}
	}
	s.Warnings = slices.Concat(
		c.aside.warnings("that no scheduler reads"),
		c.unknown.warnings(),
		named(c.duplicates(s), "given several times"),
	)
	for _, kind := range Kinds {
		if kind.Kind == "Pod" || kind.Kind == "ResourceClaim" {
			s.Warnings = append(s.Warnings, named(giveUIDs(kind, s), "of the same uid as others")...)
		}
	}
	for i := range s.Warnings {
		s.Warnings[i] = oneLine(s.Warnings[i])
	}
	return s
}

// isGap tells whether a kind is missed when it was not read.
func isGap(kind *Kind) bool { return kind.Use == Scheduling || kind.Use == Admission }

// duplicates says which objects were given several times, in the State's order.
func (c *collector) duplicates(s *State) []string {
	var warnings []string
	for _, kind := range Kinds {
		for object := range kind.Objects(s) {
			times := c.objects[identity{kind, object.GetNamespace(), object.GetName()}].times
			if times == 1 {
				continue
			}
			kept := "the last one counts"
			if resourceVersion(object) >= 0 {
				kept = "the one with resourceVersion " + object.GetResourceVersion() + " counts"
			}
			warnings = append(warnings, fmt.Sprintf("%s is given %d times: %s", objectName(kind, object), times, kept))
		}
	}
	return warnings
}

// giveUIDs gives the kind's objects without a uid one that is the same in every run, as upstream's cache tells Pods and
// claims apart by it. Of two with the same uid the second gets another, and a warning is returned.
func giveUIDs(kind *Kind, s *State) []string {
	var warnings []string
	owners := map[types.UID]Object{}
	var without []Object
	for object := range kind.Objects(s) {
		uid := object.GetUID()
		owner := owners[uid]
		switch {
		case uid == "":
			without = append(without, object)
		case owner == nil:
			owners[uid] = object
		default:
			warnings = append(warnings, fmt.Sprintf("%s has the uid of %s, %s: it counts as another %s",
				objectName(kind, object), objectName(kind, owner), uid, kind.Kind))
			without = append(without, object)
		}
	}
	for _, object := range without {
		uid := types.UID("file:" + qualified(object.GetNamespace(), object.GetName()))
		for owners[uid] != nil {
			uid += "+"
		}
		owners[uid] = object
		object.SetUID(uid)
	}
	return warnings
}
