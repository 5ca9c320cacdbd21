package cmd

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
)

// stateFlags say which cluster is asked about.
type stateFlags struct {
	from []string
}

func (f *stateFlags) addFlags(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.from, "from", nil,
		"file, folder, URL or - (standard input), gzipped or not, with the cluster's objects; read instead of the live "+
			"cluster; repeatable")
}

// source is where the State comes from: files, or the cluster of a kubeconfig.
type source struct {
	env    Env
	files  []cluster.File
	config *rest.Config // nil when files are read
}

func (f *stateFlags) toSource(env Env, config *genericclioptions.ConfigFlags, inputs *inputs) (*source, error) {
	s := &source{env: env}
	var err error
	if len(f.from) > 0 {
		s.files, err = inputs.files("--from", f.from, true)
		return s, err
	}
	if s.config, err = config.ToRESTConfig(); err != nil {
		return nil, fmt.Errorf("%w (to read a saved cluster, use --from)", err)
	}
	s.config.WarningHandler = rest.NewWarningWriter(env.ErrOut, rest.WarningWriterOptions{Deduplicate: true})
	return s, nil
}

// toNamespace finds the namespace of names and of manifests that name none. A saved cluster has nothing to do with the
// kubeconfig, so that there only the flag counts.
func (f *stateFlags) toNamespace(config *genericclioptions.ConfigFlags) (namespace, error) {
	if *config.Namespace != "" {
		return namespace{name: *config.Namespace, explicit: true}, nil
	}
	if len(f.from) > 0 {
		return namespace{name: "default"}, nil
	}
	name, _, err := config.ToRawKubeConfigLoader().Namespace()
	return namespace{name: name}, err
}

// load reads the State, of a live cluster these kinds, and fills in its API defaults.
func (s *source) load(ctx context.Context, kinds []*cluster.Kind) (*cluster.State, error) {
	if s.config == nil {
		state, err := cluster.ReadFiles(ctx, s.files)
		if err != nil {
			return nil, err
		}
		upstream.SetDefaults(state)
		return state, upstream.Check(state)
	}
	progress := newProgress(s.env)
	defer progress.clear()
	state, err := cluster.ReadLive(ctx, s.config, cluster.LiveOptions{
		Kinds: kinds,
		Progress: func(done, total int, kind *cluster.Kind) {
			progress.show("reading the cluster: %d of %d kinds (%s)", done, total, kind.Resource)
		},
	})
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("%w (to read a saved cluster instead, use --from)", err)
	}
	return state, err
}

// kindsRead are the kinds that a scheduler and the API server's admission read under the feature gates in force.
func kindsRead() []*cluster.Kind {
	return kindsFor(cluster.Scheduling, cluster.Admission)
}

// kindsScheduled are the kinds that a scheduler reads under the feature gates in force.
func kindsScheduled() []*cluster.Kind {
	return kindsFor(cluster.Scheduling)
}

func kindsFor(uses ...cluster.Use) []*cluster.Kind {
	if upstream.ReadsPodGroups() {
		uses = append(uses, cluster.Gated)
	}
	var kinds []*cluster.Kind
	for _, kind := range cluster.Kinds {
		if slices.Contains(uses, kind.Use) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}
