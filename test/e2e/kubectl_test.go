//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"testing"
)

// kubectl runs the real kubectl with the built plugin as the first thing on PATH.
type kubectl struct {
	program    string
	pluginDir  string
	kubeconfig string
	cacheDir   string
}

// output is what a command wrote and how it ended.
type output struct {
	stdout, stderr string
	exitCode       int
}

// run runs kubectl with the arguments, as a user would type them, and fails the test only when it could not be run.
func (k kubectl) run(ctx context.Context, t *testing.T, args ...string) output {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, k.program, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = append(os.Environ(),
		"PATH="+k.pluginDir+string(os.PathListSeparator)+os.Getenv("PATH"),
		"KUBECONFIG="+k.kubeconfig,
		"KUBECACHEDIR="+k.cacheDir,
	)
	err := cmd.Run()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatalf("running kubectl %q: %v", args, err)
	}
	return output{stdout: stdout.String(), stderr: stderr.String(), exitCode: cmd.ProcessState.ExitCode()}
}
