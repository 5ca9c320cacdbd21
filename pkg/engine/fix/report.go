package fix

import (
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// Report writes the Plan for the user. Where it can be done by one command, that is told: to a workload's template, or
// to a Pod of the cluster as far as Pods can be changed.
func (p Plan) Report(s Situation) (report.Fix, error) {
	texts := make([]string, 0, len(p.changes))
	out := report.Fix{Nodes: []string{}, Steps: []report.Step{}}
	for _, c := range p.changes {
		texts = append(texts, c.text)
		step, err := c.step(s)
		if err != nil {
			return out, fmt.Errorf("writing down the change to %s: %w", c.text, err)
		}
		out.Steps = append(out.Steps, step)
	}
	out.Change, out.Kind = strings.Join(texts, ", and "), out.Steps[0].Kind
	return out, nil
}

func (c change) step(s Situation) (step report.Step, err error) {
	step = report.Step{Kind: c.kind, Namespace: c.namespace, Name: c.name, Command: c.command}
	switch {
	case c.pod != nil:
		step.Kind, step.Namespace, step.Name = "Pod", s.Pod.Namespace, s.Pod.Name
		after := s.Pod.DeepCopy()
		c.pod(after)
		if step.Patch, err = patch(s.Pod, after); err == nil {
			step.Command, err = s.command(s.Pod, after)
		}
	case c.node != nil:
		before := nodeNamed(s.State, c.name)
		after := before.DeepCopy()
		c.node(after)
		step.Patch, err = patch(before, after)
	case c.newNode != nil:
		step.Create, err = text(c.newNode)
	case len(c.claims) == 1:
		step.Create, err = text(c.claims[0])
	case len(c.claims) > 1:
		step.Create, err = text(c.claims)
	case c.class != nil:
		step.Create, err = text(c.class)
	case c.gone != nil:
		step.Delete = true
	}
	return step, err
}

func text(object any) (string, error) {
	data, err := json.Marshal(object)
	return string(data), err
}

// patch is what makes one object of the other.
func patch[T any](before, after *T) (string, error) {
	old, err := json.Marshal(before)
	if err != nil {
		return "", err
	}
	changed, err := json.Marshal(after)
	if err != nil {
		return "", err
	}
	data, err := strategicpatch.CreateTwoWayMergePatch(old, changed, new(T))
	return string(data), err
}

// command changes the workload that makes the Pod, or the Pod itself. It is empty where kubectl cannot do it: for a
// manifest, and for what cannot be changed in a Pod.
func (s Situation) command(before, after *corev1.Pod) (string, error) {
	if workload, ok := s.workload(); ok && workload.path != "" {
		template := func(pod *corev1.Pod) *corev1.Pod { return &corev1.Pod{Spec: withoutDefaultTolerations(pod).Spec} }
		data, err := patch(template(before), template(after))
		return fmt.Sprintf("kubectl patch %s%s -p %s", workload.name, namespaceFlag(before.Namespace),
			quote(fmt.Sprintf(workload.path, data))), err
	}
	if !s.stored() || !mutable(before, after) {
		return "", nil
	}
	data, err := patch(before, after)
	return fmt.Sprintf("kubectl patch pod/%s%s -p %s", before.Name, namespaceFlag(before.Namespace), quote(data)), err
}

func namespaceFlag(namespace string) string {
	if namespace == "" {
		return ""
	}
	return " -n " + namespace
}

// mutable tells whether the API server lets a pending Pod be changed so: tolerations may come, gates may go
// (validation.ValidatePodUpdate, v1.37.2).
func mutable(before, after *corev1.Pod) bool {
	same := after.DeepCopy()
	same.Spec.Tolerations, same.Spec.SchedulingGates = before.Spec.Tolerations, before.Spec.SchedulingGates
	left, err := patch(before, same)
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
