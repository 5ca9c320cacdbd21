package reason

import (
	"context"

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
func taintToleration(_ context.Context, q Question) explain {
	keepsAway := helper.DoNotScheduleTaintsFilterFunc()
	comparison := utilfeature.DefaultFeatureGate.Enabled(features.TaintTolerationComparisonOperators)
	return func(_ context.Context, r rejection) report.Details {
		details := report.Details{}
		for _, taint := range r.node.Node().Spec.Taints {
			if keepsAway(&taint) &&
				!corev1helpers.TolerationsTolerateTaint(logr.Discard(), q.Pod.Spec.Tolerations, &taint, comparison) {
				details = append(details, report.UntoleratedTaint{
					Key:        taint.Key,
					Value:      taint.Value,
					Effect:     string(taint.Effect),
					Toleration: tolerationOf(taint),
				})
			}
		}
		return details
	}
}

// tolerationOf returns the narrowest toleration that matches a taint.
func tolerationOf(taint corev1.Taint) report.Toleration {
	operator := corev1.TolerationOpExists
	if taint.Value != "" {
		operator = corev1.TolerationOpEqual
	}
	return report.Toleration{
		Key:      taint.Key,
		Operator: string(operator),
		Value:    taint.Value,
		Effect:   string(taint.Effect),
	}
}
