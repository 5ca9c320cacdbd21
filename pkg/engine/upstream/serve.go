package upstream

import (
	"cmp"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
)

// OwnSchedulerName is the schedulerName of Pods that leave the cluster's own scheduler out of it.
const OwnSchedulerName = "kubectl-sched"

// Serve returns the configuration with the profiles that a scheduler of one's own runs, which gets along with the
// cluster's. A lone profile called default-scheduler, as every configuration has that names none, goes by name, or by
// OwnSchedulerName when that is empty. Other profiles keep their names; one that is asked for is the only one.
func (c *Config) Serve(name string) (*Config, error) {
	served := &Config{
		KubeSchedulerConfiguration: c.KubeSchedulerConfiguration.DeepCopy(),
		Warnings:                   c.Warnings,
	}
	profiles := served.KubeSchedulerConfiguration.Profiles
	if len(profiles) == 1 && profiles[0].SchedulerName == corev1.DefaultSchedulerName {
		profiles[0].SchedulerName = cmp.Or(name, OwnSchedulerName)
		return served, nil
	}
	if name == "" {
		return served, nil
	}
	var all []string
	for _, profile := range profiles {
		if profile.SchedulerName == name {
			served.KubeSchedulerConfiguration.Profiles = []schedulerapi.KubeSchedulerProfile{profile}
			return served, nil
		}
		all = append(all, profile.SchedulerName)
	}
	return nil, fmt.Errorf("no profile is named %q: the profiles are %s", name, strings.Join(all, ", "))
}
