package upstream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"github.com/kubectl-sched/kubectl-sched/pkg/whatif"
)

// Trial tries changed Pods on an edited cluster. It looks at as much as decides whether a node takes a Pod: every node
// up to its first rejection, and no scores. It costs what one scheduling cycle does.
type Trial struct {
	scheduler *Scheduler
	profile   string
	framework framework.Framework
	view      *view
}

// Trial returns what tries Pods with a profile.
func (s *Scheduler) Trial(ctx context.Context, profile string) (*Trial, error) {
	if !s.Serves(profile) {
		return nil, ErrNoProfile
	}
	view, ok := s.views[profile]
	if !ok {
		view = newView(s.snapshot)
	}
	fw, err := s.derive(ctx, "trial", derivation{profile: profile, lister: view})
	if err != nil {
		return nil, err
	}
	s.views[profile] = view
	return &Trial{scheduler: s, profile: profile, framework: fw, view: view}, nil
}

// Fits returns the nodes that take the subject after the Edit, sorted. The error tells that a plugin or an extender
// failed, so that nothing is known.
func (t *Trial) Fits(ctx context.Context, subject Subject, edit whatif.Edit) (nodes []string, err error) {
	err = t.with(ctx, subject, edit, func(ctx context.Context) error {
		judged, err := t.filter(ctx, newCycle(t.framework, subject.Pod))
		for _, node := range judged {
			if node.Feasible() {
				nodes = append(nodes, node.Info.Node().Name)
			}
		}
		return err
	})
	slices.Sort(nodes)
	return nodes, err
}

// with runs do while subject and Edit are in place.
func (t *Trial) with(ctx context.Context, subject Subject, edit whatif.Edit, do func(context.Context) error) error {
	ctx = Quiet(ctx)
	defer t.view.reset()
	if err := t.view.set(klog.FromContext(ctx), edit); err != nil {
		return err
	}
	subject.VolumeClaims = slices.Concat(subject.VolumeClaims, edit.VolumeClaims)
	subject.StorageClasses, subject.CSINodes = edit.StorageClasses, edit.CSINodes
	return t.scheduler.With(subject, func() error { return do(ctx) })
}

// filter judges every node that the gates and PreFilter leave; none when the Pod is rejected as a whole.
func (t *Trial) filter(ctx context.Context, c cycle) ([]*NodeJudgment, error) {
	if len(gates(ctx, c.framework, c.pod)) > 0 {
		return nil, nil
	}
	left, status, _ := c.framework.RunPreFilterPlugins(ctx, c.state, c.pod)
	if !status.IsSuccess() {
		return nil, failure(status)
	}
	infos, err := t.view.List()
	if err != nil {
		return nil, err
	}
	var nodes []*NodeJudgment
	for _, info := range infos {
		if left.AllNodes() || left.NodeNames.Has(info.Node().Name) {
			nodes = append(nodes, &NodeJudgment{Info: info, Evaluated: true})
		}
	}
	slices.SortFunc(nodes, func(a, b *NodeJudgment) int { return strings.Compare(a.Info.Node().Name, b.Info.Node().Name) })
	c.framework.Parallelizer().Until(ctx, len(nodes), func(i int) {
		node := nodes[i]
		if status := c.framework.RunFilterPluginsWithNominatedPods(ctx, c.state, c.pod, node.Info); !status.IsSuccess() {
			node.reject(status)
		}
	}, metrics.Filter)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, node := range nodes {
		if !node.Feasible() && node.Rejections[0].IsError() {
			return nil, fmt.Errorf("node %s: %w", node.Info.Node().Name, failure(node.Rejections[0]))
		}
	}
	if err := t.scheduler.extend(c.pod, nodes); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPluginFailed, err)
	}
	return nodes, nil
}

// ErrPluginFailed tells that a plugin failed on what was tried, so that nothing is known of it.
var ErrPluginFailed = errors.New("a plugin failed")

// failure is the error of a status that is no verdict; nil for a rejection.
func failure(status *fwk.Status) error {
	if status.IsRejected() {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrPluginFailed, status.AsError())
}
