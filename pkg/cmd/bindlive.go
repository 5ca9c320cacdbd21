package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/rest"

	"github.com/kubectl-sched/kubectl-sched/pkg/bind"
	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/run"
)

// answerTimeout is how long the API server may take to answer at all.
const answerTimeout = 30 * time.Second

// flushTimeout is how long the end of a bind may take: the Lease, and what is left of the events.
const flushTimeout = 30 * time.Second

// live binds on the cluster, while no other bind does.
func (o *bindOptions) live(ctx context.Context) (*outcome, error) {
	if err := o.checkServer(ctx); err != nil {
		return nil, err
	}
	telling, err := newClient(o.limited()) // events and the Lease do not wait for Bindings
	if err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("finding the name of this host: %w", err)
	}
	options := o.session
	options.Sample = o.targets.selecting
	if o.events {
		recorder := bind.NewRecorder(telling.EventsV1(), bind.RecorderOptions{Instance: host})
		options.Events = recorder
		o.finish = func() { o.flush(ctx, recorder) } // after the Lease is given up, and the results are printed
	}
	held, err := bind.Acquire(ctx, telling.CoordinationV1(), o.lock(host))
	switch {
	case errors.As(err, new(*bind.HeldError)):
		return nil, fmt.Errorf("%w; try again when it has ended, or raise --wait", err)
	case err != nil:
		return nil, err
	}
	defer o.release(ctx, held)
	config := guarded(o.limited(), held.Valid)
	binding, err := newClient(config)
	if err != nil {
		return nil, err
	}
	options.Binder = bind.New(binding, bind.Options{})
	holding, unwatch := whileHeld(ctx, held)
	defer unwatch()
	unhook := context.AfterFunc(holding, func() {
		fmt.Fprintln(o.env.ErrOut, "Stopping: requests in flight are finished first; ctrl-C again ends at once.")
	})
	defer unhook()
	return o.liveSession(holding, config, options)
}

// checkServer tells at once of a server that does not answer, or is none: the Lease would be tried for a while.
func (o *bindOptions) checkServer(ctx context.Context) error {
	ctx, stop := context.WithTimeout(ctx, answerTimeout)
	defer stop()
	probed, err := cluster.Probe(ctx, o.source.config, []*cluster.Kind{cluster.KindOf(&corev1.Node{})})
	if err != nil {
		return err
	}
	for _, gap := range probed.Gaps {
		if gap.Reason != cluster.Forbidden { // what may not be read is told together, later
			return gap.Err
		}
	}
	return nil
}

// liveSession reads the cluster, keeps it fresh, and binds.
func (o *bindOptions) liveSession(ctx context.Context, config *rest.Config, options run.Options) (*outcome, error) {
	progress := newProgress(o.env)
	defer progress.clear()
	options.Progress = func(done, total int) { progress.show("binding: %d of %d Pods", done, total) }
	session, err := run.NewLive(ctx, run.Live{
		Config: config,
		Kinds:  kindsScheduled(),
		Role:   "deploy/rbac-bind.yaml",
		Progress: func(done, total int, kind *cluster.Kind) {
			progress.show("reading the cluster: %d of %d kinds (%s)", done, total, kind.Resource)
		},
	}, options)
	if err != nil {
		return nil, blame(err, options.Config)
	}
	defer session.Close()
	return o.carryOut(ctx, session)
}

// limited returns the way to the API server with the limits that the configuration sets for kube-scheduler's requests.
func (o *bindOptions) limited() *rest.Config {
	config := rest.CopyConfig(o.source.config)
	config.QPS, config.Burst = 50, 100 // kube-scheduler's defaults
	if o.session.Config != nil {
		connection := o.session.Config.KubeSchedulerConfiguration.ClientConnection
		config.QPS, config.Burst = connection.QPS, int(connection.Burst)
	}
	return config
}

// lock says how to wait for another bind.
func (o *bindOptions) lock(host string) bind.LockOptions {
	return bind.LockOptions{
		Identity: host + "_" + string(uuid.NewUUID()),
		Wait:     o.wait,
		Waiting: func(holder string, renewed time.Time) {
			until := fmt.Sprintf("waiting up to %s for it to end", o.wait)
			if o.wait == 0 {
				until = "looking whether it still works"
			}
			fmt.Fprintf(o.env.ErrOut, "Another bind is at work (%s, last seen %s): %s.\n",
				printable(holder), renewed.UTC().Format(time.RFC3339), until)
		},
	}
}

// whileHeld returns a context that ends when the Lease is lost.
func whileHeld(ctx context.Context, held *bind.Held) (context.Context, func()) {
	ctx, stop := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-held.Lost():
			stop(held.Err())
		case <-ctx.Done():
		}
	}()
	return ctx, func() { stop(nil) }
}

func (o *bindOptions) release(ctx context.Context, held *bind.Held) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
	defer stop()
	if err := held.Release(ctx); err != nil {
		newWarner(o.env.ErrOut).tell(err.Error())
	}
}

// flush writes the events that are left, until ctrl-C.
func (o *bindOptions) flush(ctx context.Context, recorder *bind.Recorder) {
	left := time.Duration(0) // what the limit of requests makes it take
	if rate := o.limited().QPS; rate > 0 {
		left = time.Duration(float32(recorder.Pending()) / rate * float32(time.Second))
	}
	if ctx.Err() != nil { // the run was stopped, and these events tell of it
		ctx = context.WithoutCancel(ctx)
	}
	ctx, stop := context.WithTimeout(ctx, flushTimeout+left)
	defer stop()
	progress := newProgress(o.env)
	defer progress.clear()
	progress.show("writing %d events", recorder.Pending())
	if lost, err := recorder.Close(ctx); err != nil {
		newWarner(o.env.ErrOut).tell(fmt.Sprintf("%d events are not written: %v; --events=false writes none", lost, err))
	}
}
