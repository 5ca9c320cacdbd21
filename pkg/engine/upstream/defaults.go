package upstream

import (
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/features"

	// The API groups of a State, with the API server's defaults and validation.
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// SetDefaults fills in what the API server fills in when it decodes an object. A State that was read from files may
// lack it; one from a server has it. It changes the State's objects in place, so it is for a State nobody shares yet.
func SetDefaults(state *cluster.State) {
	for _, kind := range cluster.Kinds {
		for object := range kind.Objects(state) {
			legacyscheme.Scheme.Default(object)
		}
	}
}

// ReadsPodGroups tells whether the feature gates make the scheduler read PodGroups and Workloads.
func ReadsPodGroups() bool {
	return utilfeature.DefaultFeatureGate.Enabled(features.GenericWorkload)
}

// ReadsCompositePodGroups tells whether the scheduler takes groups of Pod groups into account.
func ReadsCompositePodGroups() bool {
	return utilfeature.DefaultFeatureGate.Enabled(features.CompositePodGroup)
}
