package reason

import (
	"context"

	versionutil "k8s.io/apimachinery/pkg/util/version"
	"k8s.io/component-base/version"
	ndf "k8s.io/component-helpers/nodedeclaredfeatures"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// nodeDeclaredFeatures names the features that the Pod needs and the node does not declare, by upstream's own
// arithmetic (nodedeclaredfeatures.NodeDeclaredFeatures, v1.37.2, which only asks whether there are any).
func nodeDeclaredFeatures(_ context.Context, q Question) explain {
	target, err := versionutil.Parse(version.Get().String())
	if err != nil {
		return nil // the plugin does not start then
	}
	needed, err := ndf.DefaultFramework.InferForPodScheduling(&ndf.PodInfo{Spec: &q.Pod.Spec}, target)
	if err != nil {
		return nil // the plugin fails on the Pod then, and rejects nothing
	}
	return func(_ context.Context, r rejection) report.Details {
		match, err := ndf.DefaultFramework.MatchNodeFeatureSet(needed, r.node.GetNodeDeclaredFeatures())
		if err != nil {
			return nil // the plugin fails on the node then
		}
		details := report.Details{}
		for _, feature := range match.UnsatisfiedRequirements {
			details = append(details, report.MissingFeature{
				Feature:        feature,
				KubeletVersion: r.node.Node().Status.NodeInfo.KubeletVersion,
			})
		}
		return details
	}
}
