package serve_test

import (
	"errors"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kubectl-sched/kubectl-sched/pkg/serve"
)

func check(name string, err error) serve.Check {
	return serve.Check{Name: name, Check: func(*http.Request) error { return err }}
}

func TestHealth(t *testing.T) {
	url := start(t, serve.Options{
		Address: loopback,
		Health:  []serve.Check{check("lease", nil)},
		Ready:   []serve.Check{check("lease", nil), check("sync", errors.New("pods are not read")), check("last", nil)},
	})
	bare := start(t, serve.Options{Address: loopback})
	for sentence, c := range map[string]struct {
		url  string
		want answer
	}{
		"all is well":                {url + "/healthz", answer{200, "ok"}},
		"it lives":                   {url + "/livez", answer{200, "ok"}},
		"all is well, one by one":    {url + "/healthz?verbose", answer{200, "[+]lease ok\nhealthz check passed\n"}},
		"it lives, one by one":       {url + "/livez?verbose=true", answer{200, "[+]lease ok\nlivez check passed\n"}},
		"it is not ready":            {url + "/readyz", answer{500, "[+]lease ok\n[-]sync failed: reason withheld\n[+]last ok\nreadyz check failed\n"}},
		"it is not, one by one":      {url + "/readyz?verbose", answer{500, "[+]lease ok\n[-]sync failed: reason withheld\n[+]last ok\nreadyz check failed\n"}},
		"one check is well":          {url + "/readyz/lease", answer{200, "ok"}},
		"one check is not, and why":  {url + "/readyz/sync", answer{500, "internal server error: pods are not read\n"}},
		"there is no such check":     {url + "/readyz/other", answer{404, "404 page not found\n"}},
		"a check of another path":    {url + "/livez/sync", answer{404, "404 page not found\n"}},
		"there is nothing to check":  {bare + "/readyz?verbose", answer{200, "[+]ping ok\nreadyz check passed\n"}},
		"there are no metrics":       {bare + "/metrics", answer{404, "404 page not found\n"}},
		"there is no such path":      {bare + "/", answer{404, "404 page not found\n"}},
		"nor a path to the profiler": {bare + "/debug/pprof/", answer{404, "404 page not found\n"}},
	} {
		t.Run(sentence, func(t *testing.T) {
			got, with := get(t, newClient(t), c.url)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			wantHeaders := []string{"text/plain; charset=utf-8", "nosniff", "no-cache, private"}
			gotHeaders := []string{
				with.header.Get("Content-Type"), with.header.Get("X-Content-Type-Options"), with.header.Get("Cache-Control"),
			}
			if diff := cmp.Diff(wantHeaders, gotHeaders); c.want.Code == 200 && diff != "" {
				t.Errorf("headers (-want +got):\n%s", diff)
			}
		})
	}
}

// Checks are asked at every request.
func TestHealthChanges(t *testing.T) {
	var synced atomic.Bool
	url := start(t, serve.Options{Address: loopback, Ready: []serve.Check{{Name: "sync", Check: func(*http.Request) error {
		if synced.Load() {
			return nil
		}
		return errors.New("not yet")
	}}}})
	client := newClient(t)
	before, _ := get(t, client, url+"/readyz")
	synced.Store(true)
	after, _ := get(t, client, url+"/readyz")
	if diff := cmp.Diff([]int{500, 200}, []int{before.Code, after.Code}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Nothing can be changed through the endpoints.
func TestOnlyReading(t *testing.T) {
	url := start(t, serve.Options{Address: loopback, Metrics: text("metrics")})
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch} {
		for _, path := range []string{"/healthz", "/readyz/ping", "/metrics"} {
			request, err := http.NewRequestWithContext(t.Context(), method, url+path, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			response, err := newClient(t).Do(request)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			if response.StatusCode != http.StatusMethodNotAllowed {
				t.Errorf("%s %s: got %s, want that it is not allowed", method, path, response.Status)
			}
		}
	}
}
