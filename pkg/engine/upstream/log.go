package upstream

import (
	"context"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// Quiet returns a context whose logger drops what upstream logs about single Pods: the same facts are in the result.
func Quiet(ctx context.Context) context.Context {
	return klog.NewContext(ctx, logr.Discard())
}
