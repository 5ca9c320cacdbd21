//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// role is what the test's program does when it is started anew: it is kubectl-sched, or a credential plugin that says
// in which session it is and waits for an answer that nobody gives.
const role = "KUBECTL_SCHED_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "kubectl-sched":
		main()
	case "plugin":
		hang()
	default:
		os.Exit(m.Run())
	}
}

func hang() {
	session, err := unix.Getsid(0)
	fmt.Fprintf(os.Stderr, "session %d, error %v\n", session, err)
	patience, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	<-patience.Done()
}

// A credential plugin that hangs while a shell completes has no terminal, and ends when the completion gives up.
func TestCompletionDetachesCredentialPlugins(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	config := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"c",
		"contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}],
		"clusters":[{"name":"c","cluster":{"server":"https://localhost:1"}}],
		"users":[{"name":"u","user":{"exec":{"apiVersion":"client.authentication.k8s.io/v1","interactiveMode":"IfAvailable",
			"command":%q,"env":[{"name":%q,"value":"plugin"}]}}}]}`, program, role)
	if err := os.WriteFile(kubeconfig, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var pid int
	var out, errOut string
	for try := 0; try < 3 && !strings.HasPrefix(errOut, "session"); try++ { // a machine at work starts the plugin too late
		pid, out, errOut = complete(t, program, kubeconfig)
	}
	if want := ":4\n"; out != want {
		t.Errorf("completions %q, want %q", out, want)
	}
	if want := fmt.Sprintf("session %d, error <nil>\n", pid); !strings.HasPrefix(errOut, want) {
		t.Errorf("the plugin says %q, want %q", errOut, want)
	}
}

// complete completes names of Pods in a process of its own. The plugin has the same stderr, which is read until the last
// of the two is gone.
func complete(t *testing.T, program, kubeconfig string) (pid int, out, errOut string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, "__complete", "--kubeconfig", kubeconfig, "explain", "-n", "shop", "pod/")
	command.Env = append(os.Environ(), role+"=kubectl-sched")
	command.WaitDelay = 10 * time.Second
	var stdout, stderr strings.Builder
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		t.Fatal(err)
	}
	return command.Process.Pid, stdout.String(), stderr.String()
}
