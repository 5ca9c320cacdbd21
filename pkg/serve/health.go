package serve

import (
	"fmt"
	"net/http"
	"strings"

	"k8s.io/klog/v2"
)

// checks are those of one endpoint. They answer as k8s.io/apiserver/pkg/server/healthz does.
type checks struct {
	name string
	list []Check
}

func newChecks(name string, list []Check) checks {
	if len(list) == 0 {
		list = []Check{{Name: "ping", Check: func(*http.Request) error { return nil }}}
	}
	return checks{name: name, list: list}
}

// serveAll tells whether all is well, and with ?verbose or when it is not, which of the checks are. It withholds the
// reasons: everybody may ask.
func (c checks) serveAll(w http.ResponseWriter, r *http.Request) {
	var lines strings.Builder
	failed := false
	for _, check := range c.list {
		err := check.Check(r)
		if err == nil {
			fmt.Fprintf(&lines, "[+]%s ok\n", check.Name)
			continue
		}
		failed = true
		fmt.Fprintf(&lines, "[-]%s failed: reason withheld\n", check.Name)
		klog.FromContext(r.Context()).V(2).Info("A check failed", "endpoint", c.name, "check", check.Name, "err", err)
	}
	if failed {
		http.Error(w, fmt.Sprintf("%s%s check failed", &lines, c.name), http.StatusInternalServerError)
		return
	}
	writeText(w)
	if !r.URL.Query().Has("verbose") {
		fmt.Fprint(w, "ok")
		return
	}
	fmt.Fprintf(w, "%s%s check passed\n", &lines, c.name)
}

// serveOne tells whether the check of the path's last segment is well, and why not.
func (c checks) serveOne(w http.ResponseWriter, r *http.Request) {
	for _, check := range c.list {
		if check.Name != r.PathValue("check") {
			continue
		}
		if err := check.Check(r); err != nil {
			http.Error(w, fmt.Sprintf("internal server error: %v", err), http.StatusInternalServerError)
			return
		}
		writeText(w)
		fmt.Fprint(w, "ok")
		return
	}
	http.NotFound(w, r)
}

func writeText(w http.ResponseWriter) { w.Header().Set("Content-Type", "text/plain; charset=utf-8") }
