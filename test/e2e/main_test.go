//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/kubectl-sched/kubectl-sched/test/e2e/controlplane"
)

// binariesVariable names the folder with the control plane's programs and kubectl.
const binariesVariable = "KUBECTL_SCHED_CONTROLPLANE"

// env is what all tests share. It is set once, before the first test.
var env struct {
	*controlplane.ControlPlane
	kubectl kubectl
}

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		code = 1
	}
	os.Exit(code)
}

// run starts the control plane, runs the tests and stops it; after a failure the logs are shown and kept.
func run(m *testing.M) (code int, err error) {
	binaries := os.Getenv(binariesVariable)
	if binaries == "" {
		return 0, fmt.Errorf("%s is not set: run `make test-e2e`, which builds the control plane first", binariesVariable)
	}
	dir, err := os.MkdirTemp("", "kubectl-sched-e2e-")
	if err != nil {
		return 0, err
	}
	defer func() {
		if code == 0 && err == nil {
			err = os.RemoveAll(dir)
			return
		}
		_ = controlplane.WriteLogs(os.Stderr, dir, 30)
		fmt.Fprintln(os.Stderr, "e2e: logs and data are kept in", dir)
	}()

	plugin, err := buildPlugin(filepath.Join(dir, "bin"))
	if err != nil {
		return 0, err
	}
	env.ControlPlane, err = controlplane.Start(context.Background(), controlplane.Options{Binaries: binaries, Dir: dir})
	if err != nil {
		return 0, err
	}
	defer env.Stop()
	if err := createNamespaces(context.Background()); err != nil {
		return 0, fmt.Errorf("creating the namespaces: %w", err)
	}
	env.kubectl = kubectl{
		program:    filepath.Join(binaries, "kubectl"),
		pluginDir:  filepath.Dir(plugin),
		kubeconfig: env.Kubeconfig,
		cacheDir:   filepath.Join(dir, "kubectl-cache"),
	}
	return m.Run(), nil
}

// buildPlugin builds kubectl-sched from this checkout into dir as `make build` does: what is tested and measured is what
// is released, and a third as large as what a plain `go build` makes.
func buildPlugin(dir string) (string, error) {
	path := filepath.Join(dir, "kubectl-sched")
	build := exec.Command("go", "build", "-trimpath", "-tags=grpcnotrace", "-ldflags=-s -w -funcalign=16", "-o", path,
		"../../cmd/kubectl-sched")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("building kubectl-sched: %w", err)
	}
	return path, nil
}
