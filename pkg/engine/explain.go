package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

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
	out.NominatedNodeName = pod.Status.NominatedNodeName
	profile := e.profileOf(pod)
	if out.Verdict, out.Message = e.standing(ctx, pod, profile); out.Verdict == report.Bound {
		out.NodeName = pod.Spec.NodeName
	}
	if !e.scheduler.Serves(profile) || out.Verdict != "" && out.Verdict != report.Bound {
		return out, nil
	}
	out.Profile = profile
	err := e.judged(ctx, profile, subject, func(judgment *upstream.Judgment, explainer *reason.Explainer) error {
		fill(ctx, out, judgment, explainer, e.scheduler.Weights(profile))
		out.Story = e.story(profile, judgment, explainer, out.Nodes)
		return e.fixes(ctx, subject, out)
	})
	if err != nil {
		return nil, err
	}
	out.Warnings = append(out.Warnings, e.warner.gaps(pod, relevant)...)
	if upstream.ReadsPodGroups() && pod.Spec.SchedulingGroup != nil {
		out.Warnings = append(out.Warnings, "the Pod belongs to a Pod group: it is judged alone, kube-scheduler decides "+
			"for the whole group")
	}
	return out, nil
}

// undecided is the error for a Pod on which a plugin or an extender fails: kube-scheduler puts it back and tries again.
func undecided(pod *corev1.Pod, judgment *upstream.Judgment) error {
	return fmt.Errorf("pod %s/%s: kube-scheduler fails on it and tries again later: %s", pod.Namespace, pod.Name,
		judgment.Message)
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
	case upstream.Finished(pod):
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
	gaps := e.warner.gaps(manifest.Pod, relevantToAdmission)
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

// judged judges a Pod and runs tell with the result, while what was judged is still in place. A Pod that has a node is
// judged as if it had none.
func (e *Engine) judged(ctx context.Context, profile string, subject upstream.Subject,
	tell func(*upstream.Judgment, *reason.Explainer) error,
) error {
	judge := func(pod *corev1.Pod) error {
		judgment, err := e.scheduler.Judge(ctx, profile, pod)
		if err != nil {
			return err
		}
		if judgment.Internal {
			return undecided(pod, judgment)
		}
		return tell(judgment, reason.For(reason.Question{
			Pod: pod, Handle: e.scheduler.Handle(profile), Args: e.scheduler.Args(profile),
			OutOfTree: e.scheduler.OutOfTree(profile),
		}))
	}
	pod := subject.Pod
	if pod.Spec.NodeName == "" {
		return e.scheduler.With(subject, func() error { return judge(pod) })
	}
	subject.Pod = unbound(pod)
	return e.scheduler.Without(ctx, []*corev1.Pod{pod}, func() error {
		return e.scheduler.With(subject, func() error { return judge(subject.Pod) })
	})
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

// fill writes a judgment into the report.
func fill(ctx context.Context, out *report.Explanation, judgment *upstream.Judgment, explainer *reason.Explainer,
	weights map[string]int64,
) {
	out.PreFilter = preFilters(ctx, judgment, explainer)
	out.Nodes = nodes(ctx, judgment, explainer, weights)
	out.Requests, out.LargerThanAnyNode = explainer.Requests()
	out.Next = next(ctx, judgment.Next, explainer)
	if out.Verdict == report.Bound {
		return
	}
	out.Message = judgment.Message
	switch {
	case len(judgment.Gates) > 0:
		out.Verdict = report.Gated
	case judgment.Host == "":
		out.Verdict = report.Unschedulable
		out.Preemption = preemption(judgment.Preemption)
	default:
		out.Verdict = report.Schedulable
		out.NodeName, out.Ties = choose(judgment.Host, out.NominatedNodeName, out.Nodes)
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
