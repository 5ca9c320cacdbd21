package run

import (
	"context"
	"errors"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// stoppedMessage is why a Pod is not bound when the Loop ends.
const stoppedMessage = "the scheduler was stopped before it was bound"

// nextEntity is upstream's NextEntity until the Loop is to stop.
func (l *Loop) nextEntity(pop func(klog.Logger) (framework.QueuedEntityInfo, error)) func(klog.Logger) (
	framework.QueuedEntityInfo, error,
) {
	return func(logger klog.Logger) (framework.QueuedEntityInfo, error) {
		for {
			if last := l.flights.rest(); last {
				l.rejectWaiting()
			}
			entity, err := pop(logger)
			if !l.flights.take(l.clock.Now()) {
				<-l.sched.StopEverything
				return nil, nil
			}
			if err != nil || entity == nil || l.backlog.takes(entity) {
				return entity, err
			}
			entity.ForEachPodInfo(func(info *framework.QueuedPodInfo) bool {
				l.sched.SchedulingQueue.Done(info.Pod.UID)
				return true
			})
		}
	}
}

// schedulePod is upstream's SchedulePod, looked on.
func (l *Loop) schedulePod(ctx context.Context, fw framework.Framework, state fwk.CycleState,
	info *framework.QueuedPodInfo,
) (scheduler.ScheduleResult, error) {
	started := l.clock.Now()
	scores := &scoreKeeper{Framework: fw}
	result, err := l.decide(ctx, scores, state, info)
	l.flights.decided(info, flight{
		scheduling: l.clock.Since(started), result: result, score: scores.total(result.SuggestedHost),
	})
	return result, err
}

// scoreKeeper is a framework that keeps the scores of its nodes.
type scoreKeeper struct {
	framework.Framework
	scores []fwk.NodePluginScores
}

func (k *scoreKeeper) RunScorePlugins(ctx context.Context, state fwk.CycleState, pod *corev1.Pod,
	nodes []fwk.NodeInfo,
) ([]fwk.NodePluginScores, *fwk.Status) {
	scores, status := k.Framework.RunScorePlugins(ctx, state, pod, nodes)
	k.scores = scores
	return scores, status
}

// total returns the total of a node, to which upstream has added what extenders say; nil when it was not scored.
func (k *scoreKeeper) total(node string) *int64 {
	for i := range k.scores {
		if k.scores[i].Name == node {
			total := k.scores[i].TotalScore
			return &total
		}
	}
	return nil
}

// bound tells of a Pod that is bound.
func (l *Loop) bound(profile string, pod *corev1.Pod, node string) {
	one := l.flights.get(pod)
	decision := l.decision(profile, pod, one)
	decision.Result, decision.NodeName = report.ResultBound, node
	l.tell(decision, pod)
	l.flights.land(pod, one)
}

// failed is upstream's FailureHandler, looked on. Upstream's own puts the Pod back into the queue, writes the event and
// the Pod's condition. It is left out where that would say something wrong about the Pod: somebody else has bound or
// deleted it, or this scheduler is to stop.
func (l *Loop) failed(ctx context.Context, fw framework.Framework, info *framework.QueuedPodInfo, status *fwk.Status,
	nominating *fwk.NominatingInfo, started time.Time,
) {
	one := l.flights.get(info.Pod)
	defer l.flights.land(info.Pod, one)
	if one.taken.IsZero() { // of a group that failed before its Pods were looked at
		one.taken, one.queued, one.attempts = started, info.Timestamp, info.Attempts
	}
	decision := l.decision(fw.ProfileName(), info.Pod, one)
	decision.NodeName = one.result.SuggestedHost
	l.judge(decision, info.Pod, status)
	if nominating != nil {
		decision.NominatedNodeName = nominating.NominatedNodeName
	}
	if decision.NominatedNodeName != "" {
		l.noteEvictor(info.Pod)
	}
	l.tell(decision, info.Pod)
	switch decision.Result {
	case report.ResultBoundElsewhere, report.ResultGone:
		l.sched.SchedulingQueue.Done(info.Pod.UID)
		l.sched.SchedulingQueue.DeleteNominatedPodIfExists(info.Pod)
	case report.ResultSkipped:
		l.clearNomination(ctx, info.Pod)
	default:
		l.giveUp(ctx, fw, info, status, nominating, started)
	}
}

// judge says in a decision what a failure means.
func (l *Loop) judge(decision *report.Decision, pod *corev1.Pod, status *fwk.Status) {
	err := status.AsError()
	if moved := l.moved(pod, decision.NodeName); moved != nil && !status.IsRejected() {
		err = moved // which a plugin that failed for it does not say as plainly
	}
	var fit *framework.FitError
	if errors.As(err, &fit) && fit.NumAllNodes > decision.EvaluatedNodes {
		decision.EvaluatedNodes = fit.NumAllNodes
	}
	decision.Message = strings.TrimRight(status.Message(), ", ") // as that of a group ends
	var elsewhere *bind.BoundElsewhereError
	var gone *bind.GoneError
	var own *binderError
	switch {
	case errors.As(err, &elsewhere):
		decision.Result, decision.NodeName = report.ResultBoundElsewhere, elsewhere.NodeName
		decision.Message = elsewhere.Error()
	case errors.As(err, &gone):
		decision.Result, decision.Message = report.ResultGone, gone.Error()
	case l.flights.stopped() && !errors.As(err, new(*framework.FitError)) && !isAnswer(err),
		l.flights.stopped() && decision.NodeName != "" && status.IsRejected():
		decision.Result, decision.Message = report.ResultSkipped, stoppedMessage
	case status.IsRejected():
		decision.Result, decision.NodeName = report.ResultUnschedulable, ""
	case errors.As(err, &own):
		decision.Result, decision.Message = report.ResultFailed, own.Error()
	default:
		decision.Result = report.ResultFailed
	}
}

// decision begins the decision about a Pod.
func (l *Loop) decision(profile string, pod *corev1.Pod, one flight) *report.Decision {
	now := l.clock.Now()
	decision := report.NewDecision(pod.Namespace, pod.Name)
	decision.Time = metav1.NewMicroTime(now)
	decision.Profile = profile
	decision.EvaluatedNodes, decision.FeasibleNodes = one.result.EvaluatedNodes, one.result.FeasibleNodes
	decision.Attempts, decision.Score, decision.Tries = one.attempts, one.score, one.tries
	decision.QueuedMilliseconds = milliseconds(one.taken.Sub(one.queued))
	decision.SchedulingMilliseconds = milliseconds(one.scheduling)
	decision.LatencyMilliseconds = milliseconds(now.Sub(one.taken))
	if l.options.DryRun {
		decision.DryRun = report.DryRunClient
	}
	return decision
}

// milliseconds rounds to microseconds.
func milliseconds(duration time.Duration) float64 { return float64(duration.Microseconds()) / 1000 }

// tell hands out a decision.
func (l *Loop) tell(decision *report.Decision, pod *corev1.Pod) {
	l.backlog.decided(decision, pod)
	if l.options.Decided != nil {
		l.options.Decided(decision, pod)
	}
}
