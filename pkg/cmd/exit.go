package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// The exit codes of every command.
const (
	exitYes       = 0 // all Pods fit, all are bound
	exitNo        = 1 // decided: at least one does not
	exitUndecided = 2 // bad usage, bad input, no connection
)

// errNo ends a command that decided no. Its output has said so already.
var errNo = errors.New("at least one Pod does not fit")

// finish prints the error of a command, if it has not been told already, and returns the exit code.
func finish(err error, errOut io.Writer) int {
	switch {
	case err == nil:
		return exitYes
	case errors.Is(err, errNo):
		return exitNo
	case errors.Is(err, context.Canceled):
		err = errors.New("interrupted")
	}
	for _, single := range split(err) {
		fmt.Fprintf(errOut, "error: %s\n", oneLine(single.Error()))
	}
	return exitUndecided
}

// split takes joined errors apart: each is told on a line of its own.
func split(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, single := range joined.Unwrap() {
		all = append(all, split(single)...)
	}
	return all
}

// oneLine keeps a message on one line of a terminal.
func oneLine(text string) string {
	text = strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ")
	return printable(strings.Join(strings.Fields(text), " "))
}
