package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
)

// Options are the inputs of an Engine beside the State.
type Options struct {
	// Config is the scheduler configuration; nil for kube-scheduler's defaults.
	Config *upstream.Config
	// Profile, when set, judges every Pod, whatever its schedulerName says.
	Profile string
	// Plugins are scheduling plugins linked in beside kube-scheduler's own. The configuration enables them.
	Plugins upstream.Registry
	// Fixes is how many changes that make a Pod fit are looked for; none when it is 0.
	Fixes int
	// Node names a node of the State; every Explanation then has its Story.
	Node string
}

// Engine answers questions about one State. It is not safe for concurrent use. Close it after use.
type Engine struct {
	state     *cluster.State
	profile   string
	node      string
	fixCount  int
	scheduler *upstream.Scheduler
	admission *upstream.Admission
	warner    *Warner
	warnings  []string
}

// ErrNoSuchProfile is returned by New when Options.Profile names no profile of the configuration.
var ErrNoSuchProfile = errors.New("no profile is named")

// New builds an Engine over the State, which must have its API defaults (see upstream.SetDefaults).
func New(ctx context.Context, state *cluster.State, options Options) (*Engine, error) {
	scheduler, err := upstream.New(ctx, state, upstream.Options{Config: options.Config, OutOfTree: options.Plugins})
	if err != nil {
		return nil, err
	}
	admission, err := upstream.NewAdmission(state)
	if err != nil {
		scheduler.Close()
		return nil, err
	}
	engine := &Engine{
		state:     state,
		profile:   options.Profile,
		fixCount:  options.Fixes,
		node:      options.Node,
		scheduler: scheduler,
		admission: admission,
		warner:    NewWarner(state),
	}
	if options.Profile != "" && !scheduler.Serves(options.Profile) {
		engine.Close()
		return nil, fmt.Errorf("%w %q: the profiles are %s", ErrNoSuchProfile, options.Profile,
			strings.Join(scheduler.Profiles(), ", "))
	}
	engine.warnings = stateWarnings(state, scheduler.Orphans)
	if options.Config != nil {
		engine.warnings = append(engine.warnings, options.Config.Warnings...)
	}
	return engine, nil
}

// Close frees what the Engine holds.
func (e *Engine) Close() { e.scheduler.Close() }

// State returns the State that is asked about.
func (e *Engine) State() *cluster.State { return e.state }
