package serve_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/serve"
)

// On loopback a request must have been meant for this host.
func TestLocalRequestsOnly(t *testing.T) {
	url := start(t, serve.Options{Address: loopback, Metrics: text("metrics")})
	for sentence, c := range map[string]struct {
		host string
		want int
	}{
		"localhost":                            {"localhost", 200},
		"localhost in capitals, with a port":   {"LOCALHOST:10261", 200},
		"a loopback address":                   {"127.0.0.1:10261", 200},
		"another loopback address":             {"127.1.2.3", 200},
		"the port of a port-forward":           {"127.0.0.1:33333", 200},
		"an IPv6 loopback address":             {"[::1]:10261", 200},
		"the same without a port":              {"[::1]", 200},
		"a loopback IPv4 address as IPv6":      {"[::ffff:127.0.0.1]", 200},
		"a name that stands for loopback":      {"evil.example:10261", 403},
		"a name that begins as localhost does": {"localhost.evil.example", 403},
		"a name that begins as loopback does":  {"127.0.0.1.evil.example", 403},
		"this host's other address":            {"192.0.2.1:10261", 403},
		"every address":                        {"0.0.0.0:10261", 403},
	} {
		t.Run(sentence, func(t *testing.T) {
			for path, body := range map[string]string{"/metrics": "metrics", "/healthz": "ok"} {
				want := answer{200, body}
				if c.want == 403 {
					want = answer{403, fmt.Sprintf(
						"forbidden: the Host of a request must be localhost or a loopback address, and is %q\n", c.host)}
				}
				got, _ := get(t, newClient(t), url+path, "Host: "+c.host)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", path, diff)
				}
			}
		})
	}
}
