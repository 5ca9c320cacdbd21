package upstream

import (
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/apps"
	appsv1 "k8s.io/kubernetes/pkg/apis/apps/v1"
	"k8s.io/kubernetes/pkg/apis/batch"
	batchv1 "k8s.io/kubernetes/pkg/apis/batch/v1"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1conversion "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/apis/node"
	nodev1 "k8s.io/kubernetes/pkg/apis/node/v1"
	"k8s.io/kubernetes/pkg/apis/policy"
	policyv1 "k8s.io/kubernetes/pkg/apis/policy/v1"
	"k8s.io/kubernetes/pkg/apis/resource"
	resourcev1 "k8s.io/kubernetes/pkg/apis/resource/v1"
	"k8s.io/kubernetes/pkg/apis/scheduling"
	schedulingv1 "k8s.io/kubernetes/pkg/apis/scheduling/v1"
	schedulingv1alpha3 "k8s.io/kubernetes/pkg/apis/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/kubernetes/pkg/apis/scheduling/v1beta1"
	"k8s.io/kubernetes/pkg/apis/storage"
	storagev1 "k8s.io/kubernetes/pkg/apis/storage/v1"
	"k8s.io/kubernetes/pkg/features"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// apiScheme returns upstream's scheme with the API server's defaults and validation of what a State holds. The groups'
// own install packages would link the versions that nobody reads, too: some MB.
var apiScheme = sync.OnceValue(func() *runtime.Scheme {
	for _, add := range []func(*runtime.Scheme) error{
		core.AddToScheme, corev1conversion.AddToScheme,
		apps.AddToScheme, appsv1.AddToScheme,
		batch.AddToScheme, batchv1.AddToScheme,
		node.AddToScheme, nodev1.AddToScheme,
		policy.AddToScheme, policyv1.AddToScheme,
		resource.AddToScheme, resourcev1.AddToScheme,
		scheduling.AddToScheme, schedulingv1.AddToScheme, schedulingv1beta1.AddToScheme, schedulingv1alpha3.AddToScheme,
		storage.AddToScheme, storagev1.AddToScheme,
	} {
		utilruntime.Must(add(legacyscheme.Scheme))
	}
	return legacyscheme.Scheme
})

// SetDefaults fills in what the API server fills in when it decodes an object. A State that was read from files may
// lack it; one from a server has it. It changes the State's objects in place, so it is for a State nobody shares yet.
func SetDefaults(state *cluster.State) {
	for _, kind := range cluster.Kinds {
		for object := range kind.Objects(state) {
			apiScheme().Default(object)
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
