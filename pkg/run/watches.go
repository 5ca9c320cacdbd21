package run

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// openWatches counts the watches of a client that are answered and not closed, by path.
type openWatches struct {
	mu    sync.Mutex
	paths map[string]int
}

// open tells whether there is a watch of the path, which may stand behind one of the API server's own: proxies that
// serve several clusters have such paths.
func (w *openWatches) open(path string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for watched, n := range w.paths {
		if n > 0 && strings.HasSuffix(watched, path) {
			return true
		}
	}
	return false
}

func (w *openWatches) add(path string, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.paths == nil {
		w.paths = map[string]int{}
	}
	w.paths[path] += n
}

// count wraps a transport so that its watches are counted.
func (w *openWatches) count(transport http.RoundTripper) http.RoundTripper {
	return counting{transport, w}
}

type counting struct {
	http.RoundTripper
	watches *openWatches
}

func (c counting) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := c.RoundTripper.RoundTrip(request)
	watch, _ := strconv.ParseBool(request.URL.Query().Get("watch"))
	// Something before the API server may answer too, such as a page to log in at.
	if err != nil || !watch || response.StatusCode != http.StatusOK ||
		!strings.HasPrefix(response.Header.Get("Content-Type"), "application/") {
		return response, err
	}
	path := request.URL.Path
	c.watches.add(path, 1)
	response.Body = &watchBody{ReadCloser: response.Body, closed: func() { c.watches.add(path, -1) }}
	return response, nil
}

// watchBody tells once when it is closed, or read to its end.
type watchBody struct {
	io.ReadCloser
	once   sync.Once
	closed func()
}

func (b *watchBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.once.Do(b.closed)
	}
	return n, err
}

func (b *watchBody) Close() error {
	b.once.Do(b.closed)
	return b.ReadCloser.Close()
}
