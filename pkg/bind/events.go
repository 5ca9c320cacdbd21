package bind

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	eventsclient "k8s.io/client-go/kubernetes/typed/events/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/record/util"
	"k8s.io/client-go/tools/reference"
	"k8s.io/klog/v2"
	"k8s.io/utils/clock"
)

// reportingController is what events name as their writer.
const reportingController = "kubectl-sched"

// The API server's limits, in bytes. A note that was cut ends in cutMark, as kube-scheduler's do.
const (
	noteLimit     = 1024
	instanceLimit = 128
	cutMark       = " ..."
)

// RecorderOptions are the inputs of a Recorder beside the client.
type RecorderOptions struct {
	// Instance tells this process from others that write events, usually by the name of the host.
	Instance string
	// Clock stamps the events and is slept by between tries; nil stands for the real one.
	Clock clock.Clock
}

// Recorder writes events as kube-scheduler does, through events.k8s.io/v1, and loses none that can be written. It is
// safe for concurrent use, never waits for the API server before Close, and must be closed.
//
// It is none of client-go's EventBroadcaster, which drops events when its channel of 1,000 is full, and cannot be
// flushed: a run binds thousands of Pods, and the process ends right after. Nor does it fold equal events into a
// series, since a run says a thing about a Pod once.
type Recorder struct {
	instance string
	clock    clock.Clock
	outbox   *outbox

	mutex sync.Mutex
	stamp int64 // the last number that went into a name
}

var _ events.EventRecorderLogger = (*Recorder)(nil)

// NewRecorder returns a Recorder. It takes no context, since the decisions made before ctrl-C are to be told after it:
// only that of Close ends the writing.
func NewRecorder(client eventsclient.EventsGetter, options RecorderOptions) *Recorder {
	if options.Clock == nil {
		options.Clock = clock.RealClock{}
	}
	return &Recorder{
		instance: head(reportingController+"-"+options.Instance, instanceLimit),
		clock:    options.Clock,
		outbox:   openOutbox(client, options.Clock),
	}
}

// WithLogger returns the Recorder itself: it logs nothing, what went wrong is told by Close.
func (r *Recorder) WithLogger(klog.Logger) events.EventRecorderLogger { return r }

// Eventf queues an event and returns at once. After Close it does nothing.
//
// A note without arguments is taken as it is: kube-scheduler hands in the message of a rejection there, which may hold
// a percent sign.
func (r *Recorder) Eventf(regarding, related runtime.Object, eventtype, reason, action, note string, args ...any) {
	if len(args) > 0 {
		note = fmt.Sprintf(note, args...)
	}
	event := &eventsv1.Event{
		ReportingController: reportingController,
		ReportingInstance:   r.instance,
		Type:                eventtype,
		Reason:              reason,
		Action:              action,
		Note:                cutNote(note),
	}
	if err := refer(event, regarding, related); err != nil {
		r.outbox.lose(err)
		return
	}
	now := r.clock.Now()
	event.EventTime = metav1.NewMicroTime(now)
	event.Name = util.GenerateEventName(event.Regarding.Name, r.number(now))
	r.outbox.add(event)
}

// Pending is how many events are still to be written.
func (r *Recorder) Pending() int { return r.outbox.pending() }

// Close writes what is still queued and returns how many events could not be written, and why the first one could not.
// What is left when the context ends counts among them.
func (r *Recorder) Close(ctx context.Context) (lost int, err error) { return r.outbox.close(ctx) }

// number returns the number in the name of an event: its time in nanoseconds, as in client-go, but never one twice.
func (r *Recorder) number(now time.Time) int64 {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.stamp = max(r.stamp+1, now.UnixNano())
	return r.stamp
}

// refer fills in what an event is about, and its namespace: that of the object, or default when it has none.
func refer(event *eventsv1.Event, regarding, related runtime.Object) error {
	about, err := reference.GetReference(scheme.Scheme, regarding)
	if err != nil {
		return fmt.Errorf("naming the object of a %s event: %w", event.Reason, err)
	}
	event.Regarding = *about
	event.Namespace = about.Namespace
	if event.Namespace == "" {
		event.Namespace = metav1.NamespaceDefault
	}
	if related == nil {
		return nil
	}
	if event.Related, err = reference.GetReference(scheme.Scheme, related); err != nil {
		return fmt.Errorf("naming the related object of a %s event: %w", event.Reason, err)
	}
	return nil
}

// cutNote makes a note fit for the API: as kube-scheduler's truncateMessage, but in valid UTF-8 and whole characters,
// which the API insists on.
func cutNote(note string) string {
	note = strings.ToValidUTF8(note, string(utf8.RuneError))
	if len(note) <= noteLimit {
		return note
	}
	return head(note, noteLimit-len(cutMark)) + cutMark
}

// head returns as many whole characters of a text as fit in limit bytes.
func head(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// NoEvents is a recorder that writes nothing.
type NoEvents struct{}

var _ events.EventRecorderLogger = NoEvents{}

// Eventf does nothing.
func (NoEvents) Eventf(_, _ runtime.Object, _, _, _, _ string, _ ...any) {}

// WithLogger returns the same recorder.
func (n NoEvents) WithLogger(klog.Logger) events.EventRecorderLogger { return n }
