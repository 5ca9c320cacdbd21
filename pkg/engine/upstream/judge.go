package upstream

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// ErrNoProfile is returned by Judge when no profile serves the Pod.
var ErrNoProfile = errors.New("no scheduler profile serves the Pod")

// Judgment is kube-scheduler's answer for one Pod and the facts behind it, over all nodes.
type Judgment struct {
	// Gates are the PreEnqueue plugins that keep the Pod out of the queue. When there are some, nothing else is judged.
	Gates []*fwk.Status
	// Host is the node that upstream chose; empty when no node is feasible.
	Host string
	// Message is the text of the FailedScheduling event, not cut; empty when a node is feasible.
	Message string
	// Internal tells that upstream failed (a plugin's or extender's error) rather than rejected the Pod.
	Internal bool
	// PreFilter is the status with which PreFilter rejected the Pod as a whole; nil when it did not. It names its
	// plugin, unless several left no node in common: those are Narrowed.
	PreFilter *fwk.Status
	// Narrowed are the PreFilter plugins that left only some nodes, sorted, and Absent is the status of the other
	// nodes.
	Narrowed []string
	Absent   *fwk.Status
	// Nodes are all nodes, sorted by name.
	Nodes []NodeJudgment
	// Scores are those of the feasible nodes, in the order of Nodes; nil when fewer than two are feasible, since
	// kube-scheduler then scores none.
	Scores []fwk.NodePluginScores
	// NotInvolved are the Filter plugins for which PreFilter found nothing to do, so that they are not asked.
	NotInvolved sets.Set[string]
	// Next is the judgment without the plugins that reject the Pod before any node is looked at; nil when nodes are.
	Next *Judgment
	// SetAside are, in Next, the plugins that are left out, sorted.
	SetAside []string
	// Preemption is what PostFilter would do; nil when a node is feasible or no PostFilter plugin is enabled.
	Preemption *Preemption
}

// NodeJudgment is the answer for one node.
type NodeJudgment struct {
	Info fwk.NodeInfo
	// Seen is Info with the nominated Pods that the filters took into account; nil for a node that is not evaluated.
	Seen fwk.NodeInfo
	// Evaluated is false for a node that PreFilter left out.
	Evaluated bool
	// Rejections are the statuses of all filters that reject the node, in the profile's order, then those of
	// extenders. A status with code Error is a filter's failure: kube-scheduler never asks it when it is not the
	// first.
	Rejections []*fwk.Status
}

// Feasible tells whether every filter passes the node.
func (n *NodeJudgment) Feasible() bool { return n.Evaluated && len(n.Rejections) == 0 }

// Judge answers for a Pod without a node, which must be introduced (see With).
func (s *Scheduler) Judge(ctx context.Context, profile string, pod *corev1.Pod) (*Judgment, error) {
	fw, ok := s.framework(profile)
	if !ok {
		return nil, ErrNoProfile
	}
	ctx = Quiet(ctx)
	judgment, err := s.judge(ctx, fw, pod)
	if err == nil && !judgment.Internal && !judgment.anyEvaluated() {
		judgment.Next, err = s.next(ctx, profile, pod, judgment)
	}
	return judgment, err
}

func (s *Scheduler) judge(ctx context.Context, fw framework.Framework, pod *corev1.Pod) (*Judgment, error) {
	if gates := gates(ctx, fw, pod); len(gates) > 0 {
		return &Judgment{Gates: gates, Message: gates[0].Message(), Nodes: s.notEvaluated()}, nil
	}
	theirs := newCycle(fw, pod)
	result, err := s.sched.SchedulePod(ctx, fw, theirs.state, &framework.QueuedPodInfo{PodInfo: newPodInfo(pod)})
	judgment := &Judgment{Host: result.SuggestedHost}
	if ownErr := s.explain(ctx, newCycle(fw, pod), judgment); ownErr != nil && !isInternal(err) {
		return nil, fmt.Errorf("judging pod %s/%s: %w", pod.Namespace, pod.Name, ownErr)
	}
	if err != nil {
		return judgment, s.reject(ctx, theirs, err, judgment)
	}
	return judgment, nil
}

// cycle is one scheduling cycle of one Pod.
type cycle struct {
	framework framework.Framework
	state     *framework.CycleState
	pod       *corev1.Pod
}

func newCycle(fw framework.Framework, pod *corev1.Pod) cycle {
	state := framework.NewCycleState()
	state.Write(framework.PodsToActivateKey, framework.NewPodsToActivate())
	return cycle{framework: fw, state: state, pod: pod}
}

// reject fills in what kube-scheduler says of a Pod for which SchedulePod failed (scheduler.schedulingAlgorithm).
func (s *Scheduler) reject(ctx context.Context, c cycle, err error, judgment *Judgment) error {
	var fitError *framework.FitError
	if !errors.As(err, &fitError) {
		judgment.Message = err.Error()
		if judgment.Internal = isInternal(err); judgment.Internal {
			judgment.Message = firstFailure(judgment.Nodes, err).Error()
		}
		return ctx.Err()
	}
	preemption, err := s.preempt(ctx, c, fitError)
	if err != nil {
		return fmt.Errorf("judging preemption for pod %s/%s: %w", c.pod.Namespace, c.pod.Name, err)
	}
	if preemption != nil {
		fitError.Diagnosis.PostFilterMsg = preemption.Message
	}
	judgment.Preemption = preemption
	judgment.Message = fitError.Error()
	return nil
}

// Gated tells whether a PreEnqueue plugin keeps the Pod out of the queue.
func (s *Scheduler) Gated(ctx context.Context, profile string, pod *corev1.Pod) bool {
	fw, ok := s.framework(profile)
	return ok && len(gates(Quiet(ctx), fw, pod)) > 0
}

// firstFailure is what kube-scheduler fails on, on the first node by name: SchedulePod names the node that it happens
// to meet first. It is err when it fails on no node in particular.
func firstFailure(nodes []NodeJudgment, err error) error {
	for i := range nodes {
		if rejections := nodes[i].Rejections; len(rejections) > 0 && rejections[0].IsError() {
			return rejections[0].AsError()
		}
	}
	return err
}

// isInternal tells whether SchedulePod failed, rather than found no node.
func isInternal(err error) bool {
	var fitError *framework.FitError
	return err != nil && !errors.As(err, &fitError) && !errors.Is(err, scheduler.ErrNoNodesAvailable)
}

// gates runs the PreEnqueue plugins, which decide whether a Pod enters the scheduling queue at all.
func gates(ctx context.Context, fw framework.Framework, pod *corev1.Pod) []*fwk.Status {
	var rejections []*fwk.Status
	for _, plugin := range fw.PreEnqueuePlugins() {
		if status := plugin.PreEnqueue(ctx, pod); !status.IsSuccess() {
			rejections = append(rejections, status.WithPlugin(plugin.Name()))
		}
	}
	return rejections
}

// explain runs the cycle once more through the framework's public calls to see every node, every filter and all scores.
func (s *Scheduler) explain(ctx context.Context, c cycle, judgment *Judgment) error {
	judgment.Nodes = s.notEvaluated()
	if err := s.filter(ctx, c, judgment); err != nil {
		return err
	}
	var feasible []fwk.NodeInfo
	for i := range judgment.Nodes {
		if node := &judgment.Nodes[i]; node.Feasible() {
			feasible = append(feasible, node.Info)
		}
	}
	var err error
	judgment.Scores, err = s.score(ctx, c, feasible)
	return err
}

// filter runs PreFilter and every filter on every node that it leaves, and asks the extenders.
func (s *Scheduler) filter(ctx context.Context, c cycle, judgment *Judgment) error {
	left, status, narrowed := c.framework.RunPreFilterPlugins(ctx, c.state, c.pod)
	judgment.NotInvolved = c.state.GetSkipFilterPlugins()
	if !status.IsSuccess() {
		judgment.PreFilter = status
		if status.Plugin() == "" { // no plugin alone rejects: those that narrow leave no node in common
			judgment.Narrowed = sets.List(narrowed)
		}
		return nil
	}
	if !left.AllNodes() {
		judgment.Narrowed = sets.List(narrowed)
		judgment.Absent = fwk.NewStatus(fwk.UnschedulableAndUnresolvable,
			fmt.Sprintf("node(s) didn't satisfy plugin(s) %v", judgment.Narrowed))
	}
	var evaluated []*NodeJudgment
	for i := range judgment.Nodes {
		node := &judgment.Nodes[i]
		// Upstream's evaluateNominatedNode looks at the nominated node first, whatever PreFilter left.
		name := node.Info.Node().Name
		if left.AllNodes() || left.NodeNames.Has(name) || name == c.pod.Status.NominatedNodeName {
			node.Evaluated = true
			evaluated = append(evaluated, node)
		}
	}
	if err := newFilters(c).run(ctx, evaluated); err != nil {
		return err
	}
	return s.extend(c.pod, evaluated)
}

// notEvaluated returns all nodes, sorted by name.
func (s *Scheduler) notEvaluated() []NodeJudgment {
	nodes := make([]NodeJudgment, 0, len(s.names))
	for _, name := range s.names {
		if info, err := s.snapshot.Get(name); err == nil {
			nodes = append(nodes, NodeJudgment{Info: info})
		}
	}
	return nodes
}

// extend asks the extenders that filter for the nodes that all plugins pass, one after the other as upstream's
// findNodesThatPassExtenders does.
func (s *Scheduler) extend(pod *corev1.Pod, nodes []*NodeJudgment) error {
	for _, extender := range s.sched.Extenders {
		feasible := feasibleOf(nodes)
		if len(feasible) == 0 || !extender.IsInterested(pod) || !extender.IsFilter() {
			continue
		}
		passed, failed, unresolvable, err := extender.Filter(pod, infosOf(feasible))
		if err != nil {
			if extender.IsIgnorable() {
				continue
			}
			return err
		}
		passes := sets.New[string]()
		for _, info := range passed {
			passes.Insert(info.Node().Name)
		}
		for _, node := range feasible {
			name := node.Info.Node().Name
			if reason, ok := unresolvable[name]; ok {
				node.reject(fwk.NewStatus(fwk.UnschedulableAndUnresolvable, reason).WithPlugin(extender.Name()))
			} else if reason, ok := failed[name]; ok {
				node.reject(fwk.NewStatus(fwk.Unschedulable, reason).WithPlugin(extender.Name()))
			} else if !passes.Has(name) { // left out without a word, which upstream takes for a no that nothing changes
				node.reject(fwk.NewStatus(fwk.UnschedulableAndUnresolvable).WithPlugin(extender.Name()))
			}
		}
	}
	return nil
}

func (n *NodeJudgment) reject(status *fwk.Status) { n.Rejections = append(n.Rejections, status) }

func feasibleOf(nodes []*NodeJudgment) []*NodeJudgment {
	var feasible []*NodeJudgment
	for _, node := range nodes {
		if node.Feasible() {
			feasible = append(feasible, node)
		}
	}
	return feasible
}

func infosOf(nodes []*NodeJudgment) []fwk.NodeInfo {
	infos := make([]fwk.NodeInfo, 0, len(nodes))
	for _, node := range nodes {
		infos = append(infos, node.Info)
	}
	return infos
}

// Serves tells whether there is a profile of this name.
func (s *Scheduler) Serves(profile string) bool {
	return s.sched.Profiles.HandlesSchedulerName(profile)
}

// Profiles returns the names of the profiles, sorted.
func (s *Scheduler) Profiles() []string {
	return slices.Sorted(maps.Keys(s.profiles))
}
