//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// detach gives the process a session of its own: it has no terminal, and its group is itself and what it starts.
func detach() (end func()) {
	if _, err := syscall.Setsid(); err != nil {
		return func() {} // it leads the group of a shell's job, with others in it
	}
	return func() {
		signal.Ignore(syscall.SIGTERM)
		_ = syscall.Kill(0, syscall.SIGTERM)
	}
}
