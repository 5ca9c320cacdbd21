package serve

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// localhost is the one name that stands for this host everywhere.
const localhost = "localhost"

// localOnly refuses requests that were meant for another host, as kubectl proxy does.
func localOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isLocal(r.Host) {
			refuse(w, http.StatusForbidden, fmt.Sprintf(
				"forbidden: the Host of a request must be localhost or a loopback address, and is %q", r.Host))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isLocal tells whether the Host of a request, with or without a port, is this host itself. Its port may be another one
// than ours: that of a port-forward.
func isLocal(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = unbracketed(host)
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.IsLoopback() || strings.EqualFold(name, localhost)
}
