package printers

import (
	"net"
	"slices"
	"strconv"

	"github.com/kubectl-sched/kubectl-sched/pkg/report"
)

// everyIP is the host IP of a port that is taken on all of a node's.
const everyIP = "0.0.0.0"

// portFact says "8080/TCP held by shop/web-0", and on which IP when that is not plain.
func portFact(d report.PortInUse, s style) string {
	port := portName(d)
	if s == withoutNumbers {
		return port
	}
	where := ""
	switch d.HeldIP {
	case d.HostIP:
	case everyIP:
		where = " on every IP"
	default:
		where = " on " + d.HeldIP
	}
	if d.Nominated {
		return port + " kept" + where + " for " + d.Namespace + "/" + d.Name + ", nominated here"
	}
	return port + " held" + where + " by " + d.Namespace + "/" + d.Name
}

// portName writes a wanted port: "8080/TCP", "10.0.0.1:8080/TCP".
func portName(d report.PortInUse) string {
	port := strconv.Itoa(int(d.Port))
	if d.HostIP != everyIP {
		port = net.JoinHostPort(d.HostIP, port)
	}
	return port + "/" + d.Protocol
}

// portNames lists the wanted ports that are taken, each once.
func portNames(details report.Details) []string {
	var names []string
	for _, detail := range details {
		if d, ok := detail.(report.PortInUse); ok && !slices.Contains(names, portName(d)) {
			names = append(names, portName(d))
		}
	}
	return names
}
