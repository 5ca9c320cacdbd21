package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"sigs.k8s.io/yaml"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine"
	"github.com/kubectl-sched/kubectl-sched/pkg/engine/upstream"
)

// version is set by the release build; `go install …@vX.Y.Z` leaves it empty and the module's version counts.
var version string

const versionExample = `  # Print the versions of the plugin, of the scheduler code in it and of the API server
  kubectl sched version

  # Without asking the API server, as JSON
  kubectl sched version --client -o json`

// versions is what `version` prints.
type versions struct {
	ClientVersion     string `json:"clientVersion"`
	KubernetesVersion string `json:"kubernetesVersion"`
	ServerVersion     string `json:"serverVersion,omitempty"`
	Warning           string `json:"warning,omitempty"`
}

type versionFlags struct {
	env    Env
	config *genericclioptions.ConfigFlags
	client bool
	output string
}

func newVersion(env Env, config *genericclioptions.ConfigFlags) *cobra.Command {
	flags := &versionFlags{env: env, config: config}
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the versions of the plugin, of the scheduler code in it and of the API server",
		Example: versionExample,
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return flags.run(cmd.Context()) },
	}
	cmd.Flags().BoolVar(&flags.client, "client", false, "do not ask the API server")
	cmd.Flags().StringVarP(&flags.output, "output", "o", "", "output format: json or yaml")
	return cmd
}

func (f *versionFlags) run(ctx context.Context) error {
	found := versions{ClientVersion: ownVersion(), KubernetesVersion: upstream.Version}
	if !f.client {
		server, err := f.server(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		switch {
		case err != nil:
			found.Warning = "cannot read the version of the API server: " + oneLine(err.Error())
		case server == "":
			found.Warning = "the API server does not tell its version"
		default:
			found.ServerVersion, found.Warning = server, engine.VersionSkew(server)
		}
	}
	return f.print(found)
}

func (f *versionFlags) server(ctx context.Context) (string, error) {
	config, err := f.config.ToRESTConfig()
	if err != nil {
		return "", err
	}
	return cluster.ServerVersion(ctx, config)
}

func (f *versionFlags) print(found versions) error {
	switch f.output {
	case "":
		text := fmt.Sprintf("Client Version: %s\nKubernetes Version: %s\n", found.ClientVersion, found.KubernetesVersion)
		if found.ServerVersion != "" {
			text += fmt.Sprintf("Server Version: %s\n", printable(found.ServerVersion))
		}
		if found.Warning != "" {
			newWarner(f.env.ErrOut).tell(found.Warning)
		}
		_, err := io.WriteString(f.env.Out, text)
		return err
	case "json":
		data, err := json.MarshalIndent(found, "", "    ")
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(f.env.Out, string(data))
		return err
	case "yaml":
		data, err := yaml.Marshal(found)
		if err != nil {
			return err
		}
		_, err = f.env.Out.Write(data)
		return err
	}
	return fmt.Errorf("--output %q: use json or yaml", f.output)
}

func ownVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
