package fix

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// ports drops the host ports that are in use, or moves the one Pod that has them.
func (p *planner) ports(r report.Rejection, node *corev1.Node) []change {
	var used []report.PortInUse
	var holders []string
	for _, detail := range r.Details {
		if d, ok := detail.(report.PortInUse); ok {
			used = append(used, d)
			if holder := d.Namespace + "/" + d.Name; !slices.Contains(holders, holder) {
				holders = append(holders, holder)
			}
		}
	}
	if len(used) == 0 {
		return nil
	}
	var out []change
	if !p.Pod.Spec.HostNetwork { // there every port is one of the host
		out = append(out, dropPorts(used))
	}
	if node != nil && len(holders) == 1 {
		if pod := podCalled(p.State.Pods, holders[0]); pod != nil && p.movable(pod) {
			out = append(out, move(pod))
		}
	}
	return out
}

func dropPorts(used []report.PortInUse) change {
	taken := func(port corev1.ContainerPort) bool {
		return slices.ContainsFunc(used, func(d report.PortInUse) bool {
			return port.HostPort == d.Port && string(port.Protocol) == d.Protocol
		})
	}
	var names []string
	for _, d := range used { // one for each holder of a port
		if name := fmt.Sprintf("%d/%s", d.Port, d.Protocol); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return change{
		key:  "port " + strings.Join(names, " "),
		text: "do without the host " + plural(len(names), "port ", "ports ") + list(names), effort: dropPort,
		pod: func(pod *corev1.Pod) {
			for _, containers := range [][]corev1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
				for i := range containers {
					for j := range containers[i].Ports {
						if port := &containers[i].Ports[j]; taken(*port) {
							port.HostPort, port.HostIP = 0, ""
						}
					}
				}
			}
		},
	}
}
