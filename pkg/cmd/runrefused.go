package cmd

import (
	"bytes"
	"io"
	"net/http"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
)

// refusedWrites tells of writes that the API server refuses, once for every verb, kind and code: upstream evicts Pods
// and writes events and conditions in the background, and says nothing when it may not.
type refusedWrites struct {
	tell func(refusal string)
	told sync.Map
}

// transient tells whether a write with this answer is sent again, or is pointless: these are not told.
func transient(code int) bool {
	switch code {
	case http.StatusNotFound, http.StatusConflict, http.StatusGone, http.StatusTooManyRequests:
		return true
	}
	return code >= http.StatusInternalServerError
}

// maxStatus is how much of an answer is read to see why a write is refused, in bytes.
const maxStatus = 1 << 20

// watch returns the configuration of clients whose refused writes are told.
func (w *refusedWrites) watch(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return watchedWrites{next, w} })
	return config
}

type watchedWrites struct {
	http.RoundTripper
	refused *refusedWrites
}

func (w watchedWrites) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := w.RoundTripper.RoundTrip(request)
	if err != nil || request.Method == http.MethodGet || response.StatusCode < http.StatusBadRequest ||
		transient(response.StatusCode) {
		return response, err
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxStatus))
	response.Body = restored{io.MultiReader(bytes.NewReader(body), response.Body), response.Body}
	if err != nil {
		return response, nil //nolint:nilerr // whoever reads the body gets the error as well
	}
	w.refused.see(request.Method, refusalIn(response, body))
	return response, nil
}

// restored is a body of which something was read already.
type restored struct {
	io.Reader
	io.Closer
}

// see tells of a refusal if it is the first of its kind.
func (w *refusedWrites) see(method string, refusal *apierrors.StatusError) {
	status := refusal.Status()
	details := ptr.Deref(status.Details, metav1.StatusDetails{})
	type kind struct {
		method, group, resource string
		code                    int32
	}
	if _, told := w.told.LoadOrStore(kind{method, details.Group, details.Kind, status.Code}, true); told {
		return
	}
	told := "the API server refuses a write: " + refusal.Error()
	if apierrors.IsForbidden(refusal) && len(details.Causes) == 0 {
		told += "; deploy/rbac-run.yaml has the role that run needs"
	}
	w.tell(told)
}

// refusalIn returns what an answer says of a refusal, which is its code alone when it comes from something else than an
// API server.
func refusalIn(response *http.Response, body []byte) *apierrors.StatusError {
	object, err := runtime.Decode(scheme.Codecs.UniversalDeserializer(), body)
	if status, ok := object.(*metav1.Status); err == nil && ok {
		return &apierrors.StatusError{ErrStatus: *status}
	}
	//nolint:gosec // a code has three digits
	return &apierrors.StatusError{ErrStatus: metav1.Status{Code: int32(response.StatusCode), Message: response.Status}}
}
