package reason

import (
	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// taintToleration names every taint that keeps the Pod away; the plugin stops at the first
// (tainttoleration.TaintToleration.Filter, v1.37.2).
func taintToleration(rejection Rejection) []report.Detail {
	keepsAway := helper.DoNotScheduleTaintsFilterFunc()
	comparison := utilfeature.DefaultFeatureGate.Enabled(features.TaintTolerationComparisonOperators)
	details := []report.Detail{}
	for _, taint := range rejection.Node.Node().Spec.Taints {
		if keepsAway(&taint) &&
			!corev1helpers.TolerationsTolerateTaint(logr.Discard(), rejection.Pod.Spec.Tolerations, &taint, comparison) {
			details = append(details, untolerated(taint))
		}
	}
	return details
}

// nodeUnschedulable names the taint that a Pod must tolerate to run on a cordoned node
// (nodeunschedulable.NodeUnschedulable.Filter, v1.37.2).
func nodeUnschedulable(Rejection) []report.Detail {
	return []report.Detail{untolerated(corev1.Taint{
		Key:    corev1.TaintNodeUnschedulable,
		Effect: corev1.TaintEffectNoSchedule,
	})}
}

func untolerated(taint corev1.Taint) report.Detail {
	return report.Detail{
		Type:   report.UntoleratedTaint,
		Key:    taint.Key,
		Value:  taint.Value,
		Effect: string(taint.Effect),
	}
}
