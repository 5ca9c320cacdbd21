package fix

import (
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// Report writes the Plan for the user. Where it can be done by one command, that is told: to a workload's template, or
// to a Pod of the cluster as far as Pods can be changed.
func (p Plan) Report(s Situation) (report.Fix, error) {
	texts := make([]string, 0, len(p.changes))
	out := report.Fix{Nodes: []string{}, Steps: []report.Step{}}
	for _, c := range p.changes {
		texts = append(texts, c.text)
		steps, err := c.steps(s)
		if err != nil {
			return out, fmt.Errorf("writing down the change to %s: %w", c.text, err)
		}
		out.Steps = append(out.Steps, steps...)
	}
	out.Change, out.Kind = strings.Join(texts, ", and "), out.Steps[0].Kind
	return out, nil
}

func (c change) steps(s Situation) ([]report.Step, error) {
	step := report.Step{Kind: c.kind, Namespace: c.namespace, Name: c.name, Command: c.command}
	var err error
	switch {
	case c.pod != nil:
		step, err = c.podStep(s)
	case c.node != nil:
		before := nodeNamed(s.State, c.name)
		after := before.DeepCopy()
		c.node(after)
		step.Patch, step.PatchType, err = patch(before, after)
	case c.newNode != nil:
		return c.nodeSteps(step)
	case len(c.claims) == 1:
		step.Create, err = text(c.claims[0])
	case len(c.claims) > 1:
		step.Create, err = text(c.claims)
	case c.class != nil:
		step.Create, err = text(c.class)
	case c.gone != nil:
		step.Delete = true
	}
	return []report.Step{step}, err
}

// podStep changes the Pod.
func (c change) podStep(s Situation) (step report.Step, err error) {
	before := s.Pod
	after := before.DeepCopy()
	c.pod(after)
	step = report.Step{Kind: "Pod", Namespace: before.Namespace, Name: before.Name}
	if !s.stored() { // what admission adds to a manifest is not for the manifest
		before, after = withoutDefaultTolerations(before), withoutDefaultTolerations(after)
	}
	if step.Patch, step.PatchType, err = patch(before, after); err != nil {
		return step, err
	}
	_, made := s.workload()
	step.Recreate = !made && s.stored() && !mutable(s.Pod, after)
	step.Command, err = s.podCommand(c, before, after)
	return step, err
}

// nodeSteps add a node, and what is known of its drivers.
func (c change) nodeSteps(step report.Step) (steps []report.Step, err error) {
	if step.Create, err = text(c.newNode); err != nil || c.csiNode == nil {
		return []report.Step{step}, err
	}
	drivers := report.Step{Kind: "CSINode", Name: c.csiNode.Name}
	drivers.Create, err = text(c.csiNode)
	return []report.Step{step, drivers}, err
}

func text(object any) (string, error) {
	data, err := json.Marshal(object)
	return string(data), err
}

// mutable tells whether the API server lets a pending Pod be changed so: tolerations may come, gates may go
// (validation.ValidatePodUpdate, v1.37.2).
func mutable(before, after *corev1.Pod) bool {
	same := after.DeepCopy()
	same.Spec.Tolerations, same.Spec.SchedulingGates = before.Spec.Tolerations, before.Spec.SchedulingGates
	left, _, err := patch(before, same)
	return err == nil && left == "{}"
}

// withoutDefaultTolerations leaves out what admission added to the Pod and its template does not have.
func withoutDefaultTolerations(pod *corev1.Pod) *corev1.Pod {
	out := *pod
	out.Spec.Tolerations = nil
	for _, toleration := range pod.Spec.Tolerations {
		isDefault := (toleration.Key == corev1.TaintNodeNotReady || toleration.Key == corev1.TaintNodeUnreachable) &&
			toleration.TolerationSeconds != nil && *toleration.TolerationSeconds == 300
		if !isDefault {
			out.Spec.Tolerations = append(out.Spec.Tolerations, toleration)
		}
	}
	return &out
}
