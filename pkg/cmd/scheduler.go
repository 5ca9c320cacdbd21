package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"

	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
	"github.com/kubectl-sched/kubectl-sched/pkg/run"
)

// schedulerFlags say which scheduler answers.
type schedulerFlags struct {
	config   string
	name     string
	gates    string
	emulated string
}

func (f *schedulerFlags) addFlags(flags *pflag.FlagSet) {
	flags.StringVar(&f.config, "scheduler-config", "",
		"file with the KubeSchedulerConfiguration to judge with; kube-scheduler's defaults when not given")
	flags.StringVar(&f.name, "scheduler-name", "", "judge with the profile of this name, whatever schedulerName a Pod has")
	flags.StringVar(&f.gates, "feature-gates", "",
		"feature gates of the scheduler, as kube-scheduler takes them: A=true,B=false")
	flags.StringVar(&f.emulated, "emulated-version", "",
		"Kubernetes version whose feature gates to judge with, such as 1.36")
}

// toOptions sets the process's feature gates, which decide what a configuration may hold, then reads it.
func (f *schedulerFlags) toOptions(ctx context.Context, inputs *inputs) (engine.Options, error) {
	gates, err := upstream.ParseGates(f.gates)
	if err != nil {
		return engine.Options{}, err
	}
	if err := upstream.SetGates(gates, f.emulated); err != nil {
		return engine.Options{}, err
	}
	options := engine.Options{Profile: f.name}
	if f.config == "" {
		return options, nil
	}
	options.Config, err = readConfig(ctx, inputs, f.config)
	return options, err
}

func readConfig(ctx context.Context, inputs *inputs, path string) (*upstream.Config, error) {
	files, err := inputs.files("--scheduler-config", []string{path}, false)
	if err != nil {
		return nil, err
	}
	if len(files) != 1 {
		return nil, fmt.Errorf("--scheduler-config %s: want one file, found %d", path, len(files))
	}
	reader, err := files[0].Open(ctx)
	if err != nil {
		return nil, fmt.Errorf("--scheduler-config %s: %w", path, withoutPath(err))
	}
	defer reader.Close()
	data, err := io.ReadAll(reader)
	if err != nil {
		return nil, fmt.Errorf("--scheduler-config %s: %w", path, withoutPath(err))
	}
	return upstream.ReadConfig(files[0].Name, data)
}

// blame names the flag behind an error of building a scheduler of the configuration.
func blame(err error, config *upstream.Config) error {
	switch {
	case errors.Is(err, engine.ErrNoSuchProfile), errors.Is(err, run.ErrNoSuchProfile):
		return fmt.Errorf("--scheduler-name: %w", err)
	case errors.Is(err, upstream.ErrConfiguration) && config != nil:
		return fmt.Errorf("--scheduler-config: %w", err)
	}
	return err
}
