package cmd_test

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"syscall"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-sched/kubectl-sched/pkg/cmd"
)

// A command that waits for bytes that never come ends when it is told to.
func TestInterruptedWhileWaiting(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for sentence, args := range map[string][]string{
		"for the cluster on the standard input": {"explain", "pod/x", "--from", "-"},
		"for a manifest on the standard input":  {"explain", "-f", "-", "--from", "../../testdata/clusters/shop.yaml"},
		"for the cluster from a named pipe":     {"explain", "pod/x", "--from", pipe},
		"for a configuration from a named pipe": {"explain", "pod/x", "--from", "-", "--scheduler-config", pipe},
		"for the manifest behind a URL":         {"explain", "-f", "http://127.0.0.1:1/", "--from", "-"},
		"for the version of a server not there": {"version", "-s", "http://127.0.0.1:1"},
		"for the cluster of a server not there": {"explain", "pod/x", "-s", "http://127.0.0.1:1"},
	} {
		t.Run(sentence, func(t *testing.T) {
			never, _ := io.Pipe()
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			var out, errOut bytes.Buffer
			env := cmd.Env{
				IOStreams: genericiooptions.IOStreams{In: never, Out: &out, ErrOut: &errOut},
				Getenv:    func(string) string { return "" },
			}
			code := cmd.Execute(ctx, env, args)
			if code != 2 || errOut.String() != "error: interrupted\n" || out.Len() > 0 {
				t.Errorf("got exit code %d, stdout %q, stderr %q; want 2 and that it was interrupted", code, out.String(),
					errOut.String())
			}
		})
	}
}
