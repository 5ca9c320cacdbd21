package fix

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

const (
	// maxChanges is how many changes a Plan makes at once: more are no short answer.
	maxChanges = 2
	// maxNodes is on how many nodes that are rejected by the same plugins something is changed: one of many like it is as
	// good as another.
	maxNodes = 3
	// maxOfKind is how many Plans are made of changes to the same things, the smallest ones.
	maxOfKind = 4
)

// remedies is the table of the plugins whose rejections can be answered: each row gives the changes that answer one
// rejection, of a node or, when the node is nil, of the Pod as a whole.
var remedies = map[string]func(*planner, report.Rejection, *corev1.Node) []change{
	"SchedulingGates":    (*planner).gates,
	"NodeUnschedulable":  (*planner).cordon,
	"TaintToleration":    (*planner).taints,
	"NodeAffinity":       (*planner).nodeAffinity,
	"NodePorts":          (*planner).ports,
	"NodeResourcesFit":   (*planner).resources,
	"VolumeRestrictions": (*planner).volumeUse,
	"VolumeBinding":      (*planner).volumeBinding,
	"VolumeZone":         (*planner).volumeBinding,
	"NodeVolumeLimits":   (*planner).volumeBinding,
	"PodTopologySpread":  (*planner).spread,
	"InterPodAffinity":   (*planner).podAffinity,
}

// Plans returns what may make the Pod fit, in the order in which it is worth trying.
func Plans(s Situation) []Plan {
	p := &planner{Situation: s, plans: map[string]Plan{}}
	p.answerNodes()
	for _, c := range slices.Concat(p.moreNodes(), p.priorities()) {
		p.add(Plan{[]change{c}})
	}
	plans := make([]Plan, 0, len(p.plans))
	for _, plan := range p.plans {
		plans = append(plans, plan)
	}
	Sort(plans)
	return inTurn(plans)
}

type planner struct {
	Situation
	plans map[string]Plan // by key
}

// add notes a plan. One that moves two Pods is none: they might not find places at once.
func (p *planner) add(plan Plan) {
	if len(plan.Moved()) < 2 {
		p.plans[plan.Key()] = plan
	}
}

// answerNodes makes Plans that answer every rejection of one node, and of the Pod as a whole.
func (p *planner) answerNodes() {
	whole, nodes := p.obstacles()
	start := p.answer([][]change{{}}, whole, nil)
	groups := map[string]int{}
	for _, node := range nodes {
		kind := kindOf(node.Filters)
		groups[kind]++
		if groups[kind] > maxNodes {
			continue
		}
		for _, changes := range p.answer(start, node.Filters, nodeNamed(p.State, node.Name)) {
			if len(changes) > 0 {
				p.add(Plan{changes})
			}
		}
	}
}

// obstacles are what rejects the Pod before any node is looked at, and the nodes with what rejects them after that,
// those with the fewest rejections first.
func (p *planner) obstacles() (whole []report.Rejection, nodes []report.Node) {
	e := p.Explanation
	nodes = e.Nodes
	if e.Next != nil {
		whole, nodes = wholeRejections(e), e.Next.Nodes
	}
	nodes = slices.DeleteFunc(slices.Clone(nodes), func(node report.Node) bool {
		return node.Verdict == report.NotEvaluated || len(node.Filters) > maxChanges+1
	})
	shortages := make(map[string]float64, len(nodes))
	for _, node := range nodes {
		shortages[node.Name] = shortage(node)
	}
	slices.SortFunc(nodes, func(a, b report.Node) int {
		return cmp.Or(cmp.Compare(len(a.Filters), len(b.Filters)), cmp.Compare(shortages[a.Name], shortages[b.Name]),
			strings.Compare(a.Name, b.Name))
	})
	return whole, nodes
}

// wholeRejections are those by every plugin that had to be set aside. Those that did not get so far to tell their
// reasons have them in common with the ones that did: a claim that one of them does not find none does.
func wholeRejections(e *report.Explanation) []report.Rejection {
	whole := slices.Clone(e.PreFilter)
	var details report.Details
	for _, r := range e.PreFilter {
		details = append(details, r.Details...)
	}
	for _, plugin := range e.Next.SetAside {
		if !slices.ContainsFunc(e.PreFilter, func(r report.Rejection) bool { return r.Plugin == plugin }) {
			whole = append(whole, report.Rejection{Plugin: plugin, Details: details})
		}
	}
	return whole
}

// answer extends sets of changes by what answers the rejections, as long as the sets stay small. One change may answer
// several rejections.
func (p *planner) answer(sets [][]change, rejections []report.Rejection, node *corev1.Node) [][]change {
	for _, r := range rejections {
		var extended [][]change
		remedy := remedies[r.Plugin]
		if remedy == nil {
			return nil
		}
		for _, c := range remedy(p, r, node) {
			for _, set := range sets {
				switch {
				case slices.ContainsFunc(set, func(other change) bool { return other.key == c.key }):
					extended = append(extended, set)
				case len(set) < maxChanges:
					extended = append(extended, append(slices.Clone(set), c))
				}
			}
		}
		sets = extended
	}
	return sets
}

// kindOf is the same for nodes that are rejected for the same reasons, amounts aside.
func kindOf(rejections []report.Rejection) string {
	var kind strings.Builder
	for _, r := range rejections {
		kind.WriteString(r.Plugin)
		for _, detail := range r.Details {
			kind.WriteString(" " + topicOf(detail))
		}
		kind.WriteByte(';')
	}
	return kind.String()
}

// topicOf names what a detail is about.
func topicOf(detail report.Detail) string {
	switch d := detail.(type) {
	case report.InsufficientResource:
		return d.Resource
	case report.UntoleratedTaint:
		return taintName(d)
	case report.UnmatchedNodeSelector:
		return d.Source + d.Key + strings.Join(d.Values, ",")
	case report.TopologySpread:
		return d.TopologyKey
	case report.PodAffinity:
		return d.Rule + d.TopologyKey + strings.Join(d.Pods, ",")
	case report.PortInUse:
		return d.Protocol + strconv.Itoa(int(d.Port))
	}
	return report.TypeOf(detail)
}

// inTurn orders Plans, which come by effort, so that the first of each kind are tried before the second of any: five
// answers are worth more when they differ. Those that are far down are left out.
func inTurn(plans []Plan) []Plan {
	turns := make([][]Plan, maxOfKind)
	counts := map[string]int{}
	for _, plan := range plans {
		turn := counts[plan.Kind()]
		counts[plan.Kind()]++
		if turn < maxOfKind {
			turns[turn] = append(turns[turn], plan)
		}
	}
	out := slices.Concat(turns...)
	slices.SortStableFunc(out, func(a, b Plan) int { return cmp.Compare(a.Size(), b.Size()) })
	return out
}
