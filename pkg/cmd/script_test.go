package cmd_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
// error line at the end of stderr if the code is 2 and none otherwise, nothing but what is known before it, and neither
// on stdout.
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
	checkStreams(ts, code)
}

// known are the lines that may be on stderr beside errors: warnings, word that nothing matches, and, last, the line in
// which bind sums up what became of several Pods.
var known = regexp.MustCompile(`^(Warning: .*\n)*(No (pending )?Pod matches.*\n)?` +
	`(\d+ Pods?: \d+ [a-z ]+(, \d+ [a-z ]+)*(; --max left \d+ more waiting)?\n)?$`)

// checkStreams checks what is on stdout and stderr of a program that ended with the exit code.
func checkStreams(ts *testscript.TestScript, code int) {
	stderr := ts.ReadFile("stderr")
	if code == 2 {
		last := strings.LastIndexByte(strings.TrimSuffix(stderr, "\n"), '\n') + 1
		if !strings.HasPrefix(stderr[last:], "error: ") {
			ts.Fatalf("the last line on stderr is no error: %q", stderr[last:])
		}
		stderr = stderr[:last]
	}
	if !known.MatchString(stderr) {
		ts.Fatalf("more on stderr than warnings, word that nothing matches, a summary and the last error:\n%s", stderr)
	}
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		if strings.HasPrefix(line, "Warning: ") || strings.HasPrefix(line, "error: ") {
			ts.Fatalf("on stdout: %s", line)
		}
	}
}
