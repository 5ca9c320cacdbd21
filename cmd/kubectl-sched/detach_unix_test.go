//go:build unix

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
	complete := exec.CommandContext(t.Context(), program, "__complete", "--kubeconfig", kubeconfig, "explain", "-n", "shop", "pod/")
	complete.Env = append(os.Environ(), role+"=kubectl-sched")
	complete.WaitDelay = 10 * time.Second
	var out, errOut bytes.Buffer
	complete.Stdout, complete.Stderr = &out, &errOut
	// The plugin writes to the same stderr, which is read until the last of the two is gone.
	if err := complete.Run(); err != nil {
		t.Error(err)
	}
	if got, want := out.String(), ":4\n"; got != want {
		t.Errorf("completions %q, want %q", got, want)
	}
	if want := fmt.Sprintf("session %d, error <nil>\n", complete.Process.Pid); !bytes.HasPrefix(errOut.Bytes(), []byte(want)) {
		t.Errorf("the plugin says %q, want %q", errOut.String(), want)
	}
}
