package cmd_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-sched/kubectl-sched/pkg/cmd"
)

// update rewrites what scripts and README.md expect with what the command prints.
var update = flag.Bool("update", false, "rewrite the expected output in testdata/script and README.md")

// TestMain lets scripts run the command: the test binary under its name.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"kubectl-sched": func() {
		streams := genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}
		os.Exit(cmd.Execute(context.Background(), cmd.Env{IOStreams: streams, Getenv: os.Getenv}, os.Args[1:]))
	}})
}

// TestScripts runs the scripts of testdata/script, in folders of their own that hold the sample cluster as shop.yaml.
func TestScripts(t *testing.T) {
	sample, err := os.ReadFile("../../testdata/clusters/shop.yaml")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("KUBECONFIG", filepath.Join(env.WorkDir, "no-kubeconfig"))
			return os.WriteFile(filepath.Join(env.WorkDir, "shop.yaml"), sample, 0o600)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// exits is the script command `exits CODE PROGRAM ARGS…`. Besides the exit code it checks what holds for every run: one
// error line at the end of stderr if the code is 2 and none otherwise, nothing but warnings before it, and neither on
// stdout.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if code != want {
		ts.Fatalf("exit code is %d, want %d", code, want)
	}
	lines := strings.Split(strings.TrimSuffix(ts.ReadFile("stderr"), "\n"), "\n")
	if last := len(lines) - 1; want == 2 {
		if !strings.HasPrefix(lines[last], "error: ") {
			ts.Fatalf("the last line on stderr is no error: %q", lines[last])
		}
		lines = lines[:last]
	}
	for _, line := range lines {
		if line != "" && !strings.HasPrefix(line, "Warning: ") && !strings.HasPrefix(line, "No Pod matches") {
			ts.Fatalf("neither a warning, nor word that nothing matches, nor the last error: %q", line)
		}
	}
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		if strings.HasPrefix(line, "Warning: ") || strings.HasPrefix(line, "error: ") {
			ts.Fatalf("on stdout: %s", line)
		}
	}
}
