// Command kubectl-sched is the kubectl plugin behind `kubectl sched`.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // the credential plugins that kubeconfig files may name

	"github.com/kubectl-sched/kubectl-sched/pkg/cmd"
)

func main() {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup
		ends = append(ends, syscall.SIGHUP) // the terminal is closed
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	// After the first signal, which asks for a clean end, a second one ends the process at once.
	context.AfterFunc(ctx, stop)
	streams := genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}
	env := cmd.Env{
		IOStreams: streams,
		Getenv:    os.Getenv,
		Program:   cmd.ProgramName(os.Args[0], os.Getenv("PATH")),
		Detach:    detach,
	}
	code := cmd.Execute(ctx, env, os.Args[1:])
	stop()
	os.Exit(code)
}
