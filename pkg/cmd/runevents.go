package cmd

import (
	"context"
	"fmt"
	"os"
	"time"

	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
)

// recorders make the recorder of a profile.
type recorders = func(profile string) events.EventRecorderLogger

// events returns what writes events, and what finishes it.
//
// A scheduler that runs for long writes them as kube-scheduler does: equal ones in a row become a series, and some are
// dropped when there are too many at a time. A single pass loses none: it ends right afterwards.
func (r *runner) events(ctx context.Context) (recorders, func(), error) {
	switch {
	case r.dryRun:
		return nil, func() {}, nil
	case r.watch:
		return r.lastingEvents(ctx)
	default:
		return r.passEvents(ctx)
	}
}

func (r *runner) lastingEvents(ctx context.Context) (recorders, func(), error) {
	client, err := r.client()
	if err != nil {
		return nil, nil, err
	}
	lasting, stop := context.WithCancel(context.WithoutCancel(ctx))
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{Interface: client.EventsV1()})
	if err := broadcaster.StartRecordingToSinkWithContext(lasting); err != nil {
		stop()
		return nil, nil, fmt.Errorf("starting to write events: %w", err)
	}
	finish := func() {
		broadcaster.Shutdown()
		stop()
	}
	return func(profile string) events.EventRecorderLogger {
		return broadcaster.NewRecorder(scheme.Scheme, profile)
	}, finish, nil
}

func (r *runner) passEvents(ctx context.Context) (recorders, func(), error) {
	client, err := newClient(r.wire()) // flush tells what is refused
	if err != nil {
		return nil, nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, nil, fmt.Errorf("finding the name of this host: %w", err)
	}
	recorder := bind.NewRecorder(client.EventsV1(), bind.RecorderOptions{Instance: host})
	return func(string) events.EventRecorderLogger { return recorder }, func() { r.flush(ctx, recorder) }, nil
}

// flush writes the events that are left, until ctrl-C.
func (r *runner) flush(ctx context.Context, recorder *bind.Recorder) {
	left := time.Duration(0) // what the limit of requests makes it take
	if rate := r.config.QPS; rate > 0 {
		left = time.Duration(float32(recorder.Pending()) / rate * float32(time.Second))
	}
	if ctx.Err() != nil { // the run was stopped, and these events tell of it
		ctx = context.WithoutCancel(ctx)
	}
	flushing, stop := context.WithTimeout(ctx, flushTimeout+left)
	defer stop()
	if lost, err := recorder.Close(flushing); err != nil {
		newWarner(r.env.ErrOut).tell(fmt.Sprintf("%d events are not written: %v", lost, err))
	}
}
