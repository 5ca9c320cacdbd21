package cmd

import (
	"context"
	"io"
	"os"
)

// interruptible is a reader whose Read ends with the context, even while it waits for bytes that may never come: those
// of a terminal, a pipe. The read that waits goes on in the background until the process ends.
type interruptible struct {
	ctx context.Context //nolint:containedctx // io.Reader has no place for it
	io.ReadCloser
}

func (r interruptible) Read(p []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	buffer := make([]byte, len(p)) // p is the caller's again once Read returns
	done := make(chan result, 1)
	go func() {
		n, err := r.ReadCloser.Read(buffer)
		done <- result{n, err}
	}()
	select {
	case <-r.ctx.Done():
		return 0, r.ctx.Err()
	case got := <-done:
		return copy(p, buffer[:got.n]), got.err
	}
}

// openPipe opens a named pipe, which waits until somebody writes to it.
func openPipe(ctx context.Context, path string) (io.ReadCloser, error) {
	type result struct {
		file *os.File
		err  error
	}
	done := make(chan result, 1)
	go func() {
		file, err := os.Open(path)
		done <- result{file, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case got := <-done:
		return interruptible{ctx, got.file}, got.err
	}
}
