package bind

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
)

// failure is a request that did not get what it asked for.
type failure struct {
	kind kind
	err  error
	// retryAfter is how long the server asked to wait; 0 when it did not.
	retryAfter time.Duration
}

// kind says what a failure means for the next request.
type kind int

const (
	final      kind = iota // The server said no, and will say so again.
	conflict               // The server said no because of the Pod as it is now.
	unsent                 // There was no connection, and nothing was sent.
	unanswered             // It was sent, and no API server answered.
	overloaded             // The server did nothing and asks to come again later.
	broken                 // The server, or a proxy before it, has a fault.
	unfound                // The server does not find what a Binding is posted to: the Pod, or the path.
)

// inDoubt tells whether the server may have done what it was asked for all the same.
func (f *failure) inDoubt() bool { return f.kind == unanswered || f.kind == broken }

// settleTime is how long a request that nobody answered is given to reach the store, or to fail to, before the outcome
// is read back: the API server goes on for a moment when a connection is cut.
func (f *failure) settleTime() time.Duration {
	if f.inDoubt() {
		return 100 * time.Millisecond
	}
	return 0
}

// needing names the permission that a request needed, should it have failed for want of it.
func (f *failure) needing(verb, resource, namespace string) *failure {
	// A namespace that is being deleted forbids too, and no permission helps there.
	if f != nil && f.kind == final && apierrors.IsForbidden(f.err) &&
		!apierrors.HasStatusCause(f.err, corev1.NamespaceTerminatingCause) {
		f.err = &ForbiddenError{Verb: verb, Resource: resource, Namespace: namespace, Err: errors.Unwrap(f.err)}
	}
	return f
}

// send carries out one request, once: client-go's own retries do not meddle. Waiting for the client's rate limit counts
// as a part of it. The answer must be a T.
func send[T runtime.Object](ctx context.Context, request *rest.Request, timeout time.Duration) (T, *failure) {
	// client-go logs broken answers, which are told as errors here.
	ctx, stop := context.WithTimeout(klog.NewContext(ctx, logr.Discard()), timeout)
	defer stop()
	ctx, sent := watchSending(ctx)
	result := request.MaxRetries(0).Timeout(timeout).Do(ctx)
	object, err := result.Get()
	answer, ok := object.(T)
	switch {
	case err == nil && !ok:
		err = fmt.Errorf("it is a %T", object)
	case err == nil:
		return answer, nil
	}
	failed := classify(err)
	if failed.kind == unanswered {
		failed.err = plain(result, err, timeout)
		if !sent.Load() {
			failed.kind = unsent
		}
	}
	failed.retryAfter = retryAfter(result, err)
	return answer, failed
}

// outlive returns a context that ends some time after the given one has ended.
func outlive(ctx context.Context, by time.Duration) (context.Context, context.CancelFunc) {
	longer, end := context.WithCancelCause(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, func() {
		time.AfterFunc(by, func() { end(fmt.Errorf("no answer within %s after the run was stopped", by)) })
	})
	return longer, func() {
		unhook()
		end(nil)
	}
}

// watchSending tells, after a request, whether it got as far as a connection. Before, there are credentials to fetch, a
// name to look up, a server to reach and its certificate to check. net/http asks for another connection only when the
// one before took nothing.
func watchSending(ctx context.Context) (_ context.Context, sent *atomic.Bool) {
	sent = new(atomic.Bool)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { sent.Store(false) },
		GotConn: func(httptrace.GotConnInfo) { sent.Store(true) },
	}), sent
}

// classify says what the error of a request means.
func classify(err error) *failure {
	answer, ok := errors.AsType[*apierrors.StatusError](err)
	if !ok {
		return &failure{kind: unanswered, err: err}
	}
	status := answer.Status()
	switch {
	case status.Code == http.StatusConflict:
		return &failure{kind: conflict, err: err}
	case status.Code == http.StatusNotFound && !apierrors.IsUnexpectedServerError(err):
		return &failure{kind: final, err: &GoneError{}}
	case isNoAnswer(status):
		return &failure{kind: unanswered, err: err}
	case status.Code == http.StatusTooManyRequests, isStarting(status):
		return &failure{kind: overloaded, err: err}
	case status.Code >= http.StatusInternalServerError:
		return &failure{kind: broken, err: err}
	}
	return &failure{kind: final, err: &RejectedError{Err: err}}
}

// isNoAnswer tells whether a status says that a request ran out of time, or comes from something that is no API server.
func isNoAnswer(status metav1.Status) bool {
	switch status.Reason {
	case metav1.StatusReasonTimeout, metav1.StatusReasonServerTimeout: // the former is client-go's for a bare 504 too
		return true
	}
	return status.Code < http.StatusBadRequest ||
		status.Code == http.StatusNotFound || status.Code == http.StatusRequestTimeout
}

// isStarting tells whether the answer is the one of admission plugins whose caches are still empty, shortly after the
// API server was started. They say 403, and nothing but the words tells it from a missing permission.
func isStarting(status metav1.Status) bool {
	return status.Code == http.StatusForbidden && strings.HasSuffix(status.Message, "not yet ready to handle request")
}

// retryAfter returns how long the server asked to wait, in the header or in the Status.
func retryAfter(result rest.Result, err error) time.Duration {
	_, header := result.Raw() // what client-go makes of the answer before it looks at the body
	inHeader, _ := apierrors.SuggestsClientDelay(header)
	inStatus, _ := apierrors.SuggestsClientDelay(err)
	return time.Duration(max(inHeader, inStatus)) * time.Second
}

// plain says why there was no answer, without the method and the URL that net/http puts before it.
func plain(result rest.Result, err error, timeout time.Duration) error {
	if _, received := result.Raw(); received == nil {
		return fmt.Errorf("the answer is not one of a Kubernetes API server: %w", err)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no answer within %s", timeout.Round(10*time.Millisecond))
	}
	if transport, ok := errors.AsType[*url.Error](err); ok {
		return transport.Err
	}
	return err
}
