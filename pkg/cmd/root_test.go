package cmd_test

import (
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/kubectl-sched/kubectl-sched/pkg/cmd"
)

func TestProgramName(t *testing.T) {
	krew, err := filepath.Abs("krew/bin/kubectl-sched") // kubectl calls plugins by their whole path
	if err != nil {
		t.Fatal(err)
	}
	path := strings.Join([]string{"", "bin", filepath.Dir(krew) + "/"}, string(filepath.ListSeparator))
	for arg0, want := range map[string]string{
		krew:                               "kubectl sched",
		krew + ".exe":                      "kubectl sched",
		"kubectl-sched":                    "kubectl-sched",
		"./bin/kubectl-sched":              "kubectl-sched",
		"kubectl-sched.exe":                "kubectl-sched",
		"/kubectl-sched":                   "kubectl-sched", // in the image
		filepath.Dir(krew) + "/ks-nightly": "ks-nightly",
	} {
		if got := cmd.ProgramName(arg0, path); got != want {
			t.Errorf("%s: got %q, want %q", arg0, got, want)
		}
	}
}

// Help, examples and hints name the program as it was called.
func TestHelpNamesTheProgramAsCalled(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"explain", "--help"}, {"bind", "--help"}, {"run", "--help"}, {"version", "--help"},
		{"explain"}, {"bind"}, {"explain", "--no-such-flag"}} {
		var out strings.Builder
		streams := genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &out}
		env := cmd.Env{IOStreams: streams, Getenv: func(string) string { return "" }, Program: "kubectl-sched"}
		cmd.Execute(t.Context(), env, args)
		if got := out.String(); !strings.Contains(got, "kubectl-sched ") || strings.Contains(got, cmd.PluginName) {
			t.Errorf("%q does not name kubectl-sched alone:\n%s", args, got)
		}
	}
}
