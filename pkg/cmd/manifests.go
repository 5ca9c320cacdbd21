package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// manifestFlags say which Pods and workloads that are not in the cluster are asked about.
type manifestFlags struct {
	filenames []string
	kustomize string
	recursive bool
}

func (f *manifestFlags) addFlags(flags *pflag.FlagSet) {
	flags.StringArrayVarP(&f.filenames, "filename", "f", nil,
		"file, folder, URL or - (standard input) with Pods or workloads that are not in the cluster; repeatable")
	flags.StringVarP(&f.kustomize, "kustomize", "k", "",
		"kustomization folder with Pods or workloads that are not in the cluster")
	flags.BoolVarP(&f.recursive, "recursive", "R", false, "read the folders of --filename with all folders in them")
}

func (f *manifestFlags) given() bool { return len(f.filenames) > 0 || f.kustomize != "" }

func (f *manifestFlags) files(config *genericclioptions.ConfigFlags, inputs *inputs) ([]cluster.File, error) {
	files, err := inputs.files("--filename", f.filenames, f.recursive)
	if err != nil || f.kustomize == "" {
		return files, err
	}
	built, err := kustomization(config, f.kustomize)
	if err != nil {
		return nil, err
	}
	return append(files, built), nil
}

// namespace is what --namespace or the kubeconfig says.
type namespace struct {
	name string
	// explicit is true when the flag was given: then a manifest may not name another one.
	explicit bool
}

// readManifests reads the files and puts objects without a namespace into the command's.
func readManifests(ctx context.Context, files []cluster.File, into namespace) ([]cluster.Object, []string, error) {
	if len(files) == 0 {
		return nil, nil, nil
	}
	objects, warnings, err := cluster.ReadManifests(ctx, files)
	if err != nil {
		return nil, nil, err
	}
	for _, object := range objects {
		switch own := object.GetNamespace(); {
		case own == "":
			object.SetNamespace(into.name)
		case own != into.name && into.explicit:
			return nil, nil, fmt.Errorf("%s/%s is in namespace %q, not in %q: pass --namespace=%s", lowerKind(object),
				object.GetName(), own, into.name, own)
		}
	}
	return objects, warnings, nil
}
