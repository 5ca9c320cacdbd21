package serve_test

import (
	"strings"
	"sync"

	"github.com/go-logr/logr/funcr"
	"k8s.io/klog/v2"
)

// recorder is a logger that remembers what it was told.
type recorder struct {
	klog.Logger
	mutex sync.Mutex
	lines strings.Builder
}

func newRecorder(verbosity int) *recorder {
	r := &recorder{}
	r.Logger = funcr.New(func(prefix, args string) {
		r.mutex.Lock()
		defer r.mutex.Unlock()
		r.lines.WriteString(prefix + args + "\n")
	}, funcr.Options{Verbosity: verbosity})
	return r
}

func (r *recorder) text() string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.lines.String()
}
