package bind

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	eventsclient "k8s.io/client-go/kubernetes/typed/events/v1"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

const (
	// eventWriters is how many events are sent at a time.
	eventWriters = 4
	// eventTimeout is how long one request may take.
	eventTimeout = 10 * time.Second
)

// outbox holds events, as many as come, until its writers have sent them.
type outbox struct {
	client  eventsclient.EventsGetter
	clock   clock.Clock
	writers sync.WaitGroup
	stop    context.CancelCauseFunc // ends what the writers do

	mutex   sync.Mutex
	changed *sync.Cond // the queue has grown or was closed
	queue   []*eventsv1.Event
	closed  bool
	lost    int
	first   error // why the first one was lost
}

// openOutbox starts the writers. They end with close.
func openOutbox(client eventsclient.EventsGetter, clk clock.Clock) *outbox {
	ctx, stop := context.WithCancelCause(quiet(context.Background()))
	o := &outbox{client: client, clock: clk, stop: stop}
	o.changed = sync.NewCond(&o.mutex)
	for range eventWriters {
		o.writers.Go(func() { o.work(ctx) })
	}
	return o
}

// add queues an event, unless the outbox is closed.
func (o *outbox) add(event *eventsv1.Event) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.closed {
		return
	}
	o.queue = append(o.queue, event)
	o.changed.Signal()
}

// pending is how many events wait.
func (o *outbox) pending() int {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return len(o.queue)
}

// lose counts an event that is not written.
func (o *outbox) lose(err error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.lost++
	if o.first == nil {
		o.first = err
	}
}

// close waits until the writers have written what is queued, or the context ends.
func (o *outbox) close(ctx context.Context) (lost int, err error) {
	o.mutex.Lock()
	o.closed = true
	o.changed.Broadcast()
	o.mutex.Unlock()

	unhook := context.AfterFunc(ctx, func() { o.stop(context.Cause(ctx)) })
	o.writers.Wait()
	unhook()
	o.stop(nil)

	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.lost, cannotWrite(o.first)
}

// work writes events until the outbox is closed and empty.
func (o *outbox) work(ctx context.Context) {
	for event := o.next(); event != nil; event = o.next() {
		if err := o.write(ctx, event); err != nil {
			o.lose(err)
		}
	}
}

// next waits for an event and takes it from the queue; nil when the outbox is closed and empty.
func (o *outbox) next() *eventsv1.Event {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for len(o.queue) == 0 {
		if o.closed {
			return nil
		}
		o.changed.Wait()
	}
	event := o.queue[0]
	o.queue[0] = nil // for the garbage collector
	o.queue = o.queue[1:]
	return event
}

// write sends an event until it is stored, refused, or has had its tries: 8 in some 13 seconds, which outlast the
// restart of an API server.
func (o *outbox) write(ctx context.Context, event *eventsv1.Event) error {
	pauses := wait.Backoff{Duration: 100 * time.Millisecond, Factor: 2, Jitter: 0.2, Steps: 7}
	for {
		err := o.post(ctx, event)
		if err == nil || classify(err).kind == final || pauses.Steps == 0 {
			return err
		}
		select {
		case <-o.clock.After(pauses.Step()):
		case <-ctx.Done():
			return err
		}
	}
}

// post sends an event once.
func (o *outbox) post(ctx context.Context, event *eventsv1.Event) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	try, cancel := context.WithTimeout(ctx, eventTimeout)
	defer cancel()
	_, err := o.client.Events(event.Namespace).Create(try, event, metav1.CreateOptions{})
	switch {
	case apierrors.IsAlreadyExists(err):
		return nil // the name is nobody else's: an earlier try went through and its answer was lost
	case err != nil && ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return bare(err, eventTimeout)
}

// cannotWrite says that events could not be written, and what to do; nil when they were.
func cannotWrite(err error) error {
	switch {
	case err == nil:
		return nil
	case lacksPermission(err):
		return fmt.Errorf("cannot write events: %w; grant create on events.events.k8s.io", err)
	}
	return fmt.Errorf("cannot write events: %w", err)
}

// lacksPermission tells whether a role is missing. A namespace that is being deleted answers with the same code.
func lacksPermission(err error) bool {
	return apierrors.IsForbidden(err) && !apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause)
}

// bare says why a request failed, without the method and the URL that net/http puts before it.
func bare(err error, timeout time.Duration) error {
	var transport *url.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("no answer within %s", timeout)
	case errors.As(err, &transport):
		return transport.Err
	}
	return err
}

// quiet returns a context in which client-go logs nothing: what went wrong is told as an error.
func quiet(ctx context.Context) context.Context { return klog.NewContext(ctx, logr.Discard()) }
