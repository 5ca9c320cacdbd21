package run

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
)

const pluginName = "KubectlSchedBinder"

// plugin binds in place of DefaultBinder, by the Session's Binder. Permit and PostBind tell the pass how far a Pod is:
// Permit is called once for every Pod whose binding cycle starts, PostBind for every one that is bound.
type plugin struct {
	session *Session
	profile string
}

var (
	_ fwk.PermitPlugin   = &plugin{}
	_ fwk.BindPlugin     = &plugin{}
	_ fwk.PostBindPlugin = &plugin{}
)

func (s *Session) newPlugin(_ context.Context, _ runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	return &plugin{session: s, profile: handle.ProfileName()}, nil
}

func (p *plugin) Name() string { return pluginName }

func (p *plugin) Permit(_ context.Context, _ fwk.CycleState, pod *corev1.Pod, node string) (
	*fwk.Status, time.Duration,
) {
	p.session.pass.binding(pod, node)
	return nil, 0
}

func (p *plugin) Bind(ctx context.Context, _ fwk.CycleState, pod *corev1.Pod, node string) *fwk.Status {
	if p.session.static {
		if err := assumeClaims(p.session.sched.Profiles[p.profile], pod); err != nil {
			return fwk.AsStatus(err)
		}
	}
	binder := p.session.options.Binder
	if binder == nil {
		return nil
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ending := p.session.pass.ending
	defer context.AfterFunc(ending, func() { stop(context.Cause(ending)) })()
	target := bind.Target{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, NodeName: node}
	tries, err := binder.Bind(ctx, target, func(ctx context.Context) error {
		return p.session.check(ctx, p.profile, pod, node)
	})
	p.session.pass.tried(pod, tries)
	if err != nil {
		return fwk.AsStatus(&binderError{err})
	}
	return nil
}

// binderError is the Binder's error on its way through upstream's framework.
type binderError struct{ Err error }

func (e *binderError) Error() string { return e.Err.Error() }
func (e *binderError) Unwrap() error { return e.Err }

func (p *plugin) PostBind(_ context.Context, _ fwk.CycleState, pod *corev1.Pod, node string) {
	p.session.pass.bound(pod, node)
}
