package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine/reason"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// Explain answers where a Pod of the cluster fits and why not. The Pod is as the API server stores it; one that has a
// node is judged as if it had none yet. The error tells that the question could not be decided.
func (e *Engine) Explain(ctx context.Context, pod *corev1.Pod) (*report.Explanation, error) {
	return e.explain(ctx, upstream.Subject{Pod: pod})
}

func (e *Engine) explain(ctx context.Context, subject upstream.Subject) (*report.Explanation, error) {
	pod := subject.Pod
	out := report.NewExplanation(report.Metadata{Namespace: pod.Namespace, Name: pod.Name, Kind: "pod"})
	out.Warnings = append(out.Warnings, e.warnings...)
	profile := e.profileOf(pod)
	if out.Verdict, out.Message = e.standing(ctx, pod, profile); out.Verdict == report.Bound {
		out.NodeName = pod.Spec.NodeName
	}
	if !e.scheduler.Serves(profile) || out.Verdict != "" && out.Verdict != report.Bound {
		return out, nil
	}
	out.Profile = profile
	judgement, err := e.judge(ctx, profile, subject)
	if err != nil {
		return nil, err
	}
	if judgement.Internal {
		return nil, undecided(pod, judgement)
	}
	fill(out, judgement, pod, e.scheduler.Weights(profile))
	out.Warnings = append(out.Warnings, gapWarnings(e.state.Gaps, pod, relevant)...)
	if upstream.ReadsPodGroups() && pod.Spec.SchedulingGroup != nil {
		out.Warnings = append(out.Warnings, "the Pod belongs to a Pod group: it is judged alone, kube-scheduler decides "+
			"for the whole group")
	}
	return out, nil
}

// undecided is the error for a Pod on which a plugin or an extender fails: kube-scheduler puts it back and tries again.
func undecided(pod *corev1.Pod, judgement *upstream.Judgement) error {
	return fmt.Errorf("pod %s/%s: kube-scheduler fails on it and tries again later: %s", pod.Namespace, pod.Name,
		judgement.Message)
}

// standing is the verdict on a Pod that kube-scheduler takes out of its queue without trying to schedule it, or never
// sees; empty for all others.
func (e *Engine) standing(ctx context.Context, pod *corev1.Pod, profile string) (report.Verdict, string) {
	switch {
	case pod.Spec.NodeName != "":
		return report.Bound, ""
	case !e.scheduler.Serves(profile):
		return report.NoProfile, e.noProfile(profile)
	case pod.DeletionTimestamp != nil && !e.scheduler.Gated(ctx, profile, pod):
		// The words of upstream's Scheduler.skipPodSchedule (v1.37.2).
		return report.Unschedulable, fmt.Sprintf("skip schedule deleting pod: %s/%s", pod.Namespace, pod.Name)
	case pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed:
		return report.Unschedulable, fmt.Sprintf("the Pod has finished (phase %s): kube-scheduler does not look at it",
			pod.Status.Phase)
	}
	return "", ""
}

// profileOf names the profile that judges a Pod.
func (e *Engine) profileOf(pod *corev1.Pod) string {
	return cmp.Or(e.profile, pod.Spec.SchedulerName, corev1.DefaultSchedulerName)
}

func (e *Engine) noProfile(name string) string {
	return fmt.Sprintf("no profile serves schedulerName %q: kube-scheduler leaves the Pod to another scheduler (profiles "+
		"here: %s)", name, strings.Join(e.scheduler.Profiles(), ", "))
}

// ExplainManifest answers for a Pod that is not in the cluster: it passes the API server's admission first.
func (e *Engine) ExplainManifest(ctx context.Context, manifest Manifest) (*report.Explanation, error) {
	gaps := gapWarnings(e.state.Gaps, manifest.Pod, relevantToAdmission)
	stored, err := e.admission.Admit(ctx, manifest.Pod)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var out *report.Explanation
	if err != nil {
		out = e.Refuse(manifest.Pod, err)
	} else if out, err = e.ExplainAdmitted(ctx, manifest, stored); err != nil {
		return nil, err
	}
	out.Admission = report.AdmittedLocally
	out.Warnings = append(out.Warnings, gaps...)
	return out, nil
}

// ExplainAdmitted answers for a Pod that is not in the cluster; stored is what the API server would make of it.
func (e *Engine) ExplainAdmitted(ctx context.Context, manifest Manifest, stored *corev1.Pod) (
	*report.Explanation, error,
) {
	out, err := e.explain(ctx, upstream.WithClaims(e.state, stored, manifest.VolumeClaims))
	if err == nil && out.Verdict == report.Bound {
		out.Warnings = append(out.Warnings, fmt.Sprintf("the manifest names its node, %s: no scheduler is asked",
			out.NodeName))
	}
	return out, err
}

// Refuse answers for a Pod that the API server refuses to store; why is its answer.
func (e *Engine) Refuse(manifest *corev1.Pod, why error) *report.Explanation {
	out := report.NewExplanation(report.Metadata{Namespace: manifest.Namespace, Name: manifest.Name, Kind: "pod"})
	out.Warnings = append(out.Warnings, e.warnings...)
	refuse(out, why)
	return out
}

func refuse(out *report.Explanation, why error) {
	out.Verdict, out.Message = report.Invalid, why.Error()
}

func (e *Engine) judge(ctx context.Context, profile string, subject upstream.Subject) (*upstream.Judgement, error) {
	pod := subject.Pod
	if pod.Spec.NodeName == "" {
		return e.scheduler.Judge(ctx, profile, subject)
	}
	subject.Pod = unbound(pod)
	var judgement *upstream.Judgement
	err := e.scheduler.Without(ctx, []*corev1.Pod{pod}, func() (err error) {
		judgement, err = e.scheduler.Judge(ctx, profile, subject)
		return err
	})
	return judgement, err
}

// unbound returns the Pod as it was before it was bound. What the claim controller wrote stays: DynamicResources reads
// it.
func unbound(pod *corev1.Pod) *corev1.Pod {
	out := pod.DeepCopy()
	out.Spec.NodeName = ""
	out.DeletionTimestamp = nil
	out.Status = corev1.PodStatus{
		Phase:                       corev1.PodPending,
		QOSClass:                    pod.Status.QOSClass,
		ResourceClaimStatuses:       pod.Status.ResourceClaimStatuses,
		ExtendedResourceClaimStatus: pod.Status.ExtendedResourceClaimStatus,
	}
	return out
}

// fill writes a judgement into the report.
func fill(out *report.Explanation, judgement *upstream.Judgement, pod *corev1.Pod, weights map[string]int64) {
	out.PreFilter = preFilters(judgement)
	out.Nodes = nodes(judgement, reason.For(pod), weights)
	if out.Verdict == report.Bound {
		return
	}
	out.Message = judgement.Message
	switch {
	case len(judgement.Gates) > 0:
		out.Verdict = report.Gated
	case judgement.Host == "":
		out.Verdict = report.Unschedulable
		out.Preemption = preemption(judgement.Preemption)
	default:
		out.Verdict = report.Schedulable
		out.NodeName, out.Ties = choose(judgement.Host, pod.Status.NominatedNodeName, out.Nodes)
	}
}

// choose names the node: the first by name of those that share the best total, where kube-scheduler picks at random.
// The nominated node is not a matter of scores: kube-scheduler takes it when it fits.
func choose(host, nominated string, nodes []report.Node) (name string, ties []string) {
	best := []string{}
	for _, node := range nodes {
		if node.Verdict == report.Feasible && node.Total == nodes[0].Total {
			best = append(best, node.Name)
		}
	}
	if host == nominated || len(best) < 2 || !slices.Contains(best, host) {
		return host, []string{}
	}
	return best[0], best
}

func preFilters(judgement *upstream.Judgement) []report.Rejection {
	out := []report.Rejection{}
	for _, status := range judgement.Gates {
		out = append(out, rejection(status, status.Plugin()))
	}
	status := judgement.PreFilter
	if status == nil {
		status = judgement.Absent
	}
	for _, plugin := range judgement.Narrowed {
		out = append(out, rejection(status, plugin))
	}
	if status != nil && len(judgement.Narrowed) == 0 {
		out = append(out, rejection(status, status.Plugin()))
	}
	return out
}

func rejection(status *fwk.Status, plugin string) report.Rejection {
	return report.Rejection{
		Plugin:  plugin,
		Code:    status.Code().String(),
		Reasons: status.Reasons(),
		Details: []report.Detail{},
	}
}

// nodes lists all nodes, in the order of sortNodes.
func nodes(judgement *upstream.Judgement, explainer *reason.Explainer, weights map[string]int64) []report.Node {
	scores := make(map[string]*fwk.NodePluginScores, len(judgement.Scores))
	for i := range judgement.Scores {
		scores[judgement.Scores[i].Name] = &judgement.Scores[i]
	}
	out := make([]report.Node, 0, len(judgement.Nodes))
	for i := range judgement.Nodes {
		out = append(out, node(&judgement.Nodes[i], explainer))
		last := &out[len(out)-1]
		if score := scores[last.Name]; score != nil {
			last.Scores, last.Total = pluginScores(score, weights), score.TotalScore
		}
	}
	sortNodes(out)
	return out
}

// sortNodes puts the feasible nodes first, by falling total; otherwise it keeps the order, which is by name.
func sortNodes(nodes []report.Node) {
	slices.SortStableFunc(nodes, func(a, b report.Node) int {
		switch aFits, bFits := a.Verdict == report.Feasible, b.Verdict == report.Feasible; {
		case aFits && bFits:
			return cmp.Compare(b.Total, a.Total)
		case aFits:
			return -1
		case bFits:
			return 1
		}
		return 0
	})
}

// emptyNode is a node that nothing is known of.
func emptyNode(name string) report.Node {
	return report.Node{
		Name:    name,
		Verdict: report.NotEvaluated,
		Filters: []report.Rejection{},
		Scores:  []report.Score{},
	}
}

func node(judged *upstream.NodeJudgement, explainer *reason.Explainer) report.Node {
	out := emptyNode(judged.Info.Node().Name)
	if judged.Evaluated {
		out.Verdict = report.Rejected
	}
	if judged.Feasible() {
		out.Verdict = report.Feasible
	}
	for _, status := range judged.Rejections {
		filter := rejection(status, status.Plugin())
		filter.Reasons = explainer.InOrder(filter.Plugin, filter.Reasons)
		filter.Details = explainer.Details(filter.Plugin, filter.Reasons, judged.Seen)
		out.Filters = append(out.Filters, filter)
	}
	return out
}

// pluginScores pairs what each plugin returned with what became of it. An extender has no weight in the profile: its
// weighted score is upstream's.
func pluginScores(scores *fwk.NodePluginScores, weights map[string]int64) []report.Score {
	out := make([]report.Score, 0, len(scores.Scores))
	for i, weighted := range scores.Scores {
		score := report.Score{Plugin: weighted.Name, Weighted: weighted.Score, Normalized: weighted.Score, Weight: 1}
		if weight := weights[weighted.Name]; weight > 0 {
			score.Weight, score.Normalized = weight, weighted.Score/weight
		}
		if i < len(scores.RawScores) && scores.RawScores[i].Name == weighted.Name {
			score.Raw = scores.RawScores[i].Score
		}
		out = append(out, score)
	}
	return out
}

func preemption(judged *upstream.Preemption) *report.Preemption {
	if judged == nil {
		return nil
	}
	out := &report.Preemption{
		Possible: judged.NodeName != "",
		NodeName: judged.NodeName,
		Victims:  []report.Victim{},
		Message:  judged.Message,
	}
	for _, victim := range judged.Victims {
		var priority int32
		if victim.Spec.Priority != nil {
			priority = *victim.Spec.Priority
		}
		out.Victims = append(out.Victims, report.Victim{
			Namespace:   victim.Namespace,
			Name:        victim.Name,
			Priority:    priority,
			ViolatesPDB: judged.Violating.Has(victim.UID),
		})
	}
	return out
}
