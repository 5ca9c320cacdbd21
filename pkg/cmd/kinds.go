package cmd

import (
	"fmt"
	"strings"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// shortNames are kubectl's short names of the kinds that can be asked about.
var shortNames = map[string]string{
	"po":     "Pod",
	"deploy": "Deployment",
	"rs":     "ReplicaSet",
	"sts":    "StatefulSet",
	"ds":     "DaemonSet",
	"cj":     "CronJob",
	"rc":     "ReplicationController",
}

// askable tells whether a kind can be asked about: Pods and what has a template of them.
func askable(kind *cluster.Kind) bool {
	path, _ := cluster.PodTemplate(kind.New())
	return kind.Kind == "Pod" || path != ""
}

// askedKind finds the kind that a TYPE argument names: pod, pods, po, deployment.apps, deployments.v1.apps.
func askedKind(argument string) (*cluster.Kind, error) {
	name, group, grouped := strings.Cut(strings.ToLower(argument), ".")
	for _, kind := range cluster.Kinds {
		if !askable(kind) || grouped && !inGroup(kind, group) {
			continue
		}
		if name == kind.Resource || strings.EqualFold(name, kind.Kind) || shortNames[name] == kind.Kind {
			return kind, nil
		}
	}
	return nil, fmt.Errorf("%q is not a type that can be asked about: use one of %s", argument, askableNames())
}

func askableNames() string {
	var names []string
	for _, kind := range cluster.Kinds {
		if askable(kind) {
			names = append(names, strings.ToLower(kind.Kind))
		}
	}
	return strings.Join(names, ", ")
}

// inGroup tells whether group, as it stands behind a TYPE, is the kind's: "apps" or "v1.apps".
func inGroup(kind *cluster.Kind, group string) bool {
	return group == kind.Group || group == kind.Version+"."+kind.Group || group == kind.Version
}

// lowerKind names the object's kind as kubectl prints it: pod, deployment.apps.
func lowerKind(object cluster.Object) string {
	kind := cluster.KindOf(object)
	if kind.Group == "" {
		return strings.ToLower(kind.Kind)
	}
	return strings.ToLower(kind.Kind) + "." + kind.Group
}
