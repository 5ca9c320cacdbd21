package cmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
)

// targetFlags say which Pods and workloads of the cluster are asked about, beside the arguments.
type targetFlags struct {
	selector      string
	fieldSelector string
	allNamespaces bool
	pending       bool
}

func (f *targetFlags) addFlags(flags *pflag.FlagSet) {
	flags.StringVarP(&f.selector, "selector", "l", "",
		"take the Pods whose labels match: key=value, key!=value, key in (a,b)")
	flags.StringVar(&f.fieldSelector, "field-selector", "", "take the Pods whose fields match: status.phase=Pending")
	flags.BoolVarP(&f.allNamespaces, "all-namespaces", "A", false, "take the Pods of all namespaces")
	flags.BoolVar(&f.pending, "pending", false, "take the Pods that wait for a node")
}

func (f *targetFlags) given() bool { return f.selector != "" || f.fieldSelector != "" || f.pending }

// targets are what of the cluster is asked about: either named objects, or the Pods that pass the selectors.
type targets struct {
	named     []target
	selecting bool
	labels    labels.Selector
	fields    fields.Selector
	pending   bool
	namespace string // empty: all
	// grouping puts Pods together that have the same answer, for a reader; a script wants each by its name.
	grouping bool
}

// target names one object.
type target struct {
	kind *cluster.Kind
	name string
}

func (f *targetFlags) toTargets(args []string, namespace string) (*targets, error) {
	named, err := parseTargets(args)
	if err != nil {
		return nil, err
	}
	t := &targets{named: named, selecting: f.given(), pending: f.pending, namespace: namespace}
	if f.allNamespaces {
		if len(named) > 0 {
			return nil, errors.New("a name cannot be looked for in all namespaces: use --namespace with it, or " +
				"--all-namespaces without names")
		}
		t.namespace, t.selecting = "", true
	}
	if t.selecting && len(named) > 0 {
		return nil, errors.New("names cannot be combined with --selector, --field-selector or --pending")
	}
	if t.labels, err = labels.Parse(f.selector); err != nil {
		return nil, fmt.Errorf("--selector %q: %w", f.selector, err)
	}
	if t.fields, err = parseFields(f.fieldSelector); err != nil {
		return nil, err
	}
	return t, nil
}

// parseTargets reads NAME..., TYPE/NAME... and TYPE NAME...; without a TYPE a name is a Pod's.
func parseTargets(args []string) ([]target, error) {
	kind, names := cluster.KindOf(&corev1.Pod{}), args
	if len(args) > 0 && !strings.Contains(args[0], "/") {
		asked, err := askedKind(args[0])
		switch {
		case err == nil && len(args) > 1 && !strings.Contains(args[1], "/"):
			kind, names = asked, args[1:]
		case err == nil && len(args) == 1:
			return nil, fmt.Errorf("%q is a type: name one, as in %s/NAME", args[0], args[0])
		}
	}
	var parsed []target
	for _, name := range names {
		one, err := parseTarget(name, kind)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, one)
	}
	return parsed, nil
}

// parseTarget reads NAME, which is of the kind, or TYPE/NAME.
func parseTarget(arg string, kind *cluster.Kind) (target, error) {
	typeName, name, slashed := strings.Cut(arg, "/")
	if !slashed {
		name = arg
	} else {
		asked, err := askedKind(typeName)
		if err != nil && looksLikeFile(arg) {
			return target{}, fmt.Errorf("%q looks like a file: use -f to ask about what it holds", arg)
		}
		if err != nil {
			return target{}, err
		}
		kind = asked
	}
	if name == "" || strings.Contains(name, "/") {
		return target{}, fmt.Errorf("%q is not of the form TYPE/NAME or NAME", arg)
	}
	return target{kind, name}, nil
}

func looksLikeFile(arg string) bool {
	return strings.HasPrefix(arg, "/") || strings.HasPrefix(arg, ".") ||
		slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(arg))
}

// podFields are the fields that the API server can select Pods by.
func podFields(pod *corev1.Pod) fields.Set {
	return fields.Set{
		"metadata.name":            pod.Name,
		"metadata.namespace":       pod.Namespace,
		"spec.nodeName":            pod.Spec.NodeName,
		"spec.restartPolicy":       string(pod.Spec.RestartPolicy),
		"spec.schedulerName":       pod.Spec.SchedulerName,
		"spec.serviceAccountName":  pod.Spec.ServiceAccountName,
		"status.phase":             string(pod.Status.Phase),
		"status.nominatedNodeName": pod.Status.NominatedNodeName,
	}
}

func parseFields(text string) (fields.Selector, error) {
	selector, err := fields.ParseSelector(text)
	if err != nil {
		return nil, fmt.Errorf("--field-selector %q: %w", text, err)
	}
	known := podFields(&corev1.Pod{})
	for _, requirement := range selector.Requirements() {
		if !known.Has(requirement.Field) {
			return nil, fmt.Errorf("--field-selector %q: Pods cannot be selected by %s", text, requirement.Field)
		}
	}
	return selector, nil
}

// questions finds the targets in the State and turns them into questions. One that is not there is a question that
// fails.
func (t *targets) questions(ctx context.Context, state *cluster.State, source *source, admit *admitter) []question {
	var asked []question
	for _, target := range t.named {
		object, err := t.find(ctx, state, source, target)
		if err != nil {
			asked = append(asked, failing(err))
			continue
		}
		asked = append(asked, aboutStored(state, object, admit)...)
	}
	if t.selecting {
		asked = append(asked, t.selected(state)...)
	}
	return asked
}

// selected asks about the Pods that pass the selectors, together where one answer holds for several.
func (t *targets) selected(state *cluster.State) []question {
	var groups [][]*corev1.Pod
	var pods []*corev1.Pod
	for _, pod := range state.Pods {
		if t.selects(pod) {
			pods = append(pods, pod)
			groups = append(groups, []*corev1.Pod{pod})
		}
	}
	if t.grouping {
		groups = engine.Group(pods)
	}
	var asked []question
	for _, group := range groups {
		asked = append(asked, aboutPods(group))
	}
	return asked
}

func (t *targets) selects(pod *corev1.Pod) bool {
	return (t.namespace == "" || pod.Namespace == t.namespace) &&
		(!t.pending || engine.IsPending(pod)) &&
		t.labels.Matches(labels.Set(pod.Labels)) &&
		t.fields.Matches(podFields(pod))
}

// find looks in the State, then, of a live cluster, asks for what a State leaves out: finished Pods and Deployments.
func (t *targets) find(ctx context.Context, state *cluster.State, source *source, target target) (
	cluster.Object, error,
) {
	for object := range target.kind.Objects(state) {
		if object.GetName() == target.name && object.GetNamespace() == t.namespace {
			if source.config != nil && target.kind.Kind != "Pod" {
				break // the State leaves out the template
			}
			return object, nil
		}
	}
	if source.config == nil {
		return nil, t.notFound(state, source, target)
	}
	if target.kind.Kind == "CronJob" {
		if err := t.readJobs(ctx, state, source); err != nil {
			return nil, err
		}
	}
	return cluster.Get(ctx, source.config, target.kind, t.namespace, target.name)
}

// readJobs adds the namespace's Jobs to the State: by way of them a CronJob owns its Pods.
func (t *targets) readJobs(ctx context.Context, state *cluster.State, source *source) error {
	kind := cluster.KindOf(&batchv1.Job{})
	jobs, err := cluster.List(ctx, source.config, kind, cluster.ListSelector{Namespace: t.namespace})
	for _, job := range jobs {
		state.Jobs = append(state.Jobs, job.(*batchv1.Job))
	}
	return err
}

// notFound says what is not there, and where there is one of that name.
func (t *targets) notFound(state *cluster.State, source *source, target target) error {
	hint, some := "", false
	for object := range target.kind.Objects(state) {
		some = true
		if object.GetName() == target.name {
			hint = fmt.Sprintf("; there is one in namespace %q: use -n %s", object.GetNamespace(), object.GetNamespace())
			break
		}
	}
	if !some {
		hint = fmt.Sprintf("; the input holds no %s at all", target.kind.Kind)
	}
	return fmt.Errorf("%s %q not found%s%s", target.kind.Resource, target.name, t.where(source), hint)
}

// where says where was looked.
func (t *targets) where(source *source) string {
	var places []string
	if t.namespace != "" {
		places = append(places, fmt.Sprintf("namespace %q", t.namespace))
	}
	if len(source.files) == 1 {
		places = append(places, source.files[0].Name)
	}
	if len(places) == 0 {
		return ""
	}
	return " in " + strings.Join(places, " of ")
}
