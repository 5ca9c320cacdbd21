//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
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

// through is a kubectl that uses another kubeconfig.
func (k kubectl) through(kubeconfig string) kubectl {
	k.kubeconfig = kubeconfig
	return k
}

// run runs kubectl with the arguments, as a user would type them, and fails the test only when it could not be run.
func (k kubectl) run(ctx context.Context, t *testing.T, args ...string) output {
	t.Helper()
	return k.start(ctx, t, args...).wait(t)
}

// running is a command that has not been waited for.
type running struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
}

// command is kubectl with the arguments. When the context ends, so does it, with its goroutines on stderr: it hung.
func (k kubectl) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, k.program, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGQUIT) }
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = append(os.Environ(),
		"PATH="+k.pluginDir+string(os.PathListSeparator)+os.Getenv("PATH"),
		"KUBECONFIG="+k.kubeconfig,
		"KUBECACHEDIR="+k.cacheDir,
	)
	return cmd
}

// start starts kubectl with the arguments.
func (k kubectl) start(ctx context.Context, t *testing.T, args ...string) *running {
	t.Helper()
	r := &running{cmd: k.command(ctx, args...)}
	r.cmd.Stdout, r.cmd.Stderr = &r.stdout, &r.stderr
	if err := r.cmd.Start(); err != nil {
		t.Fatalf("running kubectl %q: %v", args, err)
	}
	return r
}

// wait waits until the command has ended.
func (r *running) wait(t *testing.T) output {
	t.Helper()
	err := r.cmd.Wait()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatalf("running %q: %v", r.cmd.Args, err)
	}
	return output{stdout: r.stdout.String(), stderr: r.stderr.String(), exitCode: r.cmd.ProcessState.ExitCode()}
}
