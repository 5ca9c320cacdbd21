package bind_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	eventsclient "k8s.io/client-go/kubernetes/typed/events/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
)

// eventStore stores events as an API server does, after whatever answer gives for the number of the try.
type eventStore struct {
	eventsclient.EventInterface
	answer func(ctx context.Context, try int) error

	mutex  sync.Mutex
	tries  int
	stored []*eventsv1.Event
}

func (s *eventStore) Events(string) eventsclient.EventInterface { return s }

func (s *eventStore) Create(ctx context.Context, event *eventsv1.Event, _ metav1.CreateOptions) (*eventsv1.Event, error) {
	if err := s.answer(ctx, s.count()); err != nil {
		return nil, err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.stored = append(s.stored, event)
	return event, nil
}

func (s *eventStore) count() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.tries++
	return s.tries
}

// always stores every event.
func always(context.Context, int) error { return nil }

func (s *eventStore) names() sets.Set[string] {
	names := sets.New[string]()
	for _, event := range s.stored {
		names.Insert(event.Name)
	}
	return names
}

func webPod() *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "uid-1", ResourceVersion: "7"}}
}

func webReference() corev1.ObjectReference {
	return corev1.ObjectReference{
		APIVersion: "v1", Kind: "Pod", Namespace: "shop", Name: "web", UID: "uid-1", ResourceVersion: "7",
	}
}

// noon is noon and some nanoseconds, of which an event's time keeps micros.
func noon() time.Time { return time.Date(2026, 1, 2, 12, 0, 0, 123456789, time.UTC) }

func TestRecorderWritesAsKubeScheduler(t *testing.T) {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1", UID: "uid-n1"}}
	long := strings.Repeat("ä", 512) // 1,024 bytes
	for sentence, test := range map[string]struct {
		record func(events.EventRecorder)
		want   eventsv1.Event
	}{
		"a Pod that is bound": {
			record: func(r events.EventRecorder) {
				r.Eventf(webPod(), nil, corev1.EventTypeNormal, "Scheduled", "Binding",
					"Successfully assigned %v/%v to %v", "shop", "web", "n1")
			},
			want: eventsv1.Event{
				ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web."},
				Regarding:  webReference(), Type: "Normal", Reason: "Scheduled", Action: "Binding",
				Note: "Successfully assigned shop/web to n1",
			},
		},
		"a Pod that fits nowhere, in words that look like a format": {
			record: func(r events.EventRecorder) {
				r.Eventf(webPod(), nil, corev1.EventTypeWarning, "FailedScheduling", "Scheduling", "100% of 3 nodes")
			},
			want: eventsv1.Event{
				ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web."},
				Regarding:  webReference(), Type: "Warning", Reason: "FailedScheduling", Action: "Scheduling",
				Note: "100% of 3 nodes",
			},
		},
		"a related Pod": {
			record: func(r events.EventRecorder) {
				r.Eventf(node, webPod(), corev1.EventTypeNormal, "Seen", "Looking", "there")
			},
			want: eventsv1.Event{
				ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "n1."},
				Regarding:  corev1.ObjectReference{APIVersion: "v1", Kind: "Node", Name: "n1", UID: "uid-n1"},
				Related:    new(webReference()), Type: "Normal", Reason: "Seen", Action: "Looking", Note: "there",
			},
		},
		"a note of just the length the API takes": {
			record: func(r events.EventRecorder) { r.Eventf(webPod(), nil, "Normal", "R", "A", long) },
			want: eventsv1.Event{
				ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web."},
				Regarding:  webReference(), Type: "Normal", Reason: "R", Action: "A", Note: long,
			},
		},
		"a longer note is cut between two characters": {
			record: func(r events.EventRecorder) { r.Eventf(webPod(), nil, "Normal", "R", "A", "a"+long) },
			want: eventsv1.Event{
				ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web."},
				Regarding:  webReference(), Type: "Normal", Reason: "R", Action: "A",
				Note: "a" + strings.Repeat("ä", 509) + " ...",
			},
		},
		"bytes that are no characters": {
			record: func(r events.EventRecorder) { r.Eventf(webPod(), nil, "Normal", "R", "A", "a\xffb") },
			want: eventsv1.Event{
				ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web."},
				Regarding:  webReference(), Type: "Normal", Reason: "R", Action: "A", Note: "a\uFFFDb",
			},
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			store := &eventStore{answer: always}
			recorder := bind.NewRecorder(store, bind.RecorderOptions{
				Instance: "host", Clock: clocktesting.NewFakeClock(noon()),
			})
			test.record(recorder.WithLogger(klog.Background()))
			if lost, err := recorder.Close(t.Context()); lost != 0 || err != nil {
				t.Fatalf("lost %d events: %v", lost, err)
			}
			test.want.Name += fmt.Sprintf("%x", noon().UnixNano())
			test.want.EventTime = metav1.NewMicroTime(noon())
			test.want.ReportingController = "kubectl-sched"
			test.want.ReportingInstance = "kubectl-sched-host"
			if diff := cmp.Diff([]*eventsv1.Event{&test.want}, store.stored); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRecorderKeepsTheInstanceShort(t *testing.T) {
	store := &eventStore{answer: always}
	recorder := bind.NewRecorder(store, bind.RecorderOptions{Instance: strings.Repeat("ä", 128)})
	recorder.Eventf(webPod(), nil, "Normal", "R", "A", "note")
	if lost, err := recorder.Close(t.Context()); lost != 0 || err != nil {
		t.Fatalf("lost %d events: %v", lost, err)
	}
	if got := store.stored[0].ReportingInstance; len(got) != 128 || !utf8.ValidString(got) {
		t.Errorf("got an instance of %d bytes: %q; want the 128 that the API takes", len(got), got)
	}
}

func TestRecorderLosesNone(t *testing.T) {
	const many, several = 2500, 4
	store := &eventStore{answer: always}
	recorder := bind.NewRecorder(store, bind.RecorderOptions{Clock: clocktesting.NewFakeClock(noon())})
	var callers sync.WaitGroup
	for range several {
		callers.Go(func() {
			for range many {
				recorder.Eventf(webPod(), nil, "Normal", "R", "A", "at one instant, of one Pod")
			}
		})
	}
	callers.Wait()
	if lost, err := recorder.Close(t.Context()); lost != 0 || err != nil {
		t.Fatalf("lost %d events: %v", lost, err)
	}
	if got := store.names().Len(); got != many*several {
		t.Errorf("got %d events of different names, want %d", got, many*several)
	}
}

func eventAnswer(code int, reason metav1.StatusReason, message string, causes ...metav1.StatusCause) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Code: int32(code), Reason: reason, Message: message, Details: &metav1.StatusDetails{Causes: causes},
	}}
}

func TestRecorderTriesAgain(t *testing.T) {
	eventKind := schema.GroupResource{Group: "events.k8s.io", Resource: "events"}
	for sentence, test := range map[string]struct {
		answer func(context.Context, int) error
		tries  int
		stored int
		err    string
	}{
		"a network that is back after a while": {
			answer: until(4, errors.New("connection refused")), tries: 4, stored: 1,
		},
		"a server that is busy":   {answer: until(3, apierrors.NewTooManyRequests("later", 0)), tries: 3, stored: 1},
		"a server that is broken": {answer: until(8, apierrors.NewInternalError(errors.New("no store"))), tries: 8, stored: 1},
		"a server that stays broken": {
			answer: until(100, apierrors.NewInternalError(errors.New("no store"))), tries: 8,
			err: "cannot write events: Internal error occurred: no store",
		},
		"an answer that was lost after the event was stored": {
			answer: func(_ context.Context, try int) error {
				if try == 1 {
					return errors.New("connection reset by peer")
				}
				return apierrors.NewAlreadyExists(eventKind, "web.1")
			},
			tries: 2,
		},
		"a server that does not answer at all": {
			answer: func(ctx context.Context, try int) error {
				if try > 1 {
					return nil
				}
				<-ctx.Done()
				return ctx.Err()
			},
			tries: 2, stored: 1,
		},
		"no permission": {
			answer: until(100, apierrors.NewForbidden(eventKind, "", errors.New("no role"))), tries: 1,
			err: "cannot write events: events.events.k8s.io is forbidden: no role; " +
				"grant create on events.events.k8s.io",
		},
		"a namespace that is being deleted": {
			answer: until(100, eventAnswer(http.StatusForbidden, metav1.StatusReasonForbidden, "shop is being terminated",
				metav1.StatusCause{Type: corev1.NamespaceTerminatingCause})),
			tries: 1, err: "cannot write events: shop is being terminated",
		},
		"a namespace that is gone": {
			answer: until(100, apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "shop")), tries: 1,
			err: `cannot write events: namespaces "shop" not found`,
		},
		"an event that the API does not take": {
			answer: until(100, eventAnswer(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "bad type")), tries: 1,
			err: "cannot write events: bad type",
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store := &eventStore{answer: test.answer}
				recorder := bind.NewRecorder(store, bind.RecorderOptions{})
				recorder.Eventf(webPod(), nil, "Normal", "R", "A", "note")
				lost, err := recorder.Close(t.Context())
				type outcome struct {
					Tries, Stored, Lost int
					Err                 string
				}
				want := outcome{Tries: test.tries, Stored: test.stored, Err: test.err}
				if test.err != "" {
					want.Lost = 1
				}
				got := outcome{Tries: store.tries, Stored: len(store.stored), Lost: lost, Err: errorText(err)}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

// until fails with err before the given try.
func until(success int, err error) func(context.Context, int) error {
	return func(_ context.Context, try int) error {
		if try < success {
			return err
		}
		return nil
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestRecorderStopsWithTheContextOfClose(t *testing.T) {
	const many = 100
	for sentence, test := range map[string]struct {
		answer func(context.Context, int) error
		err    string
	}{
		"while the server does not answer": {
			answer: func(ctx context.Context, _ int) error {
				<-ctx.Done()
				return ctx.Err()
			},
			err: "cannot write events: context deadline exceeded",
		},
		"while the server cannot be reached": {
			answer: until(1e9, &url.Error{Op: "Post", URL: "https://host/apis", Err: errors.New("connection refused")}),
			err:    "cannot write events: connection refused",
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				recorder := bind.NewRecorder(&eventStore{answer: test.answer}, bind.RecorderOptions{})
				for range many {
					recorder.Eventf(webPod(), nil, "Normal", "R", "A", "note")
				}
				start := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
				defer cancel()
				lost, err := recorder.Close(ctx)
				if lost != many || errorText(err) != test.err {
					t.Errorf("lost %d events: %v; want all %d: %s", lost, err, many, test.err)
				}
				if took := time.Since(start); took > 4*time.Second {
					t.Errorf("closing took %s, want no more than the 3 s it was given", took)
				}
			})
		})
	}
}

func TestRecorderTellsOfAnObjectItCannotName(t *testing.T) {
	for sentence, objects := range map[string][2]runtime.Object{
		"naming the object of a Seen event: ":         {&runtime.Unknown{}, nil},
		"naming the related object of a Seen event: ": {webPod(), &runtime.Unknown{}},
	} {
		t.Run(sentence, func(t *testing.T) {
			recorder := bind.NewRecorder(&eventStore{answer: always}, bind.RecorderOptions{})
			recorder.Eventf(objects[0], objects[1], "Normal", "Seen", "Looking", "note")
			lost, err := recorder.Close(t.Context())
			if lost != 1 || !strings.HasPrefix(errorText(err), "cannot write events: "+sentence) {
				t.Errorf("lost %d events: %v; want 1 lost while %s…", lost, err, sentence)
			}
		})
	}
}

func TestNoEventsAreWritten(t *testing.T) {
	recorder := bind.NoEvents{}.WithLogger(klog.Background())
	recorder.Eventf(webPod(), nil, "Normal", "R", "A", "note")
	if _, ok := recorder.(bind.NoEvents); !ok {
		t.Errorf("with a logger it is a %T", recorder)
	}
}
