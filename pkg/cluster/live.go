package cluster

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// parallelLists is how many kinds are listed at the same time. Pods outweigh all the rest together, so that more would
// only make the API server busy.
const parallelLists = 8

// LiveOptions say what ReadLive reads.
type LiveOptions struct {
	// Kinds are rows of the table of kinds; nil stands for every row whose Use is Scheduling or Admission.
	Kinds []*Kind
	// PageSize is the number of objects asked for at a time; 0 asks for each kind in one piece from the API server's
	// watch cache, which is about twice as fast and may lag behind by a moment.
	PageSize int64
	// KeepTemplates keeps the Pod templates of ReplicaSets, StatefulSets and ReplicationControllers. Scheduling never
	// reads them, but somebody may ask about them in a State that is saved.
	KeepTemplates bool
	// Progress, when set, is called after each kind, by one goroutine at a time.
	Progress func(done, total int, kind *Kind)
}

// ReadLive lists the kinds of a running cluster in parallel. What scheduling never reads is dropped on arrival.
//
// A kind that cannot be listed becomes a Gap. Without Nodes or Pods nothing can be judged: then, and when the API
// server does not answer at all, ReadLive fails.
func ReadLive(ctx context.Context, config *rest.Config, options LiveOptions) (*State, error) {
	api, err := connect(config)
	if err != nil {
		return nil, err
	}
	// The version comes first, so that a server out of reach is told once and not once per kind.
	version, err := api.version(ctx)
	if err != nil {
		return nil, err
	}
	reading := liveReading{
		api:     api,
		options: options,
		kinds:   liveKinds(options.Kinds),
		state:   &State{Source: FromServer, ServerVersion: version},
	}
	failures := reading.listAll(ctx)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("reading the cluster: %w", context.Cause(ctx))
	}
	if err := reading.judge(failures); err != nil {
		return nil, err
	}
	return reading.state, nil
}

// liveKinds returns the kinds to read, each once and in the order of the table.
func liveKinds(asked []*Kind) []*Kind {
	if asked == nil {
		for _, kind := range Kinds {
			if kind.Use == Scheduling || kind.Use == Admission {
				asked = append(asked, kind)
			}
		}
		return asked
	}
	kinds := slices.Clone(asked)
	slices.SortStableFunc(kinds, func(a, b *Kind) int {
		return cmp.Compare(slices.Index(Kinds, a), slices.Index(Kinds, b))
	})
	return slices.Compact(kinds)
}

// liveReading is one run of ReadLive. The goroutines share the State without a lock: each fills the list of one kind.
type liveReading struct {
	api     *connection
	options LiveOptions
	kinds   []*Kind
	state   *State

	progress sync.Mutex
	done     int
}

// listAll lists all kinds and returns the failures, at the indexes of their kinds.
func (r *liveReading) listAll(ctx context.Context) []error {
	failures := make([]error, len(r.kinds))
	group, unlessInVain := errgroup.WithContext(ctx)
	group.SetLimit(parallelLists)
	for i, kind := range r.kinds {
		group.Go(func() error {
			if !indispensable(kind) {
				failures[i] = r.listKind(unlessInVain, kind)
				return nil
			}
			// Nodes and Pods do not stop each other: when both fail, both are told.
			failures[i] = r.listKind(ctx, kind)
			return failures[i]
		})
	}
	_ = group.Wait() // failures holds its error too
	return failures
}

// listKind reads one kind into the State.
func (r *liveReading) listKind(ctx context.Context, kind *Kind) error {
	options := metav1.ListOptions{FieldSelector: liveFieldSelectors[kind.GroupVersionKind], Limit: r.options.PageSize}
	if r.options.PageSize == 0 {
		options.ResourceVersion = "0"
	}
	err := r.api.list(ctx, listing{
		kind:    kind,
		options: options,
		trim:    trimmer(kind, r.options.KeepTemplates),
		to:      kind.list(r.state),
	})
	r.tell(kind)
	return err
}

// tell counts a kind as done.
func (r *liveReading) tell(kind *Kind) {
	r.progress.Lock()
	defer r.progress.Unlock()
	r.done++
	if r.options.Progress != nil {
		r.options.Progress(r.done, len(r.kinds), kind)
	}
}

// judge turns failures into gaps, or into the error of the whole reading.
func (r *liveReading) judge(failures []error) error {
	var fatal []error
	for i, failure := range failures {
		kind := r.kinds[i]
		switch {
		case failure == nil:
		case indispensable(kind):
			fatal = append(fatal, cannotList(kind, failure))
		default:
			r.state.Gaps = append(r.state.Gaps, gapOf(kind, failure))
		}
	}
	return JoinErrors(fatal)
}

// gapOf makes a Gap of what kept a kind from being listed.
func gapOf(kind *Kind, failure error) Gap {
	switch {
	case apierrors.IsForbidden(failure):
		return Gap{Kind: kind, Reason: Forbidden}
	case apierrors.IsNotFound(failure):
		return Gap{Kind: kind, Reason: NotServed}
	}
	return Gap{Kind: kind, Reason: Failed, Err: failure}
}

// indispensable tells whether nothing can be judged without the kind.
func indispensable(kind *Kind) bool {
	return kind.Group == "" && (kind.Resource == "nodes" || kind.Resource == "pods")
}
