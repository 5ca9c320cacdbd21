package upstream

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/initializer"
	"k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1conversion "k8s.io/kubernetes/pkg/apis/core/v1"
	schedulingdefaults "k8s.io/kubernetes/pkg/apis/scheduling/v1"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds"
	"k8s.io/kubernetes/plugin/pkg/admission/limitranger"
	"k8s.io/kubernetes/plugin/pkg/admission/priority"
	"k8s.io/kubernetes/plugin/pkg/admission/runtimeclass"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// Admission turns a manifest into the Pod that the API server would store, by the API server's own code: defaulting,
// the Pod's create strategy (which merges matchLabelKeys), validation, and those admission plugins, on by default, that
// change what a scheduler reads.
type Admission struct {
	plugins []admission.Interface
}

// NewAdmission returns the admission of the State's cluster.
func NewAdmission(state *cluster.State) (*Admission, error) {
	client, err := NewClient()
	if err != nil {
		return nil, fmt.Errorf("setting up admission: %w", err)
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	if err := serveAdmission(factory, state); err != nil {
		return nil, fmt.Errorf("setting up admission: %w", err)
	}
	plugins, err := admissionPlugins(client, factory, knowsNamespaces(state))
	if err != nil {
		return nil, fmt.Errorf("setting up admission: %w", err)
	}
	return &Admission{plugins: plugins}, nil
}

func serveAdmission(factory informers.SharedInformerFactory, state *cluster.State) error {
	_, classes := serve(factory, withSystemClasses(state.PriorityClasses))
	_, runtimes := serve(factory, state.RuntimeClasses)
	_, limits := serve(factory, state.LimitRanges)
	_, namespaces := serve(factory, state.Namespaces)
	return errors.Join(classes, runtimes, limits, namespaces)
}

// knowsNamespaces tells whether the State's Namespaces are all that there are. When they could not be read, a Pod's is
// taken to exist.
func knowsNamespaces(state *cluster.State) bool {
	return !slices.ContainsFunc(state.Gaps, func(gap cluster.Gap) bool { return gap.Kind.Kind == "Namespace" })
}

// withSystemClasses adds the PriorityClasses that every API server creates at its start.
func withSystemClasses(classes []*schedulingv1.PriorityClass) []*schedulingv1.PriorityClass {
	known := map[string]bool{}
	for _, class := range classes {
		known[class.Name] = true
	}
	all := append([]*schedulingv1.PriorityClass{}, classes...)
	for _, class := range schedulingdefaults.SystemPriorityClasses() {
		if !known[class.Name] {
			all = append(all, class)
		}
	}
	return all
}

// admissionPlugins returns the plugins in the order in which kube-apiserver calls them
// (k8s.io/kubernetes/pkg/kubeapiserver/options.AllOrderedPlugins).
func admissionPlugins(client kubernetes.Interface, factory informers.SharedInformerFactory, namespaces bool) (
	[]admission.Interface, error,
) {
	var plugins []admission.Interface
	if namespaces {
		exists, err := lifecycle.NewLifecycle(nil)
		if err != nil {
			return nil, err
		}
		plugins = append(plugins, exists)
	}
	limits, err := limitranger.NewLimitRanger(nil)
	if err != nil {
		return nil, err
	}
	plugins = append(plugins,
		limits,
		priority.NewPlugin(),
		defaulttolerationseconds.NewDefaultTolerationSeconds(),
		runtimeclass.NewRuntimeClass(),
	)
	initialize := initializer.New(client, nil, factory, nil, utilfeature.DefaultFeatureGate, nil, nil, nil)
	for _, plugin := range plugins {
		initialize.Initialize(plugin)
		if err := admission.ValidateInitialization(plugin); err != nil {
			return nil, err
		}
	}
	return plugins, nil
}

// Admit returns the Pod as it would be stored. The error says, in the API server's words, why it would be refused. The
// steps stand in the API server's order: mutating plugins, strategy, validation, validating plugins
// (k8s.io/apiserver/pkg/endpoints/handlers.CreateResource, v0.37.2).
func (a *Admission) Admit(ctx context.Context, manifest *corev1.Pod) (*corev1.Pod, error) {
	stored := manifest.DeepCopy()
	apiScheme().Default(stored)
	internal := &core.Pod{}
	if err := corev1conversion.Convert_v1_Pod_To_core_Pod(stored, internal, nil); err != nil {
		return nil, err
	}
	if err := a.mutate(ctx, internal); err != nil {
		return nil, err
	}
	pod.Strategy.PrepareForCreate(ctx, internal)
	if errs := pod.Strategy.Validate(ctx, internal); len(errs) > 0 {
		return nil, apierrors.NewInvalid(core.Kind("Pod"), internal.Name, errs)
	}
	if err := a.validate(ctx, internal); err != nil {
		return nil, err
	}
	if internal.UID == "" {
		internal.UID = syntheticUID("pod", internal.Namespace, internal.Name)
	}
	out := &corev1.Pod{}
	if err := corev1conversion.Convert_core_Pod_To_v1_Pod(internal, out, nil); err != nil {
		return nil, err
	}
	return out, nil
}

// Valid tells whether the API server's validation would take a Pod as it stands.
func Valid(ctx context.Context, object *corev1.Pod) bool {
	internal := &core.Pod{}
	if err := corev1conversion.Convert_v1_Pod_To_core_Pod(object.DeepCopy(), internal, nil); err != nil {
		return false
	}
	internal.ResourceVersion = "" // which a Pod that is created has not
	return len(pod.Strategy.Validate(ctx, internal)) == 0
}

// mutate calls the mutating half of every plugin.
func (a *Admission) mutate(ctx context.Context, internal *core.Pod) error {
	for _, plugin := range a.plugins {
		mutator, ok := plugin.(admission.MutationInterface)
		if !ok || !plugin.Handles(admission.Create) {
			continue
		}
		if err := mutator.Admit(ctx, creationOf(internal), interfaces()); err != nil {
			return err
		}
	}
	return nil
}

// validate calls the validating half of every plugin.
func (a *Admission) validate(ctx context.Context, internal *core.Pod) error {
	for _, plugin := range a.plugins {
		validator, ok := plugin.(admission.ValidationInterface)
		if !ok || !plugin.Handles(admission.Create) {
			continue
		}
		if err := validator.Validate(ctx, creationOf(internal), interfaces()); err != nil {
			return err
		}
	}
	return nil
}

func interfaces() admission.ObjectInterfaces {
	return admission.NewObjectInterfacesFromScheme(apiScheme())
}

// creationOf describes the request to create the Pod.
func creationOf(internal *core.Pod) admission.Attributes {
	return admission.NewAttributesRecord(internal, nil, core.Kind("Pod").WithVersion("v1"), internal.Namespace,
		internal.Name, core.Resource("pods").WithVersion("v1"), "", admission.Create, &metav1.CreateOptions{}, false, nil)
}
