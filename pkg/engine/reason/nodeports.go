package reason

import (
	"cmp"
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/util"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// hostPort is a port on a node's IP, with the defaults of fwk.HostPortInfo (v1.37.2): no IP is every IP.
type hostPort struct {
	ip, protocol string
	port         int32
}

// nodePorts names who holds the host ports that the Pod wants (nodeports.NodePorts.Filter, v1.37.2, which stops at the
// first and keeps no names).
func nodePorts(_ context.Context, q Question) explain {
	wanted := hostPortsOf(q.Pod)
	return func(_ context.Context, r rejection) report.Details {
		details := report.Details{}
		for _, want := range wanted {
			if r.node.GetUsedPorts().CheckConflict(want.ip, want.protocol, want.port) {
				details = append(details, holders(want, r.node)...)
			}
		}
		return details
	}
}

// holders returns each Pod of the node that has the wanted port, by name.
func holders(want hostPort, node fwk.NodeInfo) report.Details {
	var found []report.PortInUse
	for _, info := range node.GetPods() {
		pod := info.GetPod()
		for _, held := range hostPortsOf(pod) {
			if conflict(want, held) {
				found = append(found, report.PortInUse{
					HostIP: want.ip, Protocol: want.protocol, Port: want.port, HeldIP: held.ip,
					Namespace: pod.Namespace, Name: pod.Name, Nominated: pod.Spec.NodeName == "",
				})
			}
		}
	}
	slices.SortFunc(found, func(a, b report.PortInUse) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.HeldIP, b.HeldIP))
	})
	details := make(report.Details, 0, len(found))
	for _, one := range found {
		details = append(details, one)
	}
	return details
}

// conflict tells whether two Pods cannot have these ports on one node (fwk.HostPortInfo.CheckConflict, v1.37.2).
func conflict(a, b hostPort) bool {
	everyIP := a.ip == fwk.DefaultBindAllHostIP || b.ip == fwk.DefaultBindAllHostIP
	return a.protocol == b.protocol && a.port == b.port && (everyIP || a.ip == b.ip)
}

// hostPortsOf returns a Pod's host ports, those of sidecars included, each once.
func hostPortsOf(pod *corev1.Pod) []hostPort {
	var ports []hostPort
	for _, port := range util.GetHostPorts(pod) {
		found := hostPort{
			ip:       cmp.Or(port.HostIP, fwk.DefaultBindAllHostIP),
			protocol: cmp.Or(string(port.Protocol), string(corev1.ProtocolTCP)),
			port:     port.HostPort,
		}
		if !slices.Contains(ports, found) {
			ports = append(ports, found)
		}
	}
	return ports
}
