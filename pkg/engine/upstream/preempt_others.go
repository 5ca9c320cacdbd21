package upstream

import (
	"slices"

	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// Obstacle says what keeps preemption from making room, on one node or as a whole.
type Obstacle string

// The obstacles on a node, which are those of the whole too when no node is nearer to making room.
const (
	// PreemptionFailed: upstream met an error there, or nothing that is evicted changes who rejects the node.
	PreemptionFailed Obstacle = "Failed"
	// ExtenderRejects: an extender refuses the node as a candidate.
	ExtenderRejects Obstacle = "ExtenderRejects"
	// StillRejected: a filter rejects the node even without all Pods of lower priority.
	StillRejected Obstacle = "StillRejected"
	// NoLowerPriority: no Pod there has a lower priority.
	NoLowerPriority Obstacle = "NoLowerPriority"
	// Unresolvable: a plugin rejects the node whatever is evicted.
	Unresolvable Obstacle = "Unresolvable"
	// NotTried: there were candidates enough before. It is never that of the whole.
	NotTried Obstacle = "NotTried"
)

// The reasons for which preemption is not tried on any node.
const (
	// PolicyNever: the Pod's preemptionPolicy is Never.
	PolicyNever Obstacle = "PolicyNever"
	// VictimTerminating: Pods that were evicted for the Pod before are not gone yet.
	VictimTerminating Obstacle = "VictimTerminating"
	// Disabled: the profile has PostFilter plugins, but not DefaultPreemption.
	Disabled Obstacle = "Disabled"
	// OtherPlugin: there are candidates, but another PostFilter plugin ends the chain.
	OtherPlugin Obstacle = "OtherPlugin"
)

// nearness orders the obstacles of nodes: the first that a node has is that of the whole. An error comes first, since
// upstream then fails as a whole.
var nearness = []Obstacle{PreemptionFailed, ExtenderRejects, StillRejected, NoLowerPriority, Unresolvable}

// What upstream's SelectVictimsOnNode and evaluate (v1.37.2) say of such nodes.
const (
	noVictimsText  = "No preemption victims found for incoming pod"
	notHelpfulText = "Preemption is not helpful for scheduling"
)

// notTried stands for the status of a node that was not looked at.
var notTried = fwk.NewStatus(fwk.Unschedulable)

// NoCandidate is a node on which preemption makes no room.
type NoCandidate struct {
	NodeName string
	Obstacle Obstacle
	// Plugin is who rejects the node; empty when nobody was asked (NoLowerPriority), and when PreFilter left it out.
	Plugin string
	// Reasons are that plugin's.
	Reasons []string
	// Message is what upstream's preemption says of the node; empty when it fails.
	Message string
}

// others tells of every node that is no candidate why, sorted by name. statuses are those of the scheduling cycle;
// passed are preemption's own, of the nodes that it looked at.
func (p *preemptor) others(statuses *framework.NodeToStatus, passed map[string]*fwk.Status, candidates []candidate) (
	[]NoCandidate, error,
) {
	nodes, err := p.handle.SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		return nil, err
	}
	isCandidate := make(map[string]bool, len(candidates))
	for _, c := range candidates {
		isCandidate[c.name] = true
	}
	others := make([]NoCandidate, 0, len(nodes)-len(candidates))
	for _, node := range nodes {
		if name := node.Node().Name; !isCandidate[name] {
			others = append(others, noCandidate(name, statuses.Get(name), passed[name]))
		}
	}
	slices.SortFunc(others, compareNodes)
	return others, nil
}

// noCandidate judges one node by its status in the scheduling cycle and that of preemption, which is nil when
// preemption did not get that far.
func noCandidate(name string, status, passed *fwk.Status) NoCandidate {
	out := NoCandidate{NodeName: name, Plugin: status.Plugin(), Reasons: status.Reasons()}
	switch {
	case status.Code() != fwk.Unschedulable:
		out.Obstacle, out.Message = Unresolvable, notHelpfulText
	case passed == notTried:
		out.Obstacle = NotTried
	case passed == nil || passed.Code() == fwk.Error:
		out.Obstacle = PreemptionFailed
	case passed.Plugin() == "": // only a filter's status has a plugin
		out.Obstacle, out.Message = NoLowerPriority, noVictimsText
		out.Plugin, out.Reasons = "", nil
	default:
		out.Obstacle, out.Message = StillRejected, passed.Message()
		out.Plugin, out.Reasons = passed.Plugin(), passed.Reasons()
	}
	return out
}

// obstacleOf is the obstacle of the whole.
func obstacleOf(others []NoCandidate) Obstacle {
	best := len(nearness) - 1
	for _, other := range others {
		if near := slices.Index(nearness, other.Obstacle); near >= 0 {
			best = min(best, near)
		}
	}
	return nearness[best]
}
