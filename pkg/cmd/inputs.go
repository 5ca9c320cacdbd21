package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/resource"

	"github.com/kubectl-sched/kubectl-sched/pkg/cluster"
)

// stdin is the path that stands for the standard input.
const stdin = "-"

// inputs turns the paths of flags into files.
type inputs struct {
	env Env
	// taken is the flag that reads the standard input; it can be read only once.
	taken string
}

// files returns the files behind the paths of one flag: files, folders, URLs, the standard input.
func (i *inputs) files(flag string, paths []string, recursive bool) ([]cluster.File, error) {
	var files []cluster.File
	for _, path := range paths {
		if path == "" {
			return nil, fmt.Errorf("%s: the path is empty", flag)
		}
		found, err := i.expand(flag, path, recursive)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", flag, path, err)
		}
		files = append(files, found...)
	}
	return files, nil
}

func (i *inputs) expand(flag, path string, recursive bool) ([]cluster.File, error) {
	switch {
	case path == stdin:
		if i.taken != "" {
			return nil, fmt.Errorf("the standard input is read by %s already", i.taken)
		}
		i.taken = flag + " " + stdin
		open := func(ctx context.Context) (io.ReadCloser, error) {
			return interruptible{ctx, io.NopCloser(i.env.In)}, nil
		}
		return []cluster.File{{Name: "standard input", Open: open}}, nil
	case strings.HasPrefix(path, "http://"), strings.HasPrefix(path, "https://"):
		open := func(ctx context.Context) (io.ReadCloser, error) { return fetch(ctx, path) }
		return []cluster.File{{Name: path, Open: open}}, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, withoutPath(err)
	}
	switch mode := info.Mode(); {
	case mode&os.ModeDevice != 0:
		return nil, errors.New("is a device, not a file")
	case mode&os.ModeNamedPipe != 0:
		open := func(ctx context.Context) (io.ReadCloser, error) { return openPipe(ctx, path) }
		return []cluster.File{{Name: path, Open: open}}, nil
	case !mode.IsDir():
		open := func(context.Context) (io.ReadCloser, error) { return os.Open(path) }
		return []cluster.File{{Name: path, Open: open}}, nil
	}
	files, err := cluster.FilesIn(os.DirFS(path), ".", recursive)
	for n := range files {
		files[n].Name = filepath.Join(path, files[n].Name)
	}
	return files, err
}

func fetch(ctx context.Context, url string) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, errors.Join(fmt.Errorf("the server answered %s", response.Status), response.Body.Close())
	}
	return response.Body, nil
}

// withoutPath is the error without the path that it repeats.
func withoutPath(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

// kustomization builds the folder of -k and returns its objects as one file.
func kustomization(config *genericclioptions.ConfigFlags, folder string) (cluster.File, error) {
	infos, err := resource.NewBuilder(config).Local().Unstructured().
		FilenameParam(false, &resource.FilenameOptions{Kustomize: folder}).Flatten().Do().Infos()
	if err != nil {
		return cluster.File{}, fmt.Errorf("--kustomize %s: %w", folder, err)
	}
	var out bytes.Buffer
	for _, info := range infos {
		if err := json.NewEncoder(&out).Encode(info.Object); err != nil {
			return cluster.File{}, fmt.Errorf("--kustomize %s: %w", folder, err)
		}
	}
	open := func(context.Context) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(out.Bytes())), nil }
	return cluster.File{Name: folder, Open: open}, nil
}
