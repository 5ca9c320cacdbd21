package cmd_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A server that is no API server is told at once, in one line: the Lease is not even tried.
func TestBindTellsOfAServerThatIsNone(t *testing.T) {
	for what, code := range map[string]int{"a page": http.StatusOK, "a page that is not there": http.StatusNotFound} {
		t.Run(what, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.Contains(r.URL.Path, "leases") {
					t.Errorf("%s %s was asked for", r.Method, r.URL.Path)
				}
				w.Header().Set("Content-Type", "text/html")
				w.WriteHeader(code)
			}))
			defer server.Close()
			exit, stdout, stderr := execute(t, []string{"bind", "pod/a", "--server", server.URL})
			if exit != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 ||
				!strings.HasPrefix(stderr, "error: cannot list nodes: ") {
				t.Errorf("exit code %d, stdout %q, stderr %q", exit, stdout, stderr)
			}
		})
	}
}
