package cmd

import (
	"fmt"
	"io"

	"k8s.io/kubectl/pkg/util/term"
)

// progress is one line on a terminal that is written over as work goes on. On anything but a terminal it is silent.
type progress struct {
	out   io.Writer
	shown bool
}

func newProgress(env Env) *progress {
	if !term.IsTerminal(env.ErrOut) {
		return &progress{out: io.Discard}
	}
	return &progress{out: env.ErrOut}
}

func (p *progress) show(format string, args ...any) {
	p.shown = true
	fmt.Fprintf(p.out, "\r\033[K"+format, args...)
}

func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.out, "\r\033[K")
	}
}
