package cmd

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// admitter lets the API server admit manifests by a dry run, so that its webhooks and policies count too.
type admitter struct {
	config *rest.Config // nil when there is no server
	// allowed is what the server said of each namespace: nil, or why manifests there are admitted locally.
	allowed map[string]error
}

func newAdmitter(config *rest.Config) *admitter {
	return &admitter{config: config, allowed: map[string]error{}}
}

// aboutManifest asks for a Pod or workload that is not in the cluster.
func (a *admitter) aboutManifest(object cluster.Object) question {
	return func(ctx context.Context, e *engine.Engine) (*report.Explanation, error) {
		if set, ok := object.(*appsv1.DaemonSet); ok {
			answer, err := e.ExplainDaemonSet(ctx, set)
			if err == nil && a.config != nil {
				answer.Warnings = append(answer.Warnings, localWarning(object, errors.New("a DaemonSet makes a Pod per node")))
			}
			return answer, err
		}
		answer, err := a.explain(ctx, e, object)
		if err == nil {
			answer.Metadata.Name, answer.Metadata.Kind = object.GetName(), lowerKind(object)
		}
		return answer, err
	}
}

// explain has the server admit the Pod where it can, and else the code that is linked in.
func (a *admitter) explain(ctx context.Context, e *engine.Engine, object cluster.Object) (*report.Explanation, error) {
	manifest := engine.ManifestOf(e.State(), object)
	if a.config == nil {
		return e.ExplainManifest(ctx, manifest)
	}
	stored, err := a.dryRun(ctx, manifest.Pod)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err == nil:
		answer, err := e.ExplainAdmitted(ctx, manifest, stored)
		if err == nil {
			answer.Admission = report.AdmittedByServer
		}
		return answer, err
	case refused(err):
		answer := e.Refuse(manifest.Pod, err)
		answer.Admission = report.AdmittedByServer
		return answer, nil
	}
	answer, localErr := e.ExplainManifest(ctx, manifest)
	if localErr == nil {
		answer.Warnings = append(answer.Warnings, localWarning(object, err))
	}
	return answer, localErr
}

func localWarning(object cluster.Object, why error) string {
	return fmt.Sprintf("%s/%s was admitted by this program, not by the API server, whose webhooks may change it: %v",
		lowerKind(object), object.GetName(), why)
}

// dryRun posts the Pod. One that exists already is posted under another name: the question is for one more such Pod.
func (a *admitter) dryRun(ctx context.Context, pod *corev1.Pod) (*corev1.Pod, error) {
	if err := a.mayCreate(ctx, pod.Namespace); err != nil {
		return nil, err
	}
	stored, err := cluster.CreateDryRun(ctx, a.config, pod)
	if apierrors.IsAlreadyExists(err) {
		another := pod.DeepCopy()
		another.Name, another.GenerateName = "", pod.Name+"-"
		stored, err = cluster.CreateDryRun(ctx, a.config, another)
	}
	if err != nil {
		return nil, err
	}
	out := stored.(*corev1.Pod)
	out.Name = pod.Name
	return out, nil
}

// mayCreate asks once per namespace, so that a refusal for want of permission is not taken for one of the Pod.
func (a *admitter) mayCreate(ctx context.Context, namespace string) error {
	err, known := a.allowed[namespace]
	if known {
		return err
	}
	allowed, err := cluster.MayCreate(ctx, a.config, cluster.KindOf(&corev1.Pod{}), namespace)
	switch {
	case err != nil:
		// The type of the error must not pass for the server's answer about the Pod: see refused.
		err = errors.New(err.Error())
	case !allowed:
		err = fmt.Errorf("creating Pods in namespace %q is forbidden", namespace)
	}
	a.allowed[namespace] = err
	return err
}

// refused tells an answer about the Pod from a failure of the server. Asked of errors that came after mayCreate. A bad
// request is none: the server also calls so what a webhook without support for dry runs makes of them.
func refused(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsForbidden(err) || apierrors.IsNotFound(err)
}
